"""Where a transcript is cut, and the new transcript."""
from __future__ import annotations

from typing import Any, AnyStr, Generic, Literal, TypeVar

from ._library import FLUSH_REMINDER, SUMMARY_PREFIX, check, ffi, lib, summary_in_utf8, taken

__all__ = ["JsonPlan", "Message", "Outcome", "Plan"]

Outcome = Literal["compact", "under_budget", "nothing_older", "nothing_new", "call_in_flight"]

_OUTCOMES: dict[int, Outcome] = {
    lib.TN_COMPACT: "compact",
    lib.TN_UNDER_BUDGET: "under_budget",
    lib.TN_NOTHING_OLDER: "nothing_older",
    lib.TN_NOTHING_NEW: "nothing_new",
    lib.TN_CALL_IN_FLIGHT: "call_in_flight",
}

Message = TypeVar("Message")


class _Figures:
    """What every plan says, whatever the transcript is made of. Immutable: threads may share it."""

    __slots__ = ("_handle",)

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    @property
    def outcome(self) -> Outcome:
        """``"compact"``, or why the transcript stays as it is."""
        return _OUTCOMES[lib.tn_plan_outcome(self._handle)]

    @property
    def head_end(self) -> int:
        """The index after the leading instructions, which are kept."""
        return int(lib.tn_plan_head_end(self._handle))

    @property
    def tail_start(self) -> int:
        """The index of the first message of the kept tail; ``head_end`` unless the outcome is ``"compact"``."""
        return int(lib.tn_plan_tail_start(self._handle))

    @property
    def request_start(self) -> int:
        """The index of the first message of the request kept beside the tail; ``tail_start`` where none is."""
        return int(lib.tn_plan_request_start(self._handle))

    @property
    def request_end(self) -> int:
        """The index after the request kept beside the tail; ``request_start`` where none is."""
        return int(lib.tn_plan_request_end(self._handle))

    @property
    def tokens(self) -> int:
        """Tokens of the whole transcript."""
        return int(lib.tn_plan_tokens(self._handle))

    @property
    def tail_tokens(self) -> int:
        """Tokens of the tail alone; 0 unless the outcome is ``"compact"``."""
        return int(lib.tn_plan_tail_tokens(self._handle))

    def __repr__(self) -> str:
        names = ("outcome", "head_end", "tail_start", "request_start", "request_end", "tokens", "tail_tokens")
        return f"<{type(self).__name__} {' '.join(f'{name}={getattr(self, name)!r}' for name in names)}>"

    def _finished(self, summary: bytes) -> bytes | None:
        result, error = ffi.new("char **"), ffi.new("char **")
        check(lib.tn_plan_finish(self._handle, summary, len(summary), result, error), error)
        return taken(result)


class Plan(_Figures, Generic[Message]):
    """Where a list of messages is cut. It refers to the messages, so that the new list holds the very same objects."""

    __slots__ = ("_flush_to_memory", "_messages", "_summary_role")

    def __init__(self, handle: Any, messages: list[Message], summary_role: str, flush_to_memory: bool) -> None:
        super().__init__(handle)
        self._messages = messages
        self._summary_role = summary_role
        self._flush_to_memory = flush_to_memory

    @property
    def older(self) -> list[Message] | None:
        """The messages to summarize, whole and in complete pairs; None unless the outcome is ``"compact"``."""
        if self.outcome != "compact":
            return None
        return self._messages[self.head_end : self.tail_start]

    def finish(self, summary: str) -> list[Message | dict[str, Any]] | None:
        """The new transcript, a fresh list; None where nothing changes. May be called again.

        Raises SummaryError for a blank summary.
        """
        # What is a blank summary is for the library to say. A lone surrogate, which UTF-8 has no bytes for, is none.
        if self._finished(summary_in_utf8(summary, errors="replace")) is None:
            return None
        messages = self._messages
        new: list[dict[str, Any]] = [{"role": self._summary_role, "content": SUMMARY_PREFIX + summary}]
        if self._flush_to_memory:
            new.append({"role": self._summary_role, "content": FLUSH_REMINDER})
        return [
            *messages[: self.head_end],
            *new,
            *messages[self.request_start : self.request_end],
            *messages[self.tail_start :],
        ]


class JsonPlan(_Figures, Generic[AnyStr]):
    """Where a transcript in JSON text is cut. Text comes back as it came in, ``str`` or ``bytes``."""

    __slots__ = ("_as_text",)

    def __init__(self, handle: Any, as_text: Any) -> None:
        super().__init__(handle)
        self._as_text = as_text

    @property
    def older(self) -> AnyStr | None:
        """The messages to summarize, a JSON array; None unless the outcome is ``"compact"``."""
        length = ffi.new("size_t *")
        older = lib.tn_plan_older(self._handle, length)
        if older:
            return self._as_text(bytes(ffi.buffer(older, length[0])))  # type: ignore[no-any-return]
        if self.outcome == "compact":
            raise MemoryError("the text of the older messages")
        return None

    def finish(self, summary: str) -> AnyStr | None:
        """The new transcript, every kept message as it stood; None where nothing changes. May be called again.

        Raises SummaryError for a blank summary.
        """
        result = self._finished(summary_in_utf8(summary))
        return None if result is None else self._as_text(result)
