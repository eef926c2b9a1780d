"""Real transcripts replayed: message by message, compacted before each call of the model."""
from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from library import Library
from texts import compact


@dataclass
class Run:
    """What one replay came to. Sizes are shares of max_tokens."""

    compactions: int
    after: float
    at_a_call: float
    summarized: float
    over: float


def _is_the_models(message: dict[str, Any]) -> bool:
    role = message.get("role")
    if isinstance(role, str):
        return role in ("assistant", "model")
    return isinstance(message.get("type"), str) and not message["type"].endswith("_output")


def replay(library: Library, messages: Sequence[dict[str, Any]], max_tokens: int, keep_tail: int) -> Run:
    """The summary is as long as a twentieth of the budget allows."""
    summary = "x" * (max_tokens // 20 * 4)
    now: list[str] = []
    before: dict[str, Any] = {}
    summarized, after, at_calls = 0, [], []
    with library.compactor(max_tokens=max_tokens, keep_tail=keep_tail) as compactor:
        for message in messages:
            if now and _is_the_models(message) and not _is_the_models(before):
                plan = compactor.plan("[" + ",".join(now) + "]", summary)
                tokens = plan.tokens
                if plan.result is not None:
                    now = [compact(kept) for kept in json.loads(plan.result)]
                    tokens = library.estimate(plan.result)
                    summarized += library.estimate(plan.older or b"[]")
                    after.append(tokens / max_tokens)
                at_calls.append(tokens / max_tokens)
            now.append(compact(message))
            before = message
    return Run(
        compactions=len(after),
        after=statistics.median(after),
        at_a_call=statistics.mean(at_calls),
        summarized=summarized / library.estimate(compact(messages)),
        over=sum(share > 1 for share in at_calls) / len(at_calls),
    )
