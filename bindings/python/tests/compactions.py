"""Ten thousand compactions of one kind, without the garbage collector, and by how much the process has grown since the first
thousand. A process of its own, so that nothing fits into holes that something else has left.

    python compactions.py KIND
"""
from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conversation import turns
from tn_compactor import Compactor, SummaryError, compactor

COMPACTIONS = 10_000
WARM_UP = 1_000

MESSAGES = turns(6)
TEXT = json.dumps(MESSAGES)
COMPACTOR = Compactor(max_tokens=200)

loop = asyncio.new_event_loop()
kept: list[Any] = []


def raises(kind: type[Exception], call: Callable[[], Any]) -> None:
    try:
        call()
    except kind:
        return
    raise AssertionError(f"no {kind.__name__}")


def fails(_messages: Any) -> Any:
    raise RuntimeError("no")


async def at_once(_older: Any) -> str:
    await asyncio.sleep(0)
    return "s"


async def never(_older: Any) -> str:
    await asyncio.sleep(60)
    return "late"


counted_hook = compactor(max_tokens=200, summarize=at_once, count_tokens=lambda some: 50 * len(some))
waiting_hook = compactor(max_tokens=200, summarize=never)


async def cancelled() -> None:
    task = asyncio.ensure_future(waiting_hook({"messages": MESSAGES}))
    await asyncio.sleep(0)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return
    raise AssertionError("it was not cancelled")


KINDS: dict[str, Callable[[], Any]] = {
    "kept on purpose": lambda: kept.append(COMPACTOR.plan_json(TEXT)),
    "of objects": lambda: COMPACTOR.apply(MESSAGES, lambda older: "s"),
    "of objects, counted": lambda: COMPACTOR.apply(MESSAGES, lambda older: "s", lambda some: 50 * len(some)),
    "of text, counted": lambda: COMPACTOR.apply_json(TEXT, lambda older: "s", len),
    "planned and dropped": lambda: COMPACTOR.plan_json(TEXT),
    "planned, older read, finished": lambda: (plan := COMPACTOR.plan_json(TEXT), plan.older, plan.finish("s")),
    "with a compactor each": lambda: Compactor(max_tokens=200).plan(MESSAGES),
    "with options refused": lambda: raises(ValueError, lambda: Compactor(max_tokens=-1)),
    "with a summary that fails": lambda: raises(RuntimeError, lambda: COMPACTOR.apply_json(TEXT, fails)),
    "with a count that fails": lambda: raises(RuntimeError, lambda: COMPACTOR.plan(MESSAGES, fails)),
    "with a blank summary": lambda: raises(SummaryError, lambda: COMPACTOR.apply_json(TEXT, lambda older: " ")),
    "with text that is refused": lambda: raises(ValueError, lambda: COMPACTOR.plan_json(TEXT[:-1])),
    "awaited": lambda: loop.run_until_complete(counted_hook({"messages": MESSAGES})),
    "cancelled": lambda: loop.run_until_complete(cancelled()),
}


def resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def main(kind: str) -> None:
    work = KINDS[kind]
    # A cancelled task is a cycle of asyncio's own making.
    if kind != "cancelled":
        gc.disable()
    for _ in range(WARM_UP):
        work()
    before = resident()
    for _ in range(COMPACTIONS):
        work()
    print(resident() - before)


if __name__ == "__main__":
    main(sys.argv[1])
