"""Holds the library against the hand-written Python port, transcript by transcript, with ``split: "turns"``.

Where the two decide alike, split, ``older`` and the new messages must be equal. Where they do not, ``differences`` must
find exactly one row of the table of deliberate differences for each step from the port's decision to the library's, and
the library must decide exactly as that row has it. Token estimates must always be equal.

TN_PORT_SEED and TN_PORT_COUNT choose the transcripts made up, TN_PORT_ONLY one of them by its number.
"""
from __future__ import annotations

import asyncio
import json
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Optional

import dialects
import generate
import port
from dialects import Message
from differences import Case, Expectation, Row, expect, steps_may_differ
from library import Compactor, CompactorError, CountTokens, Library, Plan

SUMMARY = 'The user asked, the model answered.\nOpen: "the 缓存" 🚀.'
BLANK_SUMMARIES = ("", " ", "\n\t ", "\u00a0", "\u3000\r\n", "\u2028\x85")
# The shapes in which a user message can carry a result that the port does not see.
SHAPES_IN_USER_MESSAGES = ("Gemini contents", "Bedrock Converse", "Anthropic server tools", "Vercel AI SDK")
FAILURES_SHOWN = 10


def compact(value: Any, ensure_ascii: bool = False) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=ensure_ascii)


def written(messages: list[Message]) -> Iterator[tuple[str, str]]:
    """The transcript as a host may write it. Lone surrogates cannot be written but as escapes."""
    yield "escaped", compact(messages, ensure_ascii=True)
    text = compact(messages)
    if not any(0xD800 <= ord(character) <= 0xDFFF for character in text):
        yield "compact", text
    yield "pretty", json.dumps(messages, indent=2)


def some_other_count(messages: list[Message]) -> int:
    """A host's own count: it never shrinks as messages are added, and the sum of two is not the count of both."""
    return 5 * len(messages) + sum(len(compact(m, ensure_ascii=True)) for m in messages) // 3


class Comparison:
    """The two side by side, and the tally of what was seen."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.loop = asyncio.new_event_loop()
        self.passed = self.failed = self.skipped = 0
        self.decisions = 0
        self.agreed: Counter[str] = Counter()
        self.alone: Counter[Row] = Counter()
        self.together: Counter[Row] = Counter()
        self.shapes: Counter[str] = Counter()

    # One test is one transcript, under all its options.

    def check_transcript(self, name: str, messages: list[Message], options: list[dict[str, Any]]) -> None:
        problems = list(self.estimate_problems(messages))
        texts = list(written(messages))
        for number, chosen in enumerate(options):
            form, text = texts[number % len(texts)]
            for problem in self.decision_problems(messages, form, text, number, **chosen):
                problems.append(f"{chosen}, written {form}: {problem}")
        self.tell(name, problems, messages)

    def tell(self, name: str, problems: list[str], messages: Optional[list[Message]] = None) -> None:
        if not problems:
            self.passed += 1
            return
        self.failed += 1
        if self.failed > FAILURES_SHOWN:
            return
        print(f"FAIL {name}")
        for problem in problems[:5]:
            print(f"  {problem}")
        for index, message in enumerate(messages or ()):
            line = compact(message, ensure_ascii=True)
            line = line if len(line) <= 160 else line[:160] + " …"
            print(f"    [{index}] {port.estimate_tokens([message])} tokens: {line}")

    def estimate_problems(self, messages: list[Message]) -> Iterator[str]:
        ports = port.estimate_tokens(messages)
        for form, text in written(messages):
            ours = self.library.estimate(text)
            if ours != ports:
                yield f"estimate of the transcript, written {form}: {ours}, the port's {ports}"
        for index, message in enumerate(messages):
            ours, ports = self.library.estimate(compact([message], ensure_ascii=True)), port.estimate_tokens([message])
            if ours != ports:
                yield f"estimate of messages[{index}]: {ours}, the port's {ports}"

    def decision_problems(self, messages: list[Message], form: str, text: str, number: int, max_tokens: int,
                          keep_tail: Optional[int], flush_to_memory: bool, own_count: bool) -> Iterator[str]:
        self.decisions += 1
        if own_count:
            count, count_text = some_other_count, lambda json_text, _first, _count: some_other_count(
                json.loads(json_text))
        else:
            tokens = {id(message): port.estimate_tokens([message]) for message in messages}
            count, count_text = lambda seen: sum(tokens[id(message)] for message in seen), None
        case = Case(messages, max_tokens, keep_tail, count)
        hook = port.Hook(self.loop, max_tokens, keep_tail, flush_to_memory, count if own_count else None)
        expected = expect(hook, case, SUMMARY)
        if expected.unexplained:
            yield f"{expected.unexplained} (the port: {_outline(expected.ported)})"
            return

        options = {"max_tokens": max_tokens, "keep_tail": keep_tail, "flush_to_memory": flush_to_memory}
        with self.library.compactor(split="turns", **options) as compactor:
            plan = compactor.plan(text, SUMMARY, count_text)
            problems = list(_plan_problems(plan, expected, case, form))
            asked: list[tuple[bytes, int, int]] = []
            applied = compactor.apply(text, lambda *older: asked.append(older) or SUMMARY, count_text)
            if applied != plan.result:
                problems.append("applying at once gives another transcript than finishing the plan")
            if asked != ([] if plan.older is None else [(plan.older, plan.head_end, plan.tail_start - plan.head_end)]):
                problems.append("summarize was asked something else than the plan's older")
            if number % 3 == 0 and plan.outcome == "compact" and expected.ported is not None:
                problems += self.blank_summary_problems(compactor, text, count_text, hook, messages, number)
        with self.library.compactor(split="steps", **options) as compactor:
            problems += self.steps_problems(compactor.plan(text, SUMMARY, count_text), plan, expected, case)

        if problems:
            yield "; ".join(problems) + f" (the port: {_outline(expected.ported)}; {expected.because or 'no row'})"
            return
        self.count(expected, case)

    def count(self, expected: Expectation, case: Case) -> None:
        rows = set(expected.rows)
        for row in rows:
            (self.alone if len(rows) == 1 else self.together)[row] += 1
        for at in expected.foreign:
            for result in dialects.results(case.messages[at])[:1]:
                self.shapes[result.dialect] += 1
        if not rows:
            self.agreed[expected.outcome] += 1
        if expected.dead_calls:
            self.alone[Row.DEAD_CALL] += 1

    def blank_summary_problems(self, compactor: Compactor, text: str, count_text: Optional[CountTokens],
                               hook: port.Hook, messages: list[Message], number: int) -> Iterator[str]:
        blank = BLANK_SUMMARIES[number // 3 % len(BLANK_SUMMARIES)]
        ports = hook.run(messages, blank)
        if ports is None or not any(m.get("content") == dialects.SUMMARY_PREFIX + blank for m in ports.messages):
            yield f"the port refused the blank summary {blank!r}"
        for way, call in (("plan", lambda: compactor.plan(text, blank, count_text)),
                          ("apply", lambda: compactor.apply(text, lambda *_: blank, count_text))):
            try:
                call()
                yield f"{way} took the blank summary {blank!r}"
            except CompactorError as error:
                if error.status != "TN_ERR_CALLBACK":
                    yield f"{way} refused the blank summary {blank!r} with {error}"
        self.alone[Row.BLANK_SUMMARY] += 1

    def steps_problems(self, steps: Plan, turns: Plan, expected: Expectation, case: Case) -> Iterator[str]:
        """Between steps the tail may start only where the port keeps the turn whole over budget, or takes it away."""
        may_differ = steps_may_differ(case, expected)
        if may_differ is None or steps == turns:
            return
        if not may_differ:
            yield f"under steps the tail starts elsewhere although the port's split fits: {_outline_plan(steps)}"
            return
        messages = case.messages
        if steps.outcome != "compact":
            yield f"under steps less is compacted: {_outline_plan(steps)}"
            return
        pairs, _ = dialects.match(messages)
        across = dialects.pair_across(pairs, steps.tail_start)
        if across:
            yield f"under steps a pair lies across the cut at {steps.tail_start}: {across}"
        end = next((index + 1 for index in range(len(messages) - 1, steps.head_end - 1, -1)
                    if dialects.is_plain_user(messages[index])), None)
        if end is not None:
            start = end - 1
            while start > steps.head_end and dialects.is_plain_user(messages[start - 1]):
                start -= 1
            if (steps.request_start, steps.request_end) != (start, end):
                yield f"under steps the request {start}..{end} is not kept: {_outline_plan(steps)}"
        elif steps.request_start != steps.request_end:
            yield f"under steps a request is kept where there is none: {_outline_plan(steps)}"
        if not expected.rows:
            self.alone[Row.STEPS] += 1
        else:
            self.together[Row.STEPS] += 1

    # What is not about one transcript.

    def check_growth(self) -> None:
        """Four times the transcript: the port counts messages some sixteen times as often, the library about four."""
        seen: dict[str, list[int]] = {"port": [], "library": []}
        for turns in (250, 1000):
            messages = [{"role": role, "content": f"{turn:04d}"}
                        for turn in range(turns) for role in ("user", "assistant")]
            for who in seen:
                seen[who].append(0)

            def count(who: str, some: list[Message]) -> int:
                seen[who][-1] += len(some)
                return len(some)

            max_tokens = len(messages) // 2
            port.Hook(self.loop, max_tokens, None, False, lambda some: count("port", some)).run(messages, SUMMARY)
            with self.library.compactor(max_tokens=max_tokens, split="turns") as compactor:
                compactor.plan(compact(messages), SUMMARY, lambda text, *_: count("library", json.loads(text)))
        growth = {who: after / before for who, (before, after) in seen.items()}
        print(f"messages counted for 500 and 2000 messages: the port {seen['port']}, the library {seen['library']}")
        problems = []
        if growth["port"] < 12:
            problems.append(f"the port's counting grew only {growth['port']:.1f} times")
        if growth["library"] > 6:
            problems.append(f"the library's counting grew {growth['library']:.1f} times")
        if not problems:
            self.alone[Row.LINEAR] += 1
        self.tell("counting grows with the transcript, not with its square", problems)

    def check_rows_reached(self) -> None:
        print(f"{self.decisions} decisions; alike: {sum(self.agreed.values())} ({dict(self.agreed)})")
        print("deliberate differences, each alone / with others:")
        for row in Row:
            print(f"  {self.alone[row]:6} {self.together[row]:6}  {row.value}")
        print(f"results in user messages that the port does not see: {dict(self.shapes)}")
        for outcome in ("compact", "under_budget", "nothing_older"):
            self.tell(f"the two decide alike: {outcome}", [] if self.agreed[outcome] else ["it never occurred"])
        for row in Row:
            self.tell(f"a difference was seen alone: {row.value}", [] if self.alone[row] else ["it never occurred"])
        for shape in SHAPES_IN_USER_MESSAGES:
            self.tell(f"a result the port does not see: {shape}", [] if self.shapes[shape] else ["it never occurred"])


def _plan_problems(plan: Plan, expected: Expectation, case: Case, form: str) -> Iterator[str]:
    messages, wanted = case.messages, expected.compaction
    if plan.tokens != case.count_tokens(messages):
        yield f"tokens {plan.tokens}, the port's {case.count_tokens(messages)}"
    if plan.outcome != expected.outcome:
        yield f"outcome {plan.outcome}, expected {expected.outcome}"
    if expected.outcome != "under_budget" and plan.head_end != expected.head_end:
        yield f"head_end {plan.head_end}, expected {expected.head_end}"
    if (plan.request_start, plan.request_end) != (plan.tail_start, plan.tail_start):
        yield f"a request {plan.request_start}..{plan.request_end} is kept beside the tail at {plan.tail_start}"
    if wanted is None:
        if (plan.tail_start, plan.older, plan.result) != (plan.head_end, None, None):
            yield f"expected nothing to change: {_outline_plan(plan)}"
        return
    if plan.tail_start != wanted.tail_start:
        yield f"tail_start {plan.tail_start}, expected {wanted.tail_start}"
    if plan.older is None or plan.result is None:
        yield "expected a compaction"
        return
    tail = messages[wanted.tail_start:]
    if plan.tail_tokens != (case.count_tokens(tail) if tail else 0):
        yield f"tail_tokens {plan.tail_tokens}"
    if compact(json.loads(plan.older)) != compact(wanted.older):
        yield "older is another list than the port's"
    if compact(json.loads(plan.result)) != compact(wanted.messages):
        yield "the new messages are others than the port's"
    if form != "pretty":
        # Written without white space the port's messages are the input's own bytes.
        ascii_only = form == "escaped"
        if plan.older.decode() != compact(wanted.older, ascii_only):
            yield "older is not the input's own bytes"
        head, result = [compact(m, ascii_only) for m in messages[:wanted.head_end]], plan.result.decode()
        if not result.startswith("[" + "".join(f"{m}," for m in head)):
            yield "the leading instructions are not the input's own bytes"
        if not result.endswith("".join("," + compact(m, ascii_only) for m in tail) + "]"):
            yield "the tail is not the input's own bytes"


def _outline(compaction: Optional[port.Compaction]) -> str:
    return "unchanged" if compaction is None else f"older {compaction.head_end}..{compaction.tail_start}"


def _outline_plan(plan: Plan) -> str:
    return (f"{plan.outcome}, older {plan.head_end}..{plan.tail_start}, request {plan.request_start}.."
            f"{plan.request_end}, tail of {plan.tail_tokens} tokens")


def options_at_random(seed: int, number: int, messages: list[Message]) -> list[dict[str, Any]]:
    rng = random.Random(f"{seed}:{number}:options")
    total = port.estimate_tokens(messages)
    chosen = []
    for _ in range(5):
        max_tokens = rng.choice((0, total // 10, total // 4, total // 2, total // 2, 3 * total // 4, max(0, total - 1),
                                 total, rng.randint(0, total + 1)))
        # A suffix that fits to the token, or by one token does not.
        suffix = port.estimate_tokens(messages[rng.randint(0, len(messages)):])
        chosen.append({
            "max_tokens": max_tokens,
            "keep_tail": rng.choice((None, None, None, 0, 1, max_tokens // 4, max_tokens // 3, max_tokens, suffix,
                                     suffix, max(0, suffix - 1), rng.randint(0, total + 1))),
            "flush_to_memory": rng.random() < 0.3,
            "own_count": rng.random() < 0.15,
        })
    return chosen


def options_for_a_real_one(total: int) -> list[dict[str, Any]]:
    return [{"max_tokens": max_tokens, "keep_tail": keep_tail, "flush_to_memory": False, "own_count": False}
            for max_tokens in (total, max(0, total - 1), total // 2, total // 4, total // 10)
            for keep_tail in (None, 0, max_tokens // 4, 3 * max_tokens // 4)]


def main() -> int:
    try:
        library = Library()
    except OSError as error:
        print(f"FAIL the library cannot be loaded (make lib builds it): {error}")
        print("0 passed, 1 failed, 0 skipped")
        return 1
    comparison = Comparison(library)

    seed = int(os.environ.get("TN_PORT_SEED", "21"))
    only = os.environ.get("TN_PORT_ONLY")
    numbers = [int(only)] if only else range(int(os.environ.get("TN_PORT_COUNT", "4000")))
    print(f"library {library.version()}, seed {seed}, {len(numbers)} transcripts made up")
    for number in numbers:
        dialect, messages = generate.transcript(seed, number)
        comparison.check_transcript(f"transcript {number} of seed {seed} ({dialect})", messages,
                                    options_at_random(seed, number, messages))

    folder = Path(os.environ.get("TN_TRANSCRIPTS") or Path(__file__).resolve().parents[3] / "shared" / "transcripts")
    files = sorted(folder.glob("*/*.json")) if folder.is_dir() and not only else []
    print(f"{len(files)} real transcripts")
    for file in files:
        messages = json.loads(file.read_text(encoding="utf-8"))
        comparison.check_transcript(f"{file.parent.name}/{file.name}", messages,
                                    options_for_a_real_one(port.estimate_tokens(messages)))
    if not files and not only:
        comparison.skipped += 1
        print("SKIP real transcripts: there are none here")

    if not only:
        comparison.check_growth()
        comparison.check_rows_reached()
    print(f"{comparison.passed} passed, {comparison.failed} failed, {comparison.skipped} skipped")
    return 1 if comparison.failed else 0


if __name__ == "__main__":
    sys.exit(main())
