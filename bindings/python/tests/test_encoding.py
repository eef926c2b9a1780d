"""What the encoder is given: values that JSON has no words for, and encoders other than the standard library's."""
from __future__ import annotations

import datetime
import json
import math
from typing import Any

import orjson
import pytest
import tn_compactor
from conversation import SYSTEM, long, same_objects
from tn_compactor import Compactor, TranscriptError

COMPACTOR = Compactor(max_tokens=300)


def with_a(value: Any) -> list[dict[str, Any]]:
    return [*long(), {"role": "user", "content": value}]


def cyclic() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def deep() -> list[Any]:
    made: list[Any] = []
    for _ in range(200_000):
        made = [made]
    return made


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (math.nan, ValueError),
        (math.inf, ValueError),
        (cyclic(), ValueError),
        (object(), TypeError),
        ({1, 2}, TypeError),
        (b"bytes", TypeError),
        ({(1, 2): 3}, TypeError),
        (datetime.date(2020, 1, 1), TypeError),
    ],
    ids=["NaN", "infinity", "cycle", "object", "set", "bytes", "tuple as key", "date"],
)
def test_a_value_that_json_cannot_hold_is_the_encoders_own_error(value: Any, error: type[Exception]) -> None:
    messages = with_a(value)
    for call in (
        lambda: COMPACTOR.plan(messages),
        lambda: COMPACTOR.apply(messages, lambda older: "s"),
        lambda: tn_compactor.estimate_tokens(messages),
    ):
        with pytest.raises(error) as raised:
            call()
        assert not isinstance(raised.value, tn_compactor.CompactorError)


def test_a_value_nested_too_deep_for_the_encoder_is_its_own_error() -> None:
    messages = with_a(deep())
    with pytest.raises(RecursionError):
        COMPACTOR.plan(messages)


def test_lone_surrogates_are_legal_and_count_one() -> None:
    pair = [{"role": "user", "content": "\ud83d\ude00" + "x" * 100}]
    assert tn_compactor.estimate_tokens(pair) == tn_compactor.estimate_tokens([{"role": "user", "content": "x" * 101}])
    messages = with_a("half of an emoji \ud83d and the other \ude00")
    result = COMPACTOR.apply(messages, lambda older: f"quoting {messages[-1]['content']}")
    assert result is not None and result[-1] is messages[-1]
    assert "\ud83d" in result[1]["content"]


def test_integers_of_any_length_are_kept_and_counted_by_their_digits() -> None:
    last = {"role": "user", "content": "n", "number": 10**3000}
    result = COMPACTOR.apply([*long(), last], lambda older: "s")
    assert result is not None and result[-1] is last
    assert tn_compactor.estimate_tokens([last]) == math.ceil(len(json.dumps(last, separators=(",", ":"))) / 4)


def test_the_estimate_is_that_of_the_messages_compact_text() -> None:
    messages = [SYSTEM, *with_a('quo"te \\ \n \x01 \x7f é 缓存 🚀 \u2028')]
    written = [json.dumps(message, separators=(",", ":"), ensure_ascii=False) for message in messages]
    assert tn_compactor.estimate_tokens(messages) == sum(math.ceil(len(text) / 4) for text in written)


def test_another_encoder_takes_the_place_of_the_standard_librarys() -> None:
    expected = COMPACTOR.plan(long())
    calls: list[Any] = []

    def dumps(value: Any) -> bytes:
        calls.append(value)
        return orjson.dumps(value)

    messages = long()
    plan = Compactor(max_tokens=300, dumps=dumps).plan(messages)
    assert repr(plan) == repr(expected)
    assert len(calls) == 1 and same_objects(calls[0], messages)
    for writer in (orjson.dumps, lambda value: json.dumps(value, indent=2, ensure_ascii=False)):
        assert tn_compactor.estimate_tokens(messages, dumps=writer) == expected.tokens


def test_what_another_encoder_raises_arrives_as_itself() -> None:
    with pytest.raises(orjson.JSONEncodeError):
        Compactor(max_tokens=300, dumps=orjson.dumps).plan(with_a(2**64))


def test_an_encoder_that_writes_no_json_is_found_out() -> None:
    with pytest.raises(TranscriptError, match="byte") as raised:
        Compactor(max_tokens=300, dumps=repr).plan(long())
    assert raised.value.status == "TN_ERR_JSON"
    with pytest.raises(TypeError):
        Compactor(max_tokens=300, dumps=lambda value: None).plan(long())  # type: ignore[arg-type, return-value]
