"""Compactors and plans without a hook."""
from __future__ import annotations

import copy
import gc
import pickle
import threading
from typing import Any

import pytest
import tn_compactor
from conversation import long, same_objects
from tn_compactor import Compactor, CompactorError, Plan, SummaryError


def test_a_plan_says_where_and_how_much() -> None:
    messages = long()
    plan = Compactor(max_tokens=300).plan(messages)
    assert plan.outcome == "compact" and plan.head_end == 1
    assert plan.tail_start == plan.request_start == plan.request_end < len(messages)
    assert plan.tokens == tn_compactor.estimate_tokens(messages)
    assert plan.tail_tokens == tn_compactor.estimate_tokens(messages[plan.tail_start :]) <= 150
    assert plan.older is not None and same_objects(plan.older, messages[1 : plan.tail_start])
    assert repr(plan).startswith("<Plan outcome='compact' head_end=1 ")


def test_a_plan_that_changes_nothing_says_why() -> None:
    plan = Compactor(max_tokens=100_000).plan(long())
    assert (plan.outcome, plan.older, plan.finish("s"), plan.tail_tokens) == ("under_budget", None, None, 0)


def test_a_plan_may_be_finished_again_and_after_a_failure() -> None:
    plan = Compactor(max_tokens=300).plan(long())
    with pytest.raises(SummaryError):
        plan.finish(" ")
    first, second = plan.finish("one"), plan.finish("two")
    assert first is not None and second is not None
    assert same_objects(first[2:], second[2:]) and first[1] != second[1] and first is not second


def test_a_plan_outlives_its_compactor_and_may_be_finished_on_another_thread() -> None:
    def made() -> Plan[dict[str, Any]]:
        return Compactor(max_tokens=300).plan(long())

    plan = made()
    gc.collect()
    results: list[Any] = []
    thread = threading.Thread(target=lambda: results.append(plan.finish("s")))
    thread.start()
    thread.join()
    assert results == [plan.finish("s")]


def test_apply_is_plan_and_finish() -> None:
    compactor, messages = Compactor(max_tokens=300), long()
    asked: list[Any] = []

    def summarize(older: list[Any]) -> str:
        asked.append(older)
        return "s"

    plan = compactor.plan(messages)
    assert compactor.apply(messages, summarize) == plan.finish("s")
    assert len(asked) == 1 and plan.older is not None and same_objects(asked[0], plan.older)
    assert Compactor(max_tokens=100_000).apply(messages, summarize) is None and len(asked) == 1


def test_any_iterable_of_messages_will_do() -> None:
    compactor, messages = Compactor(max_tokens=300), long()
    expected = compactor.apply(messages, lambda older: "s")
    assert compactor.apply(tuple(messages), lambda older: "s") == expected
    assert compactor.apply(iter(messages), lambda older: "s") == expected
    assert tn_compactor.estimate_tokens(iter(messages)) == tn_compactor.estimate_tokens(messages)


def test_an_error_survives_being_copied_and_pickled() -> None:
    with pytest.raises(CompactorError) as raised:
        Compactor(max_tokens=-1)
    error = raised.value
    for again in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (type(again), again.status, str(again)) == (type(error), error.status, str(error))


def test_an_unknown_unit_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"'byte'.*'utf16'"):
        tn_compactor.estimate_tokens([], char_unit="byte")  # type: ignore[arg-type]


def test_an_emoji_counts_by_the_unit() -> None:
    messages = [{"role": "user", "content": "🚀" * 400}]
    counted = [tn_compactor.estimate_tokens(messages, char_unit=unit) for unit in ("code_point", "utf16", "utf8")]
    bare = tn_compactor.estimate_tokens([{"role": "user", "content": ""}])
    assert [count - bare for count in counted] == [100, 200, 400]
