"""Ten thousand compactions, and nothing is left of them; the garbage collector is not even needed."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import compactions
import pytest

MOST_BYTES = 250_000  # 25 bytes for each of them: less than the shortest text that could be forgotten
LEAK = "kept on purpose"

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="python memory: there is no /proc/self/statm here"
)


def grows_by(kind: str) -> int:
    program = [sys.executable, Path(compactions.__file__), kind]
    done = subprocess.run(program, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.mark.parametrize("kind", [kind for kind in compactions.KINDS if kind != LEAK])
def test_memory_does_not_grow_with_compactions(kind: str) -> None:
    assert grows_by(kind) < MOST_BYTES


def test_a_leak_would_be_seen() -> None:
    assert grows_by(LEAK) > 40 * MOST_BYTES
