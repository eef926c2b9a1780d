"""Compactors, and the estimate that they go by."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, AnyStr, Literal

from ._library import Call, check, ffi, lib, on_count_tokens, on_summarize, taken
from ._plan import JsonPlan, Message, Plan

__all__ = ["CharUnit", "Compactor", "Dumps", "Split", "SummaryRole", "estimate_tokens", "estimate_tokens_json"]

CharUnit = Literal["code_point", "utf16", "utf8"]
Split = Literal["steps", "turns"]
SummaryRole = Literal["system", "developer", "user", "assistant"]
Dumps = Callable[[Any], "str | bytes"]

_CHAR_UNITS: dict[str, int] = {"code_point": lib.TN_CODE_POINT, "utf16": lib.TN_UTF16, "utf8": lib.TN_UTF8}

# ASCII escapes are the fast road through the standard library, and the only one on which lone surrogates survive. An
# estimate does not depend on them. NaN is not JSON.
_dumps: Dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def _utf8(text: str | bytes) -> bytes:
    if isinstance(text, str):
        return text.encode()
    # cffi would also make text of a list, or of a buffer that another thread may write to.
    if not isinstance(text, bytes):
        raise TypeError(f"JSON text must be str or bytes, not {type(text).__name__}")
    return text


def _as_text(text: bytes) -> str:
    return text.decode()


def _as_it_is(text: bytes) -> bytes:
    return text


class Compactor:
    """What to do with transcripts: the options, checked. Immutable: threads and event loops may share it.

    :param max_tokens: compact only when the transcript counts more than this.
    :param keep_tail: token budget of the kept tail; half of ``max_tokens`` by default. 0 keeps as little as a safe cut can.
    :param flush_to_memory: add a reminder after the summary, to save to memory what is worth keeping.
    :param char_unit: what one character is, for the estimate.
    :param split: whether a turn that is too long alone may be cut between its ``"steps"``, or only between ``"turns"``.
    :param summary_role: the role of the summary message and of the reminder.
    :param dumps: writes messages as JSON; the standard library's encoder by default. May return str or bytes.
    :raises OptionsError: the text names the option, what was found and what is allowed.
    """

    __slots__ = ("_dumps", "_flush_to_memory", "_handle", "_summary_role")

    def __init__(
        self,
        *,
        max_tokens: int,
        keep_tail: int | None = None,
        flush_to_memory: bool = False,
        char_unit: CharUnit = "code_point",
        split: Split = "steps",
        summary_role: SummaryRole = "system",
        dumps: Dumps | None = None,
    ) -> None:
        options = {
            "max_tokens": max_tokens,
            "flush_to_memory": flush_to_memory,
            "char_unit": char_unit,
            "split": split,
            "summary_role": summary_role,
        }
        if keep_tail is not None:
            options["keep_tail"] = keep_tail
        text = _utf8(_dumps(options))
        compactor, error = ffi.new("tn_compactor **"), ffi.new("char **")
        check(lib.tn_compactor_new(text, len(text), compactor, error), error)
        self._handle = ffi.gc(compactor[0], lib.tn_compactor_free)
        self._dumps = dumps or _dumps
        self._summary_role = summary_role
        self._flush_to_memory = flush_to_memory

    def plan(
        self, messages: Iterable[Message], count_tokens: Callable[[list[Message]], int] | None = None
    ) -> Plan[Message]:
        """Plans where to cut these messages, which are encoded once and never decoded.

        The plan keeps a list of its own, so you may append to yours while you summarize.

        :param count_tokens: counts the tokens of some of the messages, in place of the estimate. It sees the whole list
            first and, over budget, a number of parts of it that grows with the logarithm of its length. It must not
            shrink when messages are added.
        :raises TranscriptError: the messages are no objects. What ``dumps`` and ``count_tokens`` raise passes through.
        """
        messages = list(messages)
        text = _utf8(self._dumps(messages))

        def show(_json: Any, _length: int, first: int, count: int) -> list[Message]:
            return messages[first : first + count]

        return Plan(self._plan(text, Call(show, count_tokens)), messages, self._summary_role, self._flush_to_memory)

    def apply(
        self,
        messages: Iterable[Message],
        summarize: Callable[[list[Message]], str],
        count_tokens: Callable[[list[Message]], int] | None = None,
    ) -> list[Message | dict[str, Any]] | None:
        """The new transcript, a fresh list of the kept messages and the summary; None where nothing changes.

        ``summarize`` gets the older messages, once, and only where there is something to summarize.
        """
        plan = self.plan(messages, count_tokens)
        older = plan.older
        return None if older is None else plan.finish(summarize(older))

    def plan_json(self, messages: AnyStr, count_tokens: Callable[[AnyStr], int] | None = None) -> JsonPlan[AnyStr]:
        """Plans where to cut a transcript in JSON text, ``str`` or UTF-8 ``bytes``. ``count_tokens`` gets JSON arrays."""
        as_text = _as_text if isinstance(messages, str) else _as_it_is
        return JsonPlan(self._plan(_utf8(messages), Call(_shown_as(as_text), count_tokens)), as_text)

    def apply_json(
        self,
        messages: AnyStr,
        summarize: Callable[[AnyStr], str],
        count_tokens: Callable[[AnyStr], int] | None = None,
    ) -> AnyStr | None:
        """The new transcript as JSON text, every kept message as it stood; None where nothing changes.

        Both functions get JSON arrays, as ``str`` or ``bytes`` like ``messages``, and are called on this thread.
        """
        as_text: Any = _as_text if isinstance(messages, str) else _as_it_is
        text = _utf8(messages)
        call = Call(_shown_as(as_text), count_tokens, summarize)
        user_data = ffi.new_handle(call)
        result, error = ffi.new("char **"), ffi.new("char **")
        status = lib.tn_compactor_apply(
            self._handle, text, len(text), on_summarize, _counting(call), user_data, result, error
        )
        compacted = taken(result)
        check(status, error, call)
        return None if compacted is None else as_text(compacted)

    def _plan(self, text: bytes, call: Call) -> Any:
        user_data = ffi.new_handle(call)
        plan, error = ffi.new("tn_plan **"), ffi.new("char **")
        status = lib.tn_plan_new(self._handle, text, len(text), _counting(call), user_data, plan, error)
        handle = ffi.gc(plan[0], lib.tn_plan_free)
        check(status, error, call)
        return handle


def _counting(call: Call) -> Any:
    return ffi.NULL if call.count_tokens is None else on_count_tokens


def _shown_as(as_text: Callable[[bytes], Any]) -> Callable[[Any, int, int, int], Any]:
    return lambda json, length, _first, _count: as_text(bytes(ffi.buffer(json, length)))


def estimate_tokens(
    messages: Iterable[Any], *, char_unit: CharUnit = "code_point", dumps: Dumps | None = None
) -> int:
    """Estimates the tokens of messages: of each a quarter of its characters in compact JSON, rounded up. No tokenizer."""
    return estimate_tokens_json((dumps or _dumps)(list(messages)), char_unit=char_unit)


def estimate_tokens_json(messages: str | bytes, *, char_unit: CharUnit = "code_point") -> int:
    """The same for a transcript in JSON text, however it is formatted and escaped."""
    if char_unit not in _CHAR_UNITS:
        raise ValueError(f"char_unit: found {char_unit!r}, allowed are {', '.join(map(repr, _CHAR_UNITS))}")
    text = _utf8(messages)
    tokens, error = ffi.new("uint64_t *"), ffi.new("char **")
    check(lib.tn_estimate_tokens(text, len(text), _CHAR_UNITS[char_unit], tokens, error), error)
    return int(tokens[0])
