"""A ctypes face over the compactor's C interface: estimate, plan with callbacks, apply.

Text goes in as ``str`` or as UTF-8 ``bytes`` and comes back as ``bytes``: nothing is decoded that the caller does not
want decoded. An exception raised by a callback is reported to the library through the sink and raised again here.
"""
from __future__ import annotations

import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Optional, Union

Text = Union[str, bytes]
Summarize = Callable[[bytes, int, int], Text]
CountTokens = Callable[[bytes, int, int], int]

OUTCOMES = {0: "compact", 1: "under_budget", 2: "nothing_older", 3: "nothing_new", 4: "call_in_flight"}
CHAR_UNITS = {"code_point": 0, "utf16": 1, "utf8": 2}

_CALLBACK = ctypes.CFUNCTYPE(None, c_void_p, c_void_p, c_size_t, c_size_t, c_size_t, c_void_p)
_NO_CALLBACK = _CALLBACK()
_ERROR = POINTER(c_void_p)


def default_path() -> Path:
    """``TN_LIBRARY``, else the release build of this checkout."""
    root = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("TN_LIBRARY") or root / "target" / "release" / "libtn_compactor.so")


class CompactorError(Exception):
    """A call that failed: the status by name, and the library's own text."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


@dataclass(frozen=True)
class Plan:
    """What a plan said, copied out of it; ``result`` is what finishing it gave."""

    outcome: str
    head_end: int
    tail_start: int
    request_start: int
    request_end: int
    tokens: int
    tail_tokens: int
    older: Optional[bytes]
    result: Optional[bytes]


def _encoded(text: Text) -> bytes:
    return text.encode("utf-8") if isinstance(text, str) else text


class Library:
    """The shared library, loaded once, its functions declared as the header declares them."""

    def __init__(self, path: Optional[Path] = None) -> None:
        self.path = path or default_path()
        self._c = c = ctypes.CDLL(str(self.path))
        for name, result, arguments in (
            ("tn_compactor_new", c_int32, (c_char_p, c_size_t, POINTER(c_void_p), _ERROR)),
            ("tn_compactor_free", None, (c_void_p,)),
            ("tn_compactor_apply", c_int32, (c_void_p, c_char_p, c_size_t, _CALLBACK, _CALLBACK, c_void_p,
                                             POINTER(c_void_p), _ERROR)),
            ("tn_plan_new", c_int32, (c_void_p, c_char_p, c_size_t, _CALLBACK, c_void_p, POINTER(c_void_p), _ERROR)),
            ("tn_plan_outcome", c_int32, (c_void_p,)),
            ("tn_plan_head_end", c_size_t, (c_void_p,)),
            ("tn_plan_tail_start", c_size_t, (c_void_p,)),
            ("tn_plan_request_start", c_size_t, (c_void_p,)),
            ("tn_plan_request_end", c_size_t, (c_void_p,)),
            ("tn_plan_tokens", c_uint64, (c_void_p,)),
            ("tn_plan_tail_tokens", c_uint64, (c_void_p,)),
            ("tn_plan_older", c_void_p, (c_void_p, POINTER(c_size_t))),
            ("tn_plan_finish", c_int32, (c_void_p, c_char_p, c_size_t, POINTER(c_void_p), _ERROR)),
            ("tn_plan_free", None, (c_void_p,)),
            ("tn_sink_set_text", c_int32, (c_void_p, c_char_p, c_size_t)),
            ("tn_sink_set_count", c_int32, (c_void_p, c_uint64)),
            ("tn_sink_set_error", c_int32, (c_void_p, c_char_p, c_size_t)),
            ("tn_estimate_tokens", c_int32, (c_char_p, c_size_t, c_int32, POINTER(c_uint64), _ERROR)),
            ("tn_summary_prefix", c_char_p, ()),
            ("tn_flush_reminder", c_char_p, ()),
            ("tn_string_free", None, (c_void_p,)),
            ("tn_status_name", c_char_p, (c_int32,)),
            ("tn_version", c_char_p, ()),
        ):
            function = getattr(c, name)
            function.restype = result
            function.argtypes = arguments

    def version(self) -> str:
        return self._c.tn_version().decode()

    def estimate(self, messages: Text, char_unit: str = "code_point") -> int:
        text, tokens, error = _encoded(messages), c_uint64(), c_void_p()
        status = self._c.tn_estimate_tokens(text, len(text), CHAR_UNITS[char_unit], byref(tokens), byref(error))
        self._check(status, error)
        return tokens.value

    def compactor(self, **options: Any) -> "Compactor":
        """A compactor for these options; an option that is None is not given at all."""
        return Compactor(self, {key: value for key, value in options.items() if value is not None})

    def _check(self, status: int, error: c_void_p) -> None:
        message = self._take(error)
        if status != 0:
            raise CompactorError(self._c.tn_status_name(status).decode(), (message or b"").decode())

    def _take(self, string: c_void_p) -> Optional[bytes]:
        """The bytes of a string that the library handed over, which is freed."""
        if not string.value:
            return None
        taken = ctypes.string_at(string.value)
        self._c.tn_string_free(string)
        return taken

    def _trampoline(self, answer: Callable[[bytes, int, int], Any], set_answer: Callable[[Any, Any], None],
                    raised: list[BaseException]) -> Any:
        def callback(_user_data: Any, json_text: int, length: int, first: int, count: int, sink: int) -> None:
            try:
                set_answer(sink, answer(ctypes.string_at(json_text, length), first, count))
            except BaseException as error:  # noqa: B902 - nothing may pass through the C frames
                raised.append(error)
                text = _encoded(f"{type(error).__name__}: {error}")
                self._c.tn_sink_set_error(sink, text, len(text))

        return _CALLBACK(callback)

    def _summarizing(self, summarize: Summarize, raised: list[BaseException]) -> Any:
        def set_text(sink: int, summary: Text) -> None:
            text = _encoded(summary)
            self._c.tn_sink_set_text(sink, text, len(text))

        return self._trampoline(summarize, set_text, raised)

    def _counting(self, count_tokens: Optional[CountTokens], raised: list[BaseException]) -> Any:
        if count_tokens is None:
            return _NO_CALLBACK
        return self._trampoline(count_tokens, self._c.tn_sink_set_count, raised)


class Compactor:
    """One set of options."""

    def __init__(self, library: Library, options: dict[str, Any]) -> None:
        self._library = library
        self._handle = c_void_p()
        text, error = json.dumps(options).encode(), c_void_p()
        library._check(library._c.tn_compactor_new(text, len(text), byref(self._handle), byref(error)), error)

    def __enter__(self) -> "Compactor":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        self._library._c.tn_compactor_free(self._handle)
        self._handle = c_void_p()

    def plan(self, messages: Text, summary: Text, count_tokens: Optional[CountTokens] = None) -> Plan:
        """Plans, finishes the plan with this summary, and frees it."""
        library, c = self._library, self._library._c
        text, plan, error = _encoded(messages), c_void_p(), c_void_p()
        raised: list[BaseException] = []
        counting = library._counting(count_tokens, raised)
        status = c.tn_plan_new(self._handle, text, len(text), counting, None, byref(plan), byref(error))
        _raise_again(raised, library, error)
        library._check(status, error)
        try:
            length, result, error = c_size_t(), c_void_p(), c_void_p()
            older = c.tn_plan_older(plan, byref(length))
            answer = _encoded(summary)
            library._check(c.tn_plan_finish(plan, answer, len(answer), byref(result), byref(error)), error)
            return Plan(
                outcome=OUTCOMES[c.tn_plan_outcome(plan)],
                head_end=c.tn_plan_head_end(plan),
                tail_start=c.tn_plan_tail_start(plan),
                request_start=c.tn_plan_request_start(plan),
                request_end=c.tn_plan_request_end(plan),
                tokens=c.tn_plan_tokens(plan),
                tail_tokens=c.tn_plan_tail_tokens(plan),
                older=ctypes.string_at(older, length.value) if older else None,
                result=library._take(result),
            )
        finally:
            c.tn_plan_free(plan)

    def apply(self, messages: Text, summarize: Summarize,
              count_tokens: Optional[CountTokens] = None) -> Optional[bytes]:
        """The new transcript, or None where nothing changes."""
        library = self._library
        text, result, error = _encoded(messages), c_void_p(), c_void_p()
        raised: list[BaseException] = []
        summarizing = library._summarizing(summarize, raised)
        counting = library._counting(count_tokens, raised)
        status = library._c.tn_compactor_apply(self._handle, text, len(text), summarizing, counting, None,
                                               byref(result), byref(error))
        _raise_again(raised, library, error)
        library._check(status, error)
        return library._take(result)


def _raise_again(raised: list[BaseException], library: Library, error: c_void_p) -> None:
    if raised:
        library._take(error)
        raise raised[0]
