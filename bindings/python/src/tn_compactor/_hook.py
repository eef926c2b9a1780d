"""The compactor as a hook that an agent's loop awaits before it calls the model."""
from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from ._compactor import CharUnit, Compactor, Dumps, Split, SummaryRole

__all__ = ["BeforeLLM", "CountTokens", "Summarize", "compactor"]

Summarize = Callable[[list[Any]], "str | Awaitable[str]"]
CountTokens = Callable[[list[Any]], int]
BeforeLLM = Callable[[Mapping[str, Any]], Coroutine[Any, Any, "dict[str, Any] | None"]]


def compactor(
    *,
    max_tokens: int,
    summarize: Summarize,
    keep_tail: int | None = None,
    count_tokens: CountTokens | None = None,
    flush_to_memory: bool = False,
    char_unit: CharUnit = "code_point",
    split: Split = "steps",
    summary_role: SummaryRole = "system",
    dumps: Dumps | None = None,
) -> BeforeLLM:
    """A ``before_llm`` hook: ``await hook({"messages": [...]})`` gives ``{"messages": [...]}``, or None: keep yours.

    The list is a fresh one. What is kept in it are the very objects of the event's list, which is not changed. Tasks on
    several event loops and threads may share one hook.

    :param summarize: gets the older messages and answers with the summary, a str. It may be a coroutine function: it is
        awaited where the hook is, so cancelling that task cancels it, and the transcript stays as it was.
    :param count_tokens: counts the tokens of some of the messages, in place of the estimate. See `Compactor.plan`.

    The other parameters are those of `Compactor`.

    :raises OptionsError: at once. What the hook raises: TranscriptError, SummaryError, and as themselves the exceptions
        of ``summarize``, ``count_tokens`` and ``dumps``.
    """
    if not callable(summarize):
        raise TypeError(f"summarize must be callable, not {type(summarize).__name__}")
    planning = Compactor(
        max_tokens=max_tokens,
        keep_tail=keep_tail,
        flush_to_memory=flush_to_memory,
        char_unit=char_unit,
        split=split,
        summary_role=summary_role,
        dumps=dumps,
    )

    async def before_llm(event: Mapping[str, Any]) -> dict[str, Any] | None:
        plan = planning.plan(event["messages"], count_tokens)
        older = plan.older
        if older is None:
            return None
        summary = summarize(older)
        if inspect.isawaitable(summary):
            summary = await summary
        return {"messages": plan.finish(summary)}

    return before_llm
