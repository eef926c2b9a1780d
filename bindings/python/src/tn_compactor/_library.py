"""The shared library as Python sees it: text in and out, failures raised, the host's functions as C callbacks."""
from __future__ import annotations

import operator
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ._errors import CompactorError, OptionsError, SummaryError, TranscriptError
from ._native import ffi, lib

__all__ = [
    "Call",
    "FLUSH_REMINDER",
    "SUMMARY_PREFIX",
    "VERSION",
    "check",
    "ffi",
    "lib",
    "on_count_tokens",
    "on_summarize",
    "summary_in_utf8",
    "taken",
]

_ERRORS: dict[int, type[CompactorError]] = {
    lib.TN_ERR_OPTIONS: OptionsError,
    lib.TN_ERR_UTF8: TranscriptError,
    lib.TN_ERR_JSON: TranscriptError,
    lib.TN_ERR_TRANSCRIPT: TranscriptError,
    lib.TN_ERR_CALLBACK: SummaryError,
}


def _constant(text: Any) -> str:
    return str(ffi.string(text).decode())


VERSION = _constant(lib.tn_version())
SUMMARY_PREFIX = _constant(lib.tn_summary_prefix())
"""What the text of every summary message begins with."""
FLUSH_REMINDER = _constant(lib.tn_flush_reminder())
"""The text of the reminder that ``flush_to_memory`` adds after the summary."""


def taken(out: Any) -> bytes | None:
    """What the library wrote to a ``char **``, copied and freed; None where it wrote nothing."""
    if not out[0]:
        return None
    try:
        return bytes(ffi.string(out[0]))
    finally:
        lib.tn_string_free(out[0])


class Call:
    """The host's functions during one call into the library, and what one of them raised.

    They are shown what ``show`` makes of the place, the length, the first index and the count that a callback gets.
    """

    __slots__ = ("count_tokens", "raised", "show", "summarize")

    def __init__(
        self,
        show: Callable[[Any, int, int, int], Any],
        count_tokens: Callable[[Any], int] | None,
        summarize: Callable[[Any], str] | None = None,
    ) -> None:
        self.show = show
        self.count_tokens = count_tokens
        self.summarize = summarize
        self.raised: BaseException | None = None


def check(status: int, error: Any, call: Call | None = None) -> None:
    """Raises what a call of the host's functions raised, or else the library's own failure."""
    message = taken(error)
    if call is not None and call.raised is not None:
        # An exception refers to the frames it passed, and they to the call: left in it, only the collector could free them.
        raised, call.raised = call.raised, None
        try:
            raise raised
        finally:
            del raised
    if status == lib.TN_OK:
        return
    text = (message or b"").decode()
    if status == lib.TN_ERR_MEMORY:
        raise MemoryError(text)
    raise _ERRORS.get(status, CompactorError)(_constant(lib.tn_status_name(status)), text)


def _keep(_type: Any, error: BaseException, traceback: TracebackType) -> None:
    """Keeps what left a callback, be it the host's function or Ctrl-C between two of its lines, for ``check`` to raise.

    The callback then has not answered, and the library stops the call.
    """
    call: Call = ffi.from_handle(traceback.tb_frame.f_locals["user_data"])
    call.raised = error.with_traceback(traceback)


def summary_in_utf8(summary: object, errors: str = "strict") -> bytes:
    if not isinstance(summary, str):
        raise TypeError(f"a summary must be str, not {type(summary).__name__}")
    return summary.encode(errors=errors)


def _summarize(user_data: Any, json: Any, length: int, first: int, count: int, sink: Any) -> None:
    call: Any = ffi.from_handle(user_data)
    text = summary_in_utf8(call.summarize(call.show(json, length, first, count)))
    lib.tn_sink_set_text(sink, text, len(text))


def _count_tokens(user_data: Any, json: Any, length: int, first: int, count: int, sink: Any) -> None:
    call: Any = ffi.from_handle(user_data)
    tokens = operator.index(call.count_tokens(call.show(json, length, first, count)))
    if not 0 <= tokens < 1 << 64:
        raise ValueError(f"a count of tokens must be from 0 to 2**64 - 1, not {tokens}")
    lib.tn_sink_set_count(sink, tokens)


# One of each for the life of the process: which call it is for comes with `user_data`.
on_summarize: Any = ffi.callback("tn_summarize_fn", _summarize, onerror=_keep)
on_count_tokens: Any = ffi.callback("tn_count_tokens_fn", _count_tokens, onerror=_keep)
