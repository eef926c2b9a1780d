"""Compacts transcripts over and over, and tells what the process holds before and after. tests/endurance/run judges it.

    python endurance.py TIMES FILE...
"""
from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
from pathlib import Path
from typing import Any

from tn_compactor import Compactor, OptionsError, estimate_tokens_json

kept: list[str] = []
leak = "TN_LEAK" in os.environ
loop = asyncio.new_event_loop()


class Transcript:
    def __init__(self, file: str) -> None:
        self.text = Path(file).read_text(encoding="utf-8")
        self.messages: list[Any] = json.loads(self.text)
        self.compactor = Compactor(max_tokens=estimate_tokens_json(self.text) // 2)


def recap(older: Any) -> str:
    return f"{len(older)} of it."


def fails(_older: Any) -> str:
    raise RuntimeError("the model is down")


async def cancelled(it: Transcript) -> None:
    """A summary that is waited for when its task is cancelled."""

    async def summarize() -> None:
        plan = it.compactor.plan(it.messages)
        await asyncio.sleep(60)
        plan.finish("too late")

    task = asyncio.ensure_future(summarize())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])


def compacted(turn: int, it: Transcript) -> Any:
    """One compaction: every fourth with a count of the host, every eighth of objects, every sixteenth after failures."""
    if turn % 16 == 0:
        for attempt, error in (
            (lambda: it.compactor.apply_json(it.text, fails), RuntimeError),
            (lambda: Compactor(max_tokens=-1), OptionsError),
        ):
            try:
                attempt()
            except error:
                continue
            raise AssertionError(f"no {error.__name__}")
        loop.run_until_complete(cancelled(it))
    if turn % 8 == 1:
        return it.compactor.apply(it.messages, recap)
    return it.compactor.apply_json(it.text, recap, estimate_tokens_json if turn % 4 == 0 else None)


def compact(transcripts: list[Transcript], times: int) -> None:
    for turn in range(times):
        result = compacted(turn, transcripts[turn % len(transcripts)])
        assert result is not None
        if leak and isinstance(result, str):
            kept.append(result + " ")  # a text of its own


def tell(when: str) -> None:
    gc.collect()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    descriptors, threads = (len(os.listdir(f"/proc/self/{kind}")) for kind in ("fd", "task"))
    print(f"{when}: {resident} KiB resident, {descriptors} descriptors, {threads} threads, {len(gc.get_objects())} objects", flush=True)


def main(times: int, files: list[str]) -> None:
    transcripts = [it for it in map(Transcript, files) if it.compactor.apply(it.messages, recap) is not None]
    compact(transcripts, times // 5)
    tell("before")
    compact(transcripts, times)
    tell("after")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
