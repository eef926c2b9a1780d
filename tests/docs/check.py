"""The documents by themselves: links, blocks, pictures. The last line is "N passed, N failed, N skipped"."""
from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
# Who runs the blocks of which language in which pages. A block that nobody runs would be no better than prose.
RUN_BY = {
    "docs/c.md": {"c", "sh"},
    "docs/cpp.md": {"cpp", "sh"},
    "docs/rust.md": {"rust"},
    "docs/go.md": {"go", "sh", "text"},
    "docs/clojure.md": {"clojure", "sh"},
    "docs/python.md": {"python", "text"},
}
SUITES = {
    "tests/docs/run.sh": ("docs/c.md", "docs/cpp.md", "docs/rust.md"),
    "bindings/go/test.sh": ("docs/go.md",),
    "bindings/clojure/test.sh": ("docs/clojure.md",),
    "bindings/python/tests/test_readme.py": ('"python.md"',),
}

Block = tuple[str, str]


def documents() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "--", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.splitlines()]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def without_blocks(text: str) -> tuple[str, list[Block]]:
    """The prose, and the fenced blocks with their languages."""
    prose: list[str] = []
    blocks: list[Block] = []
    inside: tuple[str, list[str]] | None = None
    for line in text.splitlines():
        fence = re.match(r" *```(\S*)", line)
        if fence and inside is None:
            inside = (fence[1], [])
        elif fence and inside is not None:
            blocks.append((inside[0], "\n".join(inside[1])))
            inside = None
        elif inside is not None:
            inside[1].append(line)
        else:
            prose.append(line)
    assert inside is None, "a block is not closed"
    return "\n".join(prose), blocks


def anchors(text: str) -> set[str]:
    """What the headings are called when a page is shown: small letters, hyphens, and a number for a second one of a name."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ +(.*)$", without_blocks(text)[0], re.M):
        name = re.sub(r"[^\w\- ]", "", heading.lower().replace("`", "")).replace(" ", "-")
        number = 0
        while (name if number == 0 else f"{name}-{number}") in found:
            number += 1
        found.add(name if number == 0 else f"{name}-{number}")
    return found


def links(text: str) -> list[str]:
    prose = re.sub(r"`[^`]*`", "", without_blocks(text)[0])
    return re.findall(r"\]\(([^)\s]+)\)", prose)


def broken_links(document: Path) -> Iterator[str]:
    for link in links(document.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or not target.is_relative_to(ROOT):
            yield f"{link}: there is no such file"
        elif anchor and anchor not in anchors(target.read_text(encoding="utf-8")):
            yield f"{link}: {named(target)} has no such heading"


def unreachable() -> Iterator[str]:
    """Pages of docs/ that no other document leads to, beginning with the README."""
    reached, todo = set(), [ROOT / "README.md"]
    while todo:
        document = todo.pop()
        if document in reached:
            continue
        reached.add(document)
        for link in links(document.read_text(encoding="utf-8")):
            target = (document.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.is_file():
                todo.append(target)
    for document in documents():
        if document.parent == ROOT / "docs" and document not in reached:
            yield f"nothing leads to {named(document)}"


def blocks_that_nobody_runs(page: Path) -> Iterator[str]:
    for language, text in without_blocks(page.read_text(encoding="utf-8"))[1]:
        if language == "json":
            try:
                json.loads(text)
            except ValueError as error:
                yield f"a block of JSON: {error}"
        elif language not in RUN_BY.get(named(page), set()):
            yield f"a block of {language or 'no language'}"


def suites_that_name_no_page() -> Iterator[str]:
    for suite, pages in SUITES.items():
        text = (ROOT / suite).read_text(encoding="utf-8")
        yield from (f"{suite} does not run {page}" for page in pages if page not in text)


def pictures() -> Iterator[str]:
    for picture in sorted((ROOT / "docs").glob("*.svg")):
        text = picture.read_text(encoding="utf-8")
        root = ElementTree.fromstring(text)
        if not root.findtext("{http://www.w3.org/2000/svg}title") or "prefers-color-scheme:dark" not in text:
            yield f"{named(picture)} has no title, or nothing for a dark page"


def main() -> int:
    passed = failed = 0
    checks: list[tuple[str, list[str]]] = []
    pages = [document for document in documents() if document.parent == ROOT / "docs"]
    for document in documents():
        checks.append((f"{named(document)}: its links lead somewhere", list(broken_links(document))))
    for page in pages:
        checks.append((f"{named(page)}: every block is run by a suite", list(blocks_that_nobody_runs(page))))
    checks.append(("the suites run the pages of their languages", list(suites_that_name_no_page())))
    checks.append(("every page is led to", list(unreachable())))
    checks.append(("the pictures are whole, and for light and dark pages", list(pictures())))
    for name, problems in checks:
        if problems:
            failed += 1
            print(f"not ok {name}", *problems, sep="\n    ")
        else:
            passed += 1
            print(f"ok {name}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
