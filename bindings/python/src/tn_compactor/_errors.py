"""Every failure of the library, by what the caller did wrong."""
from __future__ import annotations


class CompactorError(Exception):
    """The library refused. The text names the place, what was found and what is allowed.

    What is raised by a function of yours, or by the JSON encoder, reaches you as itself and is not one of these.
    """

    status: str
    """The status code by its name in the C interface, such as ``"TN_ERR_JSON"``."""

    def __init__(self, status: str, message: str) -> None:
        super().__init__(status, message)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[1])


class OptionsError(CompactorError, ValueError):
    """An option is missing or has a value that is not allowed."""


class TranscriptError(CompactorError, ValueError):
    """The transcript is no JSON array of objects."""


class SummaryError(CompactorError, ValueError):
    """The summary is blank. The transcript stays as it was."""
