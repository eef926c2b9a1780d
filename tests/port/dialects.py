"""The messages read as BEHAVIOUR.md says, written from its text alone: what a message is, and which pairs there are.

Independent of the library and of the port; it judges between the two.
"""
from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional

Message = dict[str, Any]

SUMMARY_PREFIX = "[Summary of earlier conversation]\n"
REMINDER = ("Before continuing: if anything from earlier is worth keeping, save it with the memory tool now — "
            "the earlier transcript is about to be summarized.")


class Call(NamedTuple):
    id: Optional[str]
    name: Optional[str]


class Result(NamedTuple):
    """A result's shape, with the dialect it is in; one without id and name belongs to no call."""

    dialect: str
    id: Optional[str]
    name: Optional[str]


class Pair(NamedTuple):
    call: int
    result: int


def _string(value: Any) -> Optional[str]:
    return value if isinstance(value, str) else None


def _blocks(message: Message) -> Iterator[dict[str, Any]]:
    for key in ("content", "parts"):
        inside = message.get(key)
        if isinstance(inside, list):
            yield from (block for block in inside if isinstance(block, dict))


def _ends(value: Any, ending: str) -> bool:
    return isinstance(value, str) and value.endswith(ending)


def text(message: Message) -> Optional[str]:
    if isinstance(message.get("content"), str):
        return message["content"]
    for key in ("content", "parts"):
        inside = message.get(key)
        if isinstance(inside, list) and inside and isinstance(inside[0], dict) and "text" in inside[0]:
            return _string(inside[0]["text"])
    return None


def is_summary(message: Message) -> bool:
    return (text(message) or "").startswith(SUMMARY_PREFIX)


def is_reminder(message: Message) -> bool:
    return text(message) == REMINDER


def calls(message: Message) -> list[Call]:
    found = []
    if isinstance(message.get("tool_calls"), list):
        found += [Call(_string(call.get("id")), None) for call in message["tool_calls"] if isinstance(call, dict)]
    if isinstance(message.get("function_call"), dict):
        found.append(Call(None, _string(message["function_call"].get("name"))))
    if _ends(message.get("type"), "_call"):
        found.append(Call(_string(message.get("call_id")), None))
    for block in _blocks(message):
        if _ends(block.get("type"), "tool_use"):
            found.append(Call(_string(block.get("id")), None))
        if block.get("type") == "tool-call":
            found.append(Call(_string(block.get("toolCallId")), None))
        if isinstance(block.get("toolUse"), dict):
            found.append(Call(_string(block["toolUse"].get("toolUseId")), None))
        for key in ("functionCall", "function_call"):
            if isinstance(block.get(key), dict):
                found.append(Call(_string(block[key].get("id")) or None, _string(block[key].get("name")) or None))
    return [call for call in found if call.id is not None or call.name is not None]


def results(message: Message) -> list[Result]:
    found = []
    if message.get("role") == "tool":
        found.append(Result("OpenAI chat", _string(message.get("tool_call_id")), None))
    if message.get("role") == "function":
        found.append(Result("OpenAI chat, legacy", None, _string(message.get("name"))))
    if _ends(message.get("type"), "_output"):
        found.append(Result("OpenAI Responses items", _string(message.get("call_id")), None))
    for block in _blocks(message):
        if _ends(block.get("type"), "tool_result"):
            dialect = "Anthropic Messages" if block["type"] == "tool_result" else "Anthropic server tools"
            found.append(Result(dialect, _string(block.get("tool_use_id")), None))
        if block.get("type") == "tool-result":
            found.append(Result("Vercel AI SDK", _string(block.get("toolCallId")), None))
        if isinstance(block.get("toolResult"), dict):
            found.append(Result("Bedrock Converse", _string(block["toolResult"].get("toolUseId")), None))
        for key in ("functionResponse", "function_response"):
            if isinstance(block.get(key), dict):
                identity = _string(block[key].get("id")) or None
                name = None if identity else _string(block[key].get("name")) or None
                found.append(Result("Gemini contents", identity, name))
    return found


def is_plain_user(message: Message) -> bool:
    return (message.get("role") == "user" and not calls(message) and not results(message)
            and not is_summary(message) and not is_reminder(message))


def is_models(message: Message) -> bool:
    """Role assistant or model; of Responses items what is no output and has no role."""
    role = message.get("role")
    if isinstance(role, str):
        return role in ("assistant", "model")
    return isinstance(message.get("type"), str) and not _ends(message["type"], "_output")


def leading_instructions(messages: list[Message]) -> int:
    for index, message in enumerate(messages):
        if message.get("role") not in ("system", "developer") or is_summary(message):
            return index
    return len(messages)


def match(messages: list[Message]) -> tuple[list[Pair], list[int]]:
    """The pairs, and the index of each call that never got its result."""
    waiting: list[tuple[int, Call]] = []
    pairs: list[Pair] = []
    for index, message in enumerate(messages):
        waiting += [(index, call) for call in calls(message)]
        for result in results(message):
            for at in range(len(waiting) - 1, -1, -1):
                call = waiting[at][1]
                by_id = result.id is not None and call.id == result.id
                by_name = result.id is None and result.name is not None and call.name == result.name
                if by_id or by_name:
                    pairs.append(Pair(waiting.pop(at)[0], index))
                    break
    return pairs, [index for index, _ in waiting]


def pair_across(pairs: list[Pair], index: int) -> Optional[Pair]:
    return next((pair for pair in pairs if pair.call < index <= pair.result), None)


def call_in_flight(messages: list[Message], unanswered: list[int]) -> Optional[int]:
    """A call without result after which nothing but tool results came (or, for Responses items, sibling calls)."""
    for index in unanswered:
        siblings = _ends(messages[index].get("type"), "_call")
        if all(results(later) or (siblings and _ends(later.get("type"), "_call")) for later in messages[index + 1:]):
            return index
    return None
