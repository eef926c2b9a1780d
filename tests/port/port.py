"""The hand-written Python port, run as its users run it: its hook, awaited, with a summarizer that records ``older``.

One amendment at a time can be put on it, to show that a single deliberate difference accounts for what the library does
otherwise: other leading instructions, and boundaries that are refused. Its own code decides all the same.
"""
from __future__ import annotations

import asyncio
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Collection, Optional

Message = dict[str, Any]
CountTokens = Callable[[list[Message]], int]


def _load() -> Any:
    """The port's module by its file: the package around it wants dependencies that this module does not."""
    for folder in sys.path:
        path = Path(folder) / "toolnexus" / "agents" / "compaction.py"
        if path.is_file():
            spec = importlib.util.spec_from_file_location("toolnexus_compaction", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise ImportError("the package toolnexus is not installed here: run tests/port/run.sh")


_port = _load()
_port_is_boundary = _port._is_boundary

carries_tool_result = _port._carries_tool_result
estimate_tokens: CountTokens = _port.estimate_tokens


@dataclass(frozen=True)
class Compaction:
    """What the hook returned, with the split read off it: the very same message objects stand before and after."""

    head_end: int
    tail_start: int
    older: list[Message]
    messages: list[Message]


def head_end(messages: list[Message]) -> int:
    """How many messages the port itself takes for leading instructions."""
    return 1 if messages and messages[0].get("role") == "system" else 0


class Hook:
    """The port's hook for one set of options."""

    def __init__(self, loop: asyncio.AbstractEventLoop, max_tokens: int, keep_tail: Optional[int],
                 flush_to_memory: bool, count_tokens: Optional[CountTokens]) -> None:
        self._loop = loop
        self._options = {"max_tokens": max_tokens, "keep_tail": keep_tail, "flush_to_memory": flush_to_memory}
        self._count_tokens = count_tokens

    def run(self, messages: list[Message], summary: str) -> Optional[Compaction]:
        """The port as it is."""
        return self._run(messages, summary, self._count_tokens)

    def run_amended(self, messages: list[Message], summary: str, leading: int, count_tokens: CountTokens,
                    refused: Collection[int]) -> Optional[Compaction]:
        """The port with ``leading`` leading instructions, and without the boundaries at the indices ``refused``.

        Other leading instructions are shown to the port as one stand-in message before the rest, of a role that it
        keeps (``system``); where there are none although it would pin the first message, the stand-in, of a role that
        it does not keep, takes that message's place. ``count_tokens`` is asked about the messages behind it.
        """
        taken_away = {id(messages[index]) for index in refused}
        shown, behind = messages, {}
        if leading != head_end(messages):
            stand_in: Message = {"role": "system" if leading else "assistant", "content": ""}
            covered = max(leading, 1)
            shown = [stand_in, *messages[covered:]]
            behind[id(stand_in)] = messages[:covered]

        def uncovered(seen: list[Message]) -> list[Message]:
            return [real for message in seen for real in behind.get(id(message), (message,))]

        def count(seen: list[Message]) -> int:
            return count_tokens(uncovered(seen))

        _port._is_boundary = lambda message: _port_is_boundary(message) and id(message) not in taken_away
        try:
            compaction = self._run(shown, summary, count)
        finally:
            _port._is_boundary = _port_is_boundary
        if compaction is None:
            return None
        older = uncovered(compaction.older)
        return Compaction(leading, leading + len(older), older, uncovered(compaction.messages))

    def _run(self, messages: list[Message], summary: str,
             count_tokens: Optional[CountTokens]) -> Optional[Compaction]:
        asked: list[list[Message]] = []

        async def summarize(older: list[Message]) -> str:
            asked.append(older)
            return summary

        hook = _port.compactor(summarize=summarize, count_tokens=count_tokens, **self._options)
        answer = self._loop.run_until_complete(hook({"messages": messages}))
        if answer is None:
            assert not asked, "the port summarized and then kept the transcript"
            return None
        (older,) = asked
        known = {id(message) for message in messages}
        head = next(index for index, message in enumerate(answer["messages"]) if id(message) not in known)
        return Compaction(head, head + len(older), older, answer["messages"])
