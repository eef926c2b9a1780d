"""The JSON road: text in, text out."""
from __future__ import annotations

import contextvars
import json
import signal
from typing import Any

import pytest
import tn_compactor
from conversation import long
from tn_compactor import FLUSH_REMINDER, Compactor, SummaryError, TranscriptError

COMPACTOR = Compactor(max_tokens=300)


def text() -> str:
    return json.dumps(long(), ensure_ascii=False)


def never(_older: Any) -> str:
    raise AssertionError("nothing is to be summarized")


def test_kept_messages_are_the_inputs_own_text() -> None:
    odd = '{ "role":"user", "zeta":1.10, "n":123456789012345678901234567890, "e":1e5, "content":"\\u00e9\\ud83d", "zeta":2 }'
    messages = text()[:-1] + ", " + odd + "]"
    result = COMPACTOR.apply_json(messages, lambda older: "s")
    assert result is not None and result.endswith("," + odd + "]")


def test_bytes_in_give_bytes_out_and_to_both_functions() -> None:
    kinds: set[type] = set()

    def run(messages: Any) -> Any:
        def count(some: Any) -> int:
            kinds.add(type(some))
            return 100 * len(json.loads(some))

        def summarize(older: Any) -> str:
            kinds.add(type(older))
            return f"{len(json.loads(older))} messages 缓存 🚀"

        result = COMPACTOR.apply_json(messages, summarize, count)
        assert {type(result)} == kinds == {type(messages)}
        plan = COMPACTOR.plan_json(messages, count)
        assert type(plan.older) is type(messages) and plan.older is not None
        assert plan.finish(f"{len(json.loads(plan.older))} messages 缓存 🚀") == result
        kinds.clear()
        return result

    assert run(text()).encode() == run(text().encode())


def test_the_result_is_what_the_objects_give() -> None:
    compactor = Compactor(max_tokens=300, flush_to_memory=True, summary_role="user")
    result = compactor.apply_json(text(), lambda older: 'a "quoted"\nsummary \x00 🚀')
    assert result is not None
    assert json.loads(result) == compactor.apply(long(), lambda older: 'a "quoted"\nsummary \x00 🚀')
    assert json.loads(result)[2] == {"role": "user", "content": FLUSH_REMINDER}


def test_under_budget_summarize_is_not_called() -> None:
    compactor = Compactor(max_tokens=100_000)
    assert compactor.apply_json(text(), never) is None
    plan = compactor.plan_json(text())
    assert (plan.outcome, plan.older, plan.finish("s")) == ("under_budget", None, None)


@pytest.mark.parametrize(
    ("messages", "status", "place"),
    [
        (b"[\xff]", "TN_ERR_UTF8", "byte 1"),
        ("[{]", "TN_ERR_JSON", "byte 2"),
        ("", "TN_ERR_JSON", "byte 0"),
        ("[NaN]", "TN_ERR_JSON", "byte 1"),
        ("{}", "TN_ERR_TRANSCRIPT", "messages"),
        ("[{},3]", "TN_ERR_TRANSCRIPT", r"messages\[1\]"),
    ],
)
def test_text_that_is_no_transcript_is_refused_with_its_place(messages: Any, status: str, place: str) -> None:
    for call in (
        lambda: COMPACTOR.apply_json(messages, never),
        lambda: COMPACTOR.plan_json(messages),
        lambda: tn_compactor.estimate_tokens_json(messages),
    ):
        with pytest.raises(TranscriptError, match=place) as raised:
            call()
        assert raised.value.status == status


def test_a_surrogate_that_utf_8_cannot_hold_is_pythons_own_error() -> None:
    for call in (
        lambda: COMPACTOR.apply_json('["\ud83d"]', never),
        lambda: tn_compactor.estimate_tokens_json("\ud83d"),
        lambda: COMPACTOR.apply_json(text(), lambda older: "\ud83d"),
        lambda: COMPACTOR.plan_json(text()).finish("\ud83d"),
    ):
        with pytest.raises(UnicodeEncodeError):
            call()


def test_something_that_is_no_text_is_a_type_error() -> None:
    for wrong in (None, 3, [], bytearray(b"[]"), memoryview(b"[]")):
        with pytest.raises(TypeError):
            COMPACTOR.plan_json(wrong)  # type: ignore[type-var]


@pytest.mark.parametrize("kind", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_a_function_raises_arrives_as_itself(kind: type[BaseException], capfd: pytest.CaptureFixture[str]) -> None:
    raised = kind("from the function")

    def function(_messages: Any) -> Any:
        raise raised

    for call in (
        lambda: COMPACTOR.apply_json(text(), function),
        lambda: COMPACTOR.apply_json(text(), never, function),
        lambda: COMPACTOR.plan_json(text(), function),
    ):
        with pytest.raises(kind) as caught:
            call()
        assert caught.value is raised
    assert COMPACTOR.apply_json(text(), lambda older: "s") is not None
    assert capfd.readouterr() == ("", "")


def test_an_interrupt_at_any_line_of_a_callback_is_raised_and_nothing_else_is() -> None:
    """Ctrl-C may come between two lines of the trampoline, outside of the host's function."""

    class Interrupted(BaseException):
        pass

    def interrupt(*_: Any) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    seen = 0
    try:
        for microseconds in range(1, 400):
            compacting = text()
            try:
                signal.setitimer(signal.ITIMER_REAL, microseconds / 1e6)
                COMPACTOR.apply_json(compacting, lambda older: "s", lambda some: len(some))
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupted:
                seen += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert seen > 0


def test_a_blank_summary_is_an_error() -> None:
    for call in (lambda: COMPACTOR.apply_json(text(), lambda older: "\u3000"), lambda: COMPACTOR.plan_json(text()).finish("")):
        with pytest.raises(SummaryError):
            call()


def test_a_summary_that_is_no_text_is_a_type_error() -> None:
    for wrong in (None, 3, b"bytes"):
        with pytest.raises(TypeError, match="must be str"):
            COMPACTOR.apply_json(text(), lambda older: wrong)  # type: ignore[arg-type, return-value]
        with pytest.raises(TypeError, match="must be str"):
            COMPACTOR.plan_json(text()).finish(wrong)  # type: ignore[arg-type]


def test_a_function_may_call_the_library() -> None:
    def summarize(older: str) -> str:
        inner = COMPACTOR.apply_json(text(), lambda _older: f"{tn_compactor.estimate_tokens_json(older)} tokens")
        assert inner is not None
        return inner

    result = COMPACTOR.apply_json(text(), summarize)
    assert result is not None and "tokens" in json.loads(result)[1]["content"]


def test_context_variables_are_the_callers_in_both_functions() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")
    user.set("ada")
    seen: set[str] = set()

    def count(some: str) -> int:
        seen.add(user.get())
        return len(some)

    def summarize(_older: str) -> str:
        seen.add(user.get())
        user.set("bob")
        return "s"

    assert COMPACTOR.apply_json(text(), summarize, count) is not None
    assert seen == {"ada"} and user.get() == "bob"


def test_a_transcript_of_any_depth_is_read() -> None:
    deep = '[{"role":"user","content":' + "[" * 100_000 + "]" * 100_000 + "}]"
    assert tn_compactor.estimate_tokens_json(deep) > 40_000
