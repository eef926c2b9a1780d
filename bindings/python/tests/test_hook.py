"""The hook: what it gives, what it leaves alone, and what it raises."""
from __future__ import annotations

import asyncio
import contextvars
import inspect
from typing import Any

import pytest
import tn_compactor
from conversation import SYSTEM, long, same_objects, turn, turns
from tn_compactor import FLUSH_REMINDER, SUMMARY_PREFIX, OptionsError, SummaryError, TranscriptError, compactor


def run(hook: Any, messages: Any) -> list[Any] | None:
    answer = asyncio.run(hook({"messages": messages, "tools": [], "model": "m", "turn": 0}))
    if answer is None:
        return None
    assert list(answer) == ["messages"]
    return answer["messages"]  # type: ignore[no-any-return]


def never(_older: Any) -> str:
    raise AssertionError("nothing is to be summarized")


def test_the_signature_is_that_of_the_port_with_more_options_behind() -> None:
    parameters = inspect.signature(compactor).parameters
    assert [(p.name, p.default) for p in list(parameters.values())[:5]] == [
        ("max_tokens", inspect.Parameter.empty),
        ("summarize", inspect.Parameter.empty),
        ("keep_tail", None),
        ("count_tokens", None),
        ("flush_to_memory", False),
    ]
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in parameters.values())
    assert inspect.iscoroutinefunction(compactor(max_tokens=1, summarize=never))


def test_under_budget_and_at_the_budget_nothing_changes() -> None:
    messages = long()
    tokens = tn_compactor.estimate_tokens(messages)
    assert run(compactor(max_tokens=tokens, summarize=never), messages) is None
    assert run(compactor(max_tokens=tokens - 1, summarize=lambda older: "s"), messages) is not None


def test_the_new_list_is_fresh_and_holds_the_very_objects_that_were_kept() -> None:
    messages = long()
    before = list(messages)
    asked: list[Any] = []

    def summarize(older: list[Any]) -> str:
        asked.extend(older)
        return "They talked."

    result = run(compactor(max_tokens=300, summarize=summarize), messages)
    assert result is not None and result is not messages
    assert same_objects(messages, before)
    tail = result[2:]
    assert 0 < len(tail) < len(messages) and tail[0]["role"] == "user"
    assert result[0] is messages[0]
    assert result[1] == {"role": "system", "content": SUMMARY_PREFIX + "They talked."}
    assert same_objects(asked + tail, messages[1:])


def test_a_type_that_json_knows_nothing_of_survives_where_dumps_does() -> None:
    class Text(str):
        pass

    number = 123456789012345678901234567890
    last = {"role": "user", "content": Text("Now?"), "number": number, "tuple": (1, 2)}
    result = run(compactor(max_tokens=300, summarize=lambda older: "s"), [*long(), last])
    assert result is not None and result[-1] is last
    assert type(last["content"]) is Text and last["number"] is number


def test_what_summarize_does_to_its_list_reaches_nobody() -> None:
    def summarize(older: list[Any]) -> str:
        count = len(older)
        older.clear()
        return f"{count} messages"

    messages = long()
    before = list(messages)
    result = run(compactor(max_tokens=300, summarize=summarize), messages)
    assert result is not None and same_objects(messages, before)


def test_messages_appended_while_the_summary_is_written_do_not_move_the_cut() -> None:
    messages = long()
    before = list(messages)

    async def summarize(_older: list[Any]) -> str:
        messages.extend(turn("Later."))
        del messages[:3]
        return "s"

    result = run(compactor(max_tokens=300, summarize=summarize), messages)
    assert result is not None and same_objects(result[2:], before[-len(result[2:]) :])


def test_summarize_may_be_a_function_a_coroutine_function_or_answer_with_a_future() -> None:
    async def coroutine(_older: Any) -> str:
        await asyncio.sleep(0)
        return "s"

    def future(_older: Any) -> Any:
        made = asyncio.get_running_loop().create_future()
        made.get_loop().call_soon(made.set_result, "s")
        return made

    results = [run(compactor(max_tokens=300, summarize=each), long()) for each in (lambda _older: "s", coroutine, future)]
    assert results[0] is not None and results[0] == results[1] == results[2]


def test_the_reminder_and_the_prefix_are_the_librarys_and_take_the_summarys_role() -> None:
    hook = compactor(max_tokens=300, summarize=lambda older: "s", flush_to_memory=True, summary_role="developer")
    result = run(hook, long())
    assert result is not None and result[1:3] == [
        {"role": "developer", "content": "[Summary of earlier conversation]\ns"},
        {"role": "developer", "content": FLUSH_REMINDER},
    ]
    assert FLUSH_REMINDER.startswith("Before continuing: ") and "—" in FLUSH_REMINDER


def test_a_keep_tail_of_zero_is_not_an_absent_one() -> None:
    by_default = run(compactor(max_tokens=300, summarize=lambda older: "s"), long())
    absent = run(compactor(max_tokens=300, keep_tail=None, summarize=lambda older: "s"), long())
    zero = run(compactor(max_tokens=300, keep_tail=0, summarize=lambda older: "s"), long())
    assert by_default is not None and absent is not None and zero is not None
    assert by_default == absent and len(zero) < len(absent)


def test_a_long_last_turn_is_cut_between_its_steps_and_keeps_its_request() -> None:
    request = {"role": "user", "content": "Read every file."}
    steps = [
        message
        for number in range(20)
        for message in (
            {
                "role": "assistant",
                "tool_calls": [{"id": f"c{number}", "type": "function", "function": {"name": "read", "arguments": "{}"}}],
            },
            {"role": "tool", "tool_call_id": f"c{number}", "content": "line " * 40},
        )
    ]
    messages = [SYSTEM, request, *steps]
    result = run(compactor(max_tokens=600, summarize=lambda older: "s"), messages)
    assert result is not None and result[2] is request and result[3]["role"] == "assistant"
    assert tn_compactor.estimate_tokens(result) <= 600
    whole_turns = run(compactor(max_tokens=600, summarize=lambda older: "s", split="turns"), messages)
    assert whole_turns is not None and len(whole_turns) == 2


def test_count_tokens_replaces_the_estimate_and_sees_the_very_objects() -> None:
    messages = long()
    seen: list[list[Any]] = []

    def count(some: list[Any]) -> int:
        seen.append(some)
        return 100 * len(some)

    result = run(compactor(max_tokens=1000, keep_tail=400, summarize=lambda older: "s", count_tokens=count), messages)
    assert result is not None and same_objects(result[2:], messages[-4:])
    assert same_objects(seen[0], messages)
    assert all(some and same_objects(some, messages[messages.index(some[0]) :][: len(some)]) for some in seen)


def test_the_count_sees_few_parts_of_a_long_transcript() -> None:
    messages = turns(2000, words=1)
    seen = 0

    def count(some: list[Any]) -> int:
        nonlocal seen
        seen += 1
        return len(some)

    assert run(compactor(max_tokens=1000, summarize=lambda older: "s", count_tokens=count), messages) is not None
    assert 1 < seen < 60


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u00a0", "\u3000\r\n", "\u2028\x85"])
def test_a_blank_summary_is_an_error_and_changes_nothing(blank: str) -> None:
    messages = long()
    before = list(messages)
    with pytest.raises(SummaryError, match="summary") as raised:
        run(compactor(max_tokens=300, summarize=lambda older: blank), messages)
    assert raised.value.status == "TN_ERR_CALLBACK" and isinstance(raised.value, ValueError)
    assert same_objects(messages, before)


@pytest.mark.parametrize("summary", ["\x1c", "\u200b", "\ud83d", "0"])
def test_what_is_blank_is_judged_by_unicode_white_space_alone(summary: str) -> None:
    result = run(compactor(max_tokens=300, summarize=lambda older: summary), long())
    assert result is not None and result[1]["content"] == SUMMARY_PREFIX + summary


@pytest.mark.parametrize("wrong", [None, 3, b"bytes", ["text"]])
def test_a_summary_that_is_no_text_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match=f"must be str, not {type(wrong).__name__}"):
        run(compactor(max_tokens=300, summarize=lambda older: wrong), long())


class Unavailable(Exception):
    pass


def test_what_summarize_raises_arrives_as_itself() -> None:
    raised = Unavailable("model")

    def sync(_older: Any) -> str:
        raise raised

    async def coroutine(_older: Any) -> str:
        await asyncio.sleep(0)
        raise raised

    for summarize in (sync, coroutine):
        with pytest.raises(Unavailable) as caught:
            run(compactor(max_tokens=300, summarize=summarize), long())
        assert caught.value is raised


@pytest.mark.parametrize("kind", [Unavailable, KeyboardInterrupt, SystemExit, asyncio.CancelledError, StopIteration])
def test_what_count_tokens_raises_arrives_as_itself(kind: type[BaseException], capfd: pytest.CaptureFixture[str]) -> None:
    raised = kind("from the count")
    calls = 0

    def count(some: list[Any]) -> int:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise raised
        return 100 * len(some)

    compact = tn_compactor.Compactor(max_tokens=300)
    with pytest.raises(kind) as caught:
        compact.plan(long(), count)
    assert caught.value is raised and calls == 2
    assert caught.traceback[-1].name == "count"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("answer", "error"), [(-1, ValueError), (2**64, ValueError), (1.5, TypeError), (None, TypeError), ("7", TypeError)]
)
def test_a_count_that_is_no_number_of_tokens_is_an_error(answer: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        run(compactor(max_tokens=300, summarize=never, count_tokens=lambda some: answer), long())


def test_counts_may_be_as_large_as_the_library_takes() -> None:
    huge = 2**64 - 1
    assert run(compactor(max_tokens=huge, summarize=never, count_tokens=lambda some: huge), long()) is None


def test_cancelling_the_task_cancels_the_summary_and_changes_nothing() -> None:
    messages = long()
    before = list(messages)
    cancelled = False

    async def main() -> None:
        nonlocal cancelled
        started = asyncio.Event()

        async def summarize(_older: Any) -> str:
            nonlocal cancelled
            started.set()
            try:
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled = True
                raise
            return "late"

        hook = compactor(max_tokens=300, summarize=summarize)
        task = asyncio.ensure_future(hook({"messages": messages}))
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        again = compactor(max_tokens=300, summarize=lambda older: "s")
        assert await again({"messages": messages}) is not None

    asyncio.run(main())
    assert cancelled and same_objects(messages, before)


def test_context_variables_reach_both_functions_in_each_task() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user")
    counted: set[str] = set()

    def count(some: list[Any]) -> int:
        counted.add(user.get())
        return 100 * len(some)

    async def summarize(_older: Any) -> str:
        await asyncio.sleep(0)
        return f"for {user.get()}"

    hook = compactor(max_tokens=300, summarize=summarize, count_tokens=count)

    async def of(name: str) -> str:
        user.set(name)
        answer = await hook({"messages": long()})
        assert answer is not None
        return str(answer["messages"][1]["content"])

    async def main() -> list[str]:
        return await asyncio.gather(*(of(name) for name in ("ada", "bob", "cyd")))

    assert asyncio.run(main()) == [SUMMARY_PREFIX + f"for {name}" for name in ("ada", "bob", "cyd")]
    assert counted == {"ada", "bob", "cyd"}


def test_an_option_that_is_not_allowed_is_refused_at_once_by_name() -> None:
    wrong: list[dict[str, Any]] = [
        {"max_tokens": -1},
        {"max_tokens": 1.5},
        {"max_tokens": "300"},
        {"max_tokens": True},
        {"max_tokens": 2**64},
        {"max_tokens": 300, "keep_tail": -1},
        {"max_tokens": 300, "flush_to_memory": "yes"},
        {"max_tokens": 300, "char_unit": "byte"},
        {"max_tokens": 300, "split": "lines"},
        {"max_tokens": 300, "summary_role": "tool"},
    ]
    for options in wrong:
        name = list(options)[-1]
        with pytest.raises(OptionsError, match=f'"{name}"') as raised:
            compactor(summarize=never, **options)
        assert raised.value.status == "TN_ERR_OPTIONS" and isinstance(raised.value, ValueError)
    with pytest.raises(TypeError, match="callable"):
        compactor(max_tokens=300, summarize=None)  # type: ignore[arg-type]


def test_a_transcript_that_is_none_is_refused_with_its_place() -> None:
    hook = compactor(max_tokens=0, summarize=never)
    with pytest.raises(TranscriptError, match=r"messages\[1\]") as raised:
        run(hook, [{"role": "user"}, "text"])
    assert raised.value.status == "TN_ERR_TRANSCRIPT" and isinstance(raised.value, ValueError)
    with pytest.raises(KeyError):
        asyncio.run(hook({}))
    assert run(hook, []) is None
    assert run(hook, ()) is None
