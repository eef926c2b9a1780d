"""What the documents show of Python. The section in the main README is followed word by word from an empty folder."""
from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from conversation import BINDING, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_stranger_who_follows_the_section_gets_what_it_shows(tmp_path: Path) -> None:
    section = re.search(r"<!-- python -->\n(.*?)<!-- /python -->", README, re.S)
    assert section, "README.md has no section between <!-- python --> and <!-- /python -->"
    blocks = re.findall(r"```(\w+)\n(.*?)```", section[1], re.S)
    shell = "".join(text for language, text in blocks if language == "sh")
    (program,) = (text for language, text in blocks if language == "python")
    (shown,) = (text for language, text in blocks if language == "text")
    name = re.search(r"`(\w+\.py)`", section[1])
    assert name, "the section says how the program is called"

    # Beside the checkout, whatever folder that is in.
    (tmp_path / "tn_compactor").symlink_to(ROOT)
    empty = tmp_path / "garden"
    empty.mkdir()
    (empty / name[1]).write_text(program, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key not in ("VIRTUAL_ENV", "PYTHONPATH")}
    environment["PATH"] = f"{Path(sys.base_prefix) / 'bin'}:{environment['PATH']}"
    done = subprocess.run(
        ["bash", "-eu", "-c", shell], cwd=empty, env=environment, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(shown)


def test_the_bindings_own_page_shows_the_same_program() -> None:
    program = re.search(r"<!-- python -->\n.*?(```python\n.*?```).*?<!-- /python -->", README, re.S)
    assert program and program[1] in (BINDING / "README.md").read_text(encoding="utf-8")


def test_the_blocks_of_the_page_are_one_program_that_prints_what_it_shows(tmp_path: Path) -> None:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", (ROOT / "docs" / "python.md").read_text(encoding="utf-8"), re.S | re.M)
    assert {language for language, _ in blocks} == {"python", "text"}
    program = "".join(text for language, text in blocks if language == "python")
    shown = "".join(text for language, text in blocks if language == "text")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown
