"""Every small transcript of tests/cases, as objects and as text."""
from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import tn_compactor
from conversation import CASES, same_objects, shown
from tn_compactor import Compactor, SummaryError

GOOD_SUMMARY = "short recap"
SPLITS = ("steps", "turns")
ROLES = ("system", "developer", "user", "assistant")


class Case:
    def __init__(self, path: Path) -> None:
        case = json.loads(path.read_text(encoding="utf-8"))
        self.what: str = case["what"]
        self.options: dict[str, Any] = case["options"]
        self.summary: str | None = case.get("summary")
        self.error: str | None = case.get("summarize_error")
        self.tokens: dict[str, int] = case["tokens"]
        self.text: str = case.get("messages_text") or json.dumps(case["messages"], indent=1, ensure_ascii=False)
        self.messages: list[Any] = json.loads(self.text)
        # Where Python writes a number in another way than it stood, as 1.10, the objects count otherwise than the text.
        self.survives_python = "messages_text" not in case
        self._expect: dict[str, Any] = case["expect"]

    def expected(self, split: str) -> dict[str, Any]:
        return self._expect.get(split, self._expect)

    def summarize(self, _older: Any) -> str:
        if self.error is not None:
            raise RuntimeError(self.error)
        assert self.summary is not None
        return self.summary

    def is_blank(self) -> bool:
        return self.summary is not None and not self.summary.strip()


def every_case(test: Any) -> Any:
    return pytest.mark.parametrize("case", [pytest.param(Case(path), id=path.stem) for path in CASES])(test)


def test_there_are_as_many_cases_as_their_readme_says() -> None:
    readme = (CASES[0].parent / "README.md").read_text(encoding="utf-8")
    assert f"\n{len(CASES)} shapes" in readme


@every_case
def test_a_case_counts_as_expected_in_every_unit(case: Case) -> None:
    for unit, tokens in case.tokens.items():
        assert tn_compactor.estimate_tokens_json(case.text, char_unit=unit) == tokens  # type: ignore[arg-type]
        assert tn_compactor.estimate_tokens_json(case.text.encode(), char_unit=unit) == tokens  # type: ignore[arg-type]
        if case.survives_python:
            assert tn_compactor.estimate_tokens(case.messages, char_unit=unit) == tokens  # type: ignore[arg-type]


@pytest.mark.parametrize("split", SPLITS)
@every_case
def test_a_case_is_cut_where_expected(case: Case, split: str) -> None:
    expected = case.expected(split)
    compactor = Compactor(split=split, **case.options)  # type: ignore[arg-type]
    for plan in (compactor.plan(case.messages), compactor.plan_json(case.text)):
        found: dict[str, Any] = {"outcome": plan.outcome, "head_end": plan.head_end}
        if plan.outcome == "compact":
            found["tail_start"] = plan.tail_start
            kept = [plan.request_start, plan.request_end]
            found["request"] = kept if kept[0] < kept[1] else None
        else:
            assert (plan.tail_start, plan.older, plan.finish(GOOD_SUMMARY)) == (plan.head_end, None, None)
        assert found == expected, f"{case.what}\n{shown(case.messages)}"
        if case.survives_python or plan.older is None or isinstance(plan.older, str):
            assert plan.tokens == case.tokens["code_point"]


@pytest.mark.parametrize("split", SPLITS)
@every_case
def test_a_case_is_the_same_from_objects_and_from_text(case: Case, split: str) -> None:
    for role in ROLES:
        for flush_to_memory in (False, True):
            compactor = Compactor(
                split=split, summary_role=role, flush_to_memory=flush_to_memory, **case.options  # type: ignore[arg-type]
            )
            asked: list[str] = []

            def summarize(older: str) -> str:
                asked.append(older)
                return GOOD_SUMMARY

            plan, text_plan = compactor.plan(case.messages), compactor.plan_json(case.text)
            applied = compactor.apply_json(case.text, summarize)
            assert text_plan.finish(GOOD_SUMMARY) == applied
            assert asked == ([] if text_plan.older is None else [text_plan.older])

            finished = plan.finish(GOOD_SUMMARY)
            if finished is None or applied is None:
                assert finished is None and applied is None
                continue
            assert finished == json.loads(applied), f"{case.what}\n{shown(case.messages)}"
            assert plan.older == json.loads(asked[0])
            assert same_objects(plan.older, case.messages[plan.head_end : plan.tail_start])
            new = plan.head_end + (2 if flush_to_memory else 1)
            assert same_objects(finished[: plan.head_end], case.messages[: plan.head_end])
            assert same_objects(
                finished[new:],
                case.messages[plan.request_start : plan.request_end] + case.messages[plan.tail_start :],
            )


@pytest.mark.parametrize("split", SPLITS)
@every_case
def test_a_case_ends_as_its_summary_does(case: Case, split: str) -> None:
    expected = case.expected(split)
    before = list(case.messages), json.dumps(case.messages)
    hook = tn_compactor.compactor(summarize=case.summarize, split=split, **case.options)  # type: ignore[arg-type]
    compactor = Compactor(split=split, **case.options)  # type: ignore[arg-type]
    roads = (
        lambda: asyncio.run(hook({"messages": case.messages})),
        lambda: compactor.apply(case.messages, case.summarize),
        lambda: compactor.apply_json(case.text, case.summarize),
    )
    for road in roads:
        if expected["outcome"] != "compact":
            assert road() is None
        elif case.error is not None:
            with pytest.raises(RuntimeError, match=f"^{case.error}$"):
                road()
        elif case.is_blank():
            with pytest.raises(SummaryError):
                road()
        else:
            result: Any = road()
            messages = json.loads(result) if isinstance(result, str) else result
            if isinstance(messages, dict):
                messages = messages["messages"]
            content = messages[expected["head_end"]]["content"]
            assert content == f"[Summary of earlier conversation]\n{case.summary}"
    assert same_objects(before[0], case.messages) and before[1] == json.dumps(case.messages)
