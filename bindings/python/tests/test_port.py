"""The hook held against the one it takes the place of, with ``split="turns"``, on thousands of generated transcripts.

Generator, port and the reasons why the two may differ are those of tests/port: a difference must be one that the README
lists, and the hook must then do exactly what that row says.
"""
from __future__ import annotations

import asyncio
import importlib.util
import os
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import tn_compactor
from conversation import same_objects, shown

if importlib.util.find_spec("toolnexus") is None:
    pytest.skip("python port: toolnexus needs Python 3.11", allow_module_level=True)

import differences
import generate
import port

SEED = int(os.environ.get("TN_PORT_SEED", "22"))
TRANSCRIPTS = int(os.environ.get("TN_PORT_COUNT", "3000"))
GROUP = 100
SUMMARY = 'The user asked, the model answered.\nOpen: "the 缓存" 🚀 \ud83d.'

_seen: Counter[str] = Counter()


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.close()


def options_at_random(number: int, total: int) -> list[dict[str, Any]]:
    rng = random.Random(f"{SEED}:{number}:options")
    chosen = []
    for _ in range(3):
        max_tokens = rng.choice((0, total // 10, total // 4, total // 2, 3 * total // 4, max(0, total - 1), total))
        keep_tail = rng.choice((None, None, 0, max_tokens // 4, max_tokens, rng.randint(0, total + 1)))
        chosen.append(
            {"max_tokens": max_tokens, "keep_tail": keep_tail, "flush_to_memory": rng.random() < 0.3}
        )
    return chosen


def compare(loop: asyncio.AbstractEventLoop, messages: list[Any], options: dict[str, Any], counting: bool) -> None:
    own_count = (lambda some: 7 * len(some) + port.estimate_tokens(some)) if counting else None
    ported = port.Hook(loop, options["max_tokens"], options["keep_tail"], options["flush_to_memory"], own_count)
    count = own_count or port.estimate_tokens
    case = differences.Case(messages, options["max_tokens"], options["keep_tail"], count)
    expected = differences.expect(ported, case, SUMMARY)
    asked: list[Any] = []

    async def summarize(older: list[Any]) -> str:
        asked.append(older)
        return SUMMARY

    hook = tn_compactor.compactor(summarize=summarize, count_tokens=own_count, split="turns", **options)
    answer = loop.run_until_complete(hook({"messages": messages}))

    assert expected.unexplained is None
    wanted = expected.compaction
    if wanted is None:
        assert answer is None and not asked
    else:
        assert answer is not None and len(asked) == 1
        assert same_objects(asked[0], wanted.older)
        assert answer["messages"] == wanted.messages
        mine = {id(message) for message in messages}
        kept = [[message for message in some if id(message) in mine] for some in (answer["messages"], wanted.messages)]
        assert same_objects(*kept)
    _seen["alike" if not expected.rows else "different"] += 1
    _seen["compacted" if wanted is not None else "unchanged"] += 1


@pytest.mark.parametrize("first", range(0, TRANSCRIPTS, GROUP))
def test_generated_transcripts_come_out_as_from_the_port(loop: asyncio.AbstractEventLoop, first: int) -> None:
    for number in range(first, min(first + GROUP, TRANSCRIPTS)):
        dialect, messages = generate.transcript(SEED, number)
        total = port.estimate_tokens(messages)
        assert tn_compactor.estimate_tokens(messages) == total, shown(messages)
        for index, options in enumerate(options_at_random(number, total)):
            try:
                compare(loop, messages, options, counting=index == 2)
            except AssertionError as error:
                where = f"transcript {number} of seed {SEED} ({dialect}), {options}"
                raise AssertionError(f"{where}\n{shown(messages)}") from error


def test_the_generated_transcripts_were_worth_it() -> None:
    """Both kinds of each occur often enough that the comparison says something."""
    assert all(_seen[kind] > TRANSCRIPTS // 10 for kind in ("alike", "different", "compacted", "unchanged")), _seen
