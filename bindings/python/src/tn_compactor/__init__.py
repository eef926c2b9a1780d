"""Where a long transcript of an LLM agent may be cut.

Over a token budget, the older part of a transcript is replaced by a summary that you write, and a recent tail is kept. A tool
result never loses its call, and the leading instructions and the request being worked on stay.

`compactor` gives a hook for an agent's loop, `Compactor` plans and compacts by itself, messages or JSON text.
"""
from ._compactor import CharUnit, Compactor, Dumps, Split, SummaryRole, estimate_tokens, estimate_tokens_json
from ._errors import CompactorError, OptionsError, SummaryError, TranscriptError
from ._hook import BeforeLLM, CountTokens, Summarize, compactor
from ._library import FLUSH_REMINDER, SUMMARY_PREFIX
from ._library import VERSION as __version__
from ._plan import JsonPlan, Outcome, Plan

__all__ = [
    "BeforeLLM",
    "CharUnit",
    "Compactor",
    "CompactorError",
    "CountTokens",
    "Dumps",
    "FLUSH_REMINDER",
    "JsonPlan",
    "OptionsError",
    "Outcome",
    "Plan",
    "SUMMARY_PREFIX",
    "Split",
    "Summarize",
    "SummaryError",
    "SummaryRole",
    "TranscriptError",
    "__version__",
    "compactor",
    "estimate_tokens",
    "estimate_tokens_json",
]
