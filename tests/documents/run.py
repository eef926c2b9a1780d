"""Holds what the documents say of the sources against the sources. The last line is N passed, N failed, N skipped."""
from __future__ import annotations

import re
import sys
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


def main() -> None:
    host_faults()
    print(f"{RESULTS[True]} passed, {RESULTS[False]} failed, 0 skipped")
    sys.exit(RESULTS[False] > 0)


if __name__ == "__main__":
    main()
