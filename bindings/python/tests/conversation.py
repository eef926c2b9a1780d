"""Small conversations for the tests, and what must hold of every new transcript."""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
BINDING = ROOT / "bindings" / "python"
CASES = sorted((ROOT / "tests" / "cases").glob("*.json"))

Message = dict[str, Any]

SYSTEM: Message = {"role": "system", "content": "You plan gardens."}


def turn(text: str, words: int = 40) -> list[Message]:
    """A question and a long answer: about ``5 * words / 4`` tokens."""
    return [{"role": "user", "content": text}, {"role": "assistant", "content": "word " * words}]


def turns(count: int, words: int = 40) -> list[Message]:
    return [message for number in range(count) for message in turn(f"Question {number} 缓存 🚀", words)]


def long() -> list[Message]:
    """Instructions and ten turns, of which some fit 300 tokens and all do not."""
    return [dict(SYSTEM), *turns(10)]


def same_objects(left: list[Any], right: list[Any]) -> bool:
    return len(left) == len(right) and all(one is other for one, other in zip(left, right, strict=True))


def real_transcripts() -> Path:
    return Path(os.environ.get("TN_TRANSCRIPTS") or ROOT.parent / "shared" / "transcripts")


def shown(messages: Any) -> str:
    """A transcript as a failing test shows it."""
    return "\n".join(f"[{index}] {json.dumps(message)[:160]}" for index, message in enumerate(messages or ()))
