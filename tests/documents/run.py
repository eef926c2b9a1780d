"""Holds what the documents say of the sources against the sources. The last line is N passed, N failed, N skipped.

    tests/documents/run.py            the tests
    tests/documents/run.py --write    writes the list of unsafe blocks into CONTRIBUTING.md
"""
from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESULTS = {True: 0, False: 0}


def check(name: str, wrong: str) -> None:
    """Passes if nothing is wrong."""
    RESULTS[not wrong] += 1
    print(f"not ok {name}: {wrong}" if wrong else f"ok {name}")


# ---- docs/host-faults.md ----

# Where the tests of a section are, and how a test of that name begins in a file of that kind.
FOLDERS = {
    "C": ["tests/c"],
    "C++": ["tests/c", "bindings/cpp/test"],
    "Go": ["bindings/go"],
    "The JVM": ["bindings/clojure/test/tn_compactor"],
    "Python": ["bindings/python/tests"],
}
# `run_tests` of a C program is given the table that TEST fills, and the others find their tests by these words.
DEFINED = {
    ".c": r"\bTEST\({}\)",
    ".cpp": r"\bTEST\({}\)",
    ".go": r"^func {}\(t \*testing\.T\)",
    ".clj": r"^\(deftest {}$",
    ".py": r"^def {}\(",
}


def tests_named_in(text: str) -> list[tuple[str, str, str]]:
    """Section, file and name of each test that the tables name."""
    found = []
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title = section.splitlines()[0]
        for row in re.findall(r"^\| .* \|$", section, flags=re.MULTILINE):
            cells = row.strip("| ").split(" | ")
            for file, name in re.findall(r"`([\w.]+): ([^`]+)`", cells[-1]):
                found.append((title, file, name))
    return found


def why_absent(section: str, file: str, name: str) -> str:
    for folder in FOLDERS[section]:
        path = ROOT / folder / file
        if path.exists():
            pattern = DEFINED[path.suffix].format(re.escape(name))
            found = re.search(pattern, path.read_text(encoding="utf-8"), flags=re.MULTILINE)
            return "" if found else f"{path.relative_to(ROOT)} has no such test"
    return f"there is no {file} in {' or '.join(FOLDERS[section])}"


def host_faults() -> None:
    text = (ROOT / "docs/host-faults.md").read_text(encoding="utf-8")
    tests = tests_named_in(text)
    for section in FOLDERS:
        named = [(file, name) for title, file, name in tests if title == section]
        wrong = [f"{file}: {name}: {why}" for file, name in named if (why := why_absent(section, file, name))]
        check(f"every test that docs/host-faults.md names for {section} exists", "; ".join(wrong) or ("" if named else "it names none"))
    rows = [row for row in re.findall(r"^\| .* \|$", text, flags=re.MULTILINE) if not row.startswith("| the host | the call |")]
    without = [row[:60] for row in rows if not re.search(r"`[\w.]+: [^`]+` \|$", row)]
    check("every row of docs/host-faults.md names a test", "; ".join(without))
    check("a test that does not exist is found out", "" if why_absent("C", "callback.c", "no_such_test") else "it is not")


# ---- the unsafe blocks, in CONTRIBUTING.md ----

MAY_BE_UNSAFE = r"src/(ffi/\w+|json/block/avx\w+)\.rs"
BEGIN, END = "<!-- unsafe: written by `tests/documents/run.py --write` -->\n", "<!-- /unsafe -->"


def reasons(lines: list[str]) -> list[str]:
    """Why each unsafe block in these lines is sound, in their order: the comment over the statement that it is in."""
    found = []
    for at, line in enumerate(lines):
        if line.lstrip().startswith("//"):
            continue
        for _ in re.findall(r"\bunsafe\s*\{", line):
            above = at
            while above > 0 and at - above < 12 and "// SAFETY: " not in lines[above]:
                above -= 1
            comment = []
            while lines[above].lstrip().startswith("//"):
                comment.append(lines[above].lstrip().removeprefix("// "))
                above += 1
            found.append(" ".join(comment).removeprefix("SAFETY: "))
    return found


def list_of_unsafe_blocks() -> str:
    rows = []
    total = 0
    for path in sorted((ROOT / "src").rglob("*.rs")):
        why = reasons(path.read_text(encoding="utf-8").splitlines())
        total += len(why)
        if why:
            shown = (reason.rstrip(".") + (f" (×{times})" if times > 1 else "") for reason, times in Counter(why).items())
            rows.append(f"| `{path.relative_to(ROOT)}` | {len(why)} | {'; '.join(shown).replace('|', chr(92) + '|')} |\n")
    return f"There are {total}:\n\n| file | blocks | why they are sound |\n|---|---|---|\n{''.join(rows)}"


def unsafe_blocks(write: bool) -> None:
    document = ROOT / "CONTRIBUTING.md"
    text = document.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    listed, _, after = rest.partition(END)
    found = list_of_unsafe_blocks()
    if write:
        document.write_text(before + BEGIN + found + END + after, encoding="utf-8")
        return
    check("CONTRIBUTING.md lists the unsafe blocks that there are", "" if listed == found else f"run {Path(__file__).name} --write; found:\n{found}")
    outside, silent = [], []
    for path in sorted((ROOT / "src").rglob("*.rs")):
        name = str(path.relative_to(ROOT))
        lines = path.read_text(encoding="utf-8").splitlines()
        code = [line for line in lines if not line.lstrip().startswith("//")]
        if any(re.search(r"\bunsafe\b", line) for line in code) and not re.fullmatch(MAY_BE_UNSAFE, name):
            outside.append(name)
        silent += [name for reason in reasons(lines) if not reason]
    check("unsafe code is in src/ffi and the vector back ends alone", ", ".join(outside))
    check("every unsafe block says why it is sound", ", ".join(silent))
    sample = ["// SAFETY: a", "// b.", "let x = unsafe { f() };", "// unsafe {", "let y = unsafe { g() };"]
    check("a block is found with its reason", "" if reasons(sample)[0] == "a b." else f"it is {reasons(sample)}")


# ---- the crates that a release is made of or with ----

LICENCES = {"MIT", "Apache-2.0", "Unlicense", "Zlib", "BSD-2-Clause", "BSD-3-Clause", "Unicode-3.0", "ISC"}


def allowed(expression: str) -> bool:
    """Whether a licence expression can be met by LICENCES alone."""
    words = re.sub(r"([()])", r" \1 ", expression.replace("/", " OR ")).split()
    python = " ".join(
        {"OR": "or", "AND": "and", "(": "(", ")": ")"}.get(word, str(word in LICENCES)) for word in words
    )
    return bool(words) and bool(eval(python, {"__builtins__": {}}))  # of "True", "False", "and", "or" and brackets


def crates() -> None:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        check("cargo names the crates", done.stderr)
        return
    metadata = json.loads(done.stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    linked, rest = set(), [metadata["resolve"]["root"]]
    while rest:
        crate = rest.pop()
        if crate not in linked:
            linked.add(crate)
            rest += [dep["pkg"] for dep in nodes[crate]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])]
    names = Counter(packages[crate]["name"] for crate in linked)
    wrong = [f"{packages[crate]['name']}: {packages[crate]['license']}" for crate in linked if not allowed(packages[crate]["license"] or "")]
    check(f"the {len(linked)} crates of a release have licences that go with MIT", ", ".join(wrong))
    check("no crate of a release is there in two versions", ", ".join(name for name, versions in names.items() if versions > 1))
    elsewhere = [package["name"] for package in packages.values() if package["source"] and not package["source"].startswith("registry+")]
    check("every crate is from a registry", ", ".join(elsewhere))
    table = (ROOT / "README.md").read_text(encoding="utf-8").split("## Dependencies")[1].split("\n\n")[1]
    named = set(re.findall(r"^\| `([\w-]+)` \|", table, flags=re.MULTILINE))
    direct = {dep["name"] for dep in packages[metadata["resolve"]["root"]]["dependencies"] if dep["kind"] is None}
    check("the README names the crates that the library depends on", ", ".join(sorted(named ^ direct)))
    bad = "" if not allowed("GPL-3.0-only") and not allowed("MIT AND GPL-3.0-only") and allowed("GPL-2.0 OR MIT") and not allowed("") else "it is not"
    check("a licence that is not allowed is found out", bad)


def main() -> None:
    if sys.argv[1:] == ["--write"]:
        unsafe_blocks(write=True)
        return
    host_faults()
    unsafe_blocks(write=False)
    crates()
    print(f"{RESULTS[True]} passed, {RESULTS[False]} failed, 0 skipped")
    sys.exit(RESULTS[False] > 0)


if __name__ == "__main__":
    main()
