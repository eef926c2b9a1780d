"""What the library should decide where the port decides otherwise, and which deliberate difference says so.

The rows are those of the table "Deliberate differences from the hand-written ports" in the behaviour's description. A
row is never taken on trust: it is found by what stands in the transcript (``dialects``), and what follows from it is
found by running the port's own code with that one thing amended.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Optional

import dialects
import port
from dialects import Message


class Row(Enum):
    """One row of the table, by its column "here"."""

    STEPS = "a turn too long for the budget is split between its steps, its request kept"
    PAIR_ACROSS = "a boundary with a pair across it is refused"
    MORE_SHAPES = "results recognised in six more shapes"
    ALL_LEADING = "all leading `system` and `developer` messages kept"
    SUMMARY_NOT_LEADING = "a summary message is never a leading instruction"
    NOTHING_NEW = "nothing but summaries in `older` => unchanged"
    IN_FLIGHT = "a call in flight and no boundary => unchanged"
    DEAD_CALL = "a call followed by a user message instead of its result is taken for dead"
    LONE_REQUEST = "a lone unanswered request => unchanged"
    BLANK_SUMMARY = "a blank summary is an error"
    LINEAR = "linear"


@dataclass(frozen=True)
class Case:
    """One transcript under one set of options."""

    messages: list[Message]
    max_tokens: int
    keep_tail: Optional[int]
    count_tokens: port.CountTokens


@dataclass
class Expectation:
    """What the library has to answer, and how the port's answer leads there."""

    outcome: str
    head_end: int
    compaction: Optional[port.Compaction] = None
    """What the port, amended, returned; None where nothing is to change."""
    split: Optional[port.Compaction] = None
    """The same, before it was asked whether it frees anything."""
    ported: Optional[port.Compaction] = None
    """What the port, as it is, returned."""
    rows: list[Row] = field(default_factory=list)
    because: list[str] = field(default_factory=list)
    foreign: list[int] = field(default_factory=list)
    """User messages that the port took for boundaries although they carry a result."""
    unexplained: Optional[str] = None
    dead_calls: list[int] = field(default_factory=list)
    """Calls in what is summarized that a plain user message follows instead of their result."""


def expect(hook: port.Hook, case: Case, summary: str) -> Expectation:
    messages = case.messages
    head_end = dialects.leading_instructions(messages)
    ported = hook.run(messages, summary)
    if case.count_tokens(messages) <= case.max_tokens:
        found = Expectation("under_budget", head_end)
        if ported is not None:
            found.unexplained = "the port compacts under budget"
        return found

    found = Expectation("compact", head_end, ported=ported)
    _amend_head(found, messages)
    found.split = split = _amend_boundaries(found, hook, case, summary)
    if split is None:
        found.outcome = "nothing_older"
    else:
        _amend_outcome(found, messages, split)
    found.compaction = split if found.outcome == "compact" else None

    if _same(ported, found.compaction):
        # Nothing differs, so nothing is to be explained: what was amended came to the same.
        found.rows, found.because, found.foreign = [], [], []
        if split is not None and found.outcome == "compact":
            _, unanswered = dialects.match(messages)
            found.dead_calls = [call for call in unanswered if call + 1 <= split.tail_start and call + 1 < len(messages)
                                and dialects.is_plain_user(messages[call + 1])]
    elif not found.rows:
        found.unexplained = "no row of the table accounts for it"
    return found


def _same(left: Optional[port.Compaction], right: Optional[port.Compaction]) -> bool:
    if left is None or right is None:
        return left is right
    return (left.head_end, left.tail_start) == (right.head_end, right.tail_start)


def _explain(found: Expectation, row: Row, why: str) -> None:
    found.rows.append(row)
    found.because.append(f"{row.value}: {why}")


def _amend_head(found: Expectation, messages: list[Message]) -> None:
    """Leading instructions: the port keeps the first message if it is a system message, and nothing else."""
    ports = port.head_end(messages)
    if found.head_end == ports:
        return
    if ports == 1 and found.head_end == 0 and dialects.is_summary(messages[0]):
        _explain(found, Row.SUMMARY_NOT_LEADING, "messages[0] is a summary message, which the port pins")
    elif found.head_end > ports and all(m["role"] in ("system", "developer") for m in messages[:found.head_end]):
        _explain(found, Row.ALL_LEADING, f"messages[{ports}..{found.head_end}] are leading instructions too")
    else:
        found.unexplained = f"the port keeps {ports} leading messages, the rules {found.head_end}"


def _amend_boundaries(found: Expectation, hook: port.Hook, case: Case,
                      summary: str) -> Optional[port.Compaction]:
    """The port's split, each boundary that it chooses and that must be refused taken from it, until one stands."""
    pairs, _ = dialects.match(case.messages)
    refused: list[int] = []
    while True:
        split = hook.run_amended(case.messages, summary, found.head_end, case.count_tokens, refused)
        if split is None or split.tail_start == len(case.messages):
            return split
        at = split.tail_start
        message = case.messages[at]
        foreign = [result.dialect for result in dialects.results(message)]
        across = dialects.pair_across(pairs, at)
        if foreign and not port.carries_tool_result(message):
            _explain(found, Row.MORE_SHAPES, f"messages[{at}] carries a result ({foreign[0]})")
            found.foreign.append(at)
        elif across and dialects.is_plain_user(message):
            _explain(found, Row.PAIR_ACROSS, f"the port cuts at {at}, between messages[{across.call}], a call, and "
                                             f"messages[{across.result}], its result")
        else:
            return split
        refused.append(at)


def _amend_outcome(found: Expectation, messages: list[Message], split: port.Compaction) -> None:
    older = messages[split.head_end:split.tail_start]
    new = [m for m in older if not dialects.is_summary(m) and not dialects.is_reminder(m)]
    empty_tail = split.tail_start == len(messages)
    _, unanswered = dialects.match(messages)
    in_flight = dialects.call_in_flight(messages, unanswered) if empty_tail else None
    unchanged = "nothing_new" if any(dialects.is_summary(m) for m in older) else "nothing_older"
    grounds = []
    if in_flight is not None:
        grounds.append(("call_in_flight", Row.IN_FLIGHT,
                        f"messages[{in_flight}] is a call still waiting, and no boundary stands"))
    if not new:
        grounds.append((unchanged, Row.NOTHING_NEW,
                        f"messages[{split.head_end}..{split.tail_start}] are summaries and reminders"))
    if empty_tail and len(new) == 1 and dialects.is_plain_user(new[0]):
        grounds.append((unchanged, Row.LONE_REQUEST, "the one request would be summarized before the model saw it"))
    for found.outcome, row, why in grounds:
        _explain(found, row, why)
    if len(grounds) > 1:
        found.unexplained = "more than one row accounts for the same difference"


def steps_may_differ(case: Case, found: Expectation) -> Optional[bool]:
    """Whether, under ``split: "steps"``, the tail may start elsewhere than between turns: the port's split, after
    the amendments, breaks the budget or takes the whole turn away. None where the tail budget itself is another one, so
    that the two cannot be compared.
    """
    head = case.messages[:found.head_end]
    instructions = case.count_tokens(head) if head else 0
    room = max(0, case.max_tokens - instructions)
    keep_tail = case.max_tokens // 2 if case.keep_tail is None else case.keep_tail
    if 4 * keep_tail > 3 * room:
        return None
    if found.outcome == "under_budget" or found.split is None:
        return False
    tail = case.messages[found.split.tail_start:]
    if not tail:
        return True
    tokens = case.count_tokens(tail)
    if tokens <= keep_tail:
        return False
    return found.outcome != "compact" or instructions + tokens > case.max_tokens
