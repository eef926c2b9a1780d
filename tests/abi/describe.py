"""Describes the interface of a shared library for abidiff: python3 tests/abi/describe.py LIBRARY > tests/abi/tn_compactor.abi

The library must have been built as tests/abi/run.sh builds it. abidw describes every type of Rust that it comes across. Kept here is
what a host can see: the functions, what they take and return, and the enumerations. What a host only has pointers to is declared,
and its inside left out.
"""
from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree

OPAQUE = {"tn_compactor", "tn_plan", "tn_sink"}
OPTIONS = ("--no-corpus-path", "--no-comp-dir-path", "--no-show-locs", "--no-elf-needed", "--type-id-style", "hash")


def description(library: str) -> ElementTree.Element:
    done = subprocess.run(["abidw", *OPTIONS, library], check=True, capture_output=True, text=True)
    return ElementTree.fromstring(done.stdout)


def reduced(corpus: ElementTree.Element) -> ElementTree.Element:
    """The same corpus with nothing in it but the functions that are exported and what they refer to."""
    types = {element.get("id"): element for element in corpus.iter() if element.get("id")}
    kept: set[ElementTree.Element] = set()

    def keep(element: ElementTree.Element) -> None:
        if element in kept:
            return
        kept.add(element)
        if element.tag == "class-decl" and element.get("name") in OPAQUE:
            for child in list(element):
                element.remove(child)
            del element.attrib["size-in-bits"]
            element.set("is-declaration-only", "yes")
        for inner in element.iter():
            kept.add(inner)
            type_of = inner.get("type-id")
            if type_of in types:
                keep(types[type_of])

    for function in corpus.iter("function-decl"):
        if function.get("elf-symbol-id"):
            keep(function)
    for symbols in corpus.iter("elf-function-symbols"):
        kept.update(symbols.iter())
    prune(corpus, kept)
    return corpus


def prune(element: ElementTree.Element, kept: set[ElementTree.Element]) -> bool:
    """Removes what is not kept and holds nothing that is; says whether anything is left."""
    for child in list(element):
        if not prune(child, kept):
            element.remove(child)
    return element in kept or len(element) > 0


def main() -> None:
    corpus = reduced(description(sys.argv[1]))
    for unit in corpus.iter("abi-instr"):
        unit.set("path", "src/lib.rs")
    ElementTree.indent(corpus)
    sys.stdout.write(ElementTree.tostring(corpus, encoding="unicode") + "\n")


if __name__ == "__main__":
    main()
