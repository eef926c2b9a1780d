"""What a model reads of a transcript, text by text, and of what kind each text is."""
from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

PROSE = "prose and Markdown, nearly all English"
RESULTS = "tool results: source code, listings, logs"
JSON = "JSON: tool arguments and tool results"
CHINESE = "Chinese, with English and code in it"


@dataclass(frozen=True)
class Text:
    """A text as the model reads it, and as the transcript's JSON has it, on which the estimate goes."""

    kind: str
    text: str
    written: str


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _of_string(kind: str, text: str) -> Text:
    """A string; what is JSON itself, or Chinese, goes by that."""
    if sum("\u4e00" <= character <= "\u9fff" for character in text) > len(text) / 5:
        kind = CHINESE
    elif text[:1] in ("{", "["):
        try:
            json.loads(text)
            kind = JSON
        except ValueError:
            pass
    return Text(kind, text, compact(text)[1:-1])


def _of_value(value: Any) -> Iterator[Text]:
    """The arguments of a call, or the result of one: a text, or JSON as it stands."""
    if isinstance(value, str):
        yield _of_string(RESULTS, value)
    elif value is not None:
        yield Text(JSON, compact(value), compact(value))


def _of_blocks(blocks: Any, kind: str) -> Iterator[Text]:
    if isinstance(blocks, str):
        yield _of_string(kind, blocks)
    for block in blocks if isinstance(blocks, list) else []:
        if not isinstance(block, dict):
            continue
        for key in ("text", "thinking"):
            if isinstance(block.get(key), str):
                yield _of_string(kind, block[key])
        reasoning = block.get("reasoningContent")
        if isinstance(reasoning, dict) and isinstance(reasoning.get("reasoningText"), dict):
            yield from _of_blocks([reasoning["reasoningText"]], kind)
        for key in ("functionCall", "function_call", "toolUse"):
            if isinstance(block.get(key), dict):
                yield from _of_call(block[key].get("name"), block[key].get("args", block[key].get("input")))
        for key in ("functionResponse", "function_response"):
            if isinstance(block.get(key), dict):
                yield from _of_value(block[key].get("response"))
        result = block.get("toolResult")
        if isinstance(result, dict):
            for part in result.get("content") or []:
                if isinstance(part, dict) and "json" in part:
                    yield from _of_value(part["json"])
            yield from _of_blocks(result.get("content"), RESULTS)
        if block.get("type") in ("tool_use", "server_tool_use"):
            yield from _of_call(block.get("name"), block.get("input"))
        elif str(block.get("type", "")).endswith("tool_result"):
            yield from _of_blocks(block.get("content"), RESULTS)


def _of_call(name: Any, arguments: Any) -> Iterator[Text]:
    if isinstance(name, str):
        yield Text("", name, name)
    yield from _of_value(arguments)


def texts(message: dict[str, Any]) -> Iterator[Text]:
    """In every dialect: what is neither an id nor a signature, neither media nor a note of the host's."""
    role, kind = message.get("role"), str(message.get("type", ""))
    for key in ("content", "parts"):
        yield from _of_blocks(message.get(key), RESULTS if role in ("tool", "function") else PROSE)
    for key in ("reasoning_content", "summary"):
        yield from _of_blocks(message.get(key), PROSE)
    for call in message.get("tool_calls") or []:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            yield from _of_call(call["function"].get("name"), call["function"].get("arguments"))
    if isinstance(message.get("function_call"), dict):
        yield from _of_call(message["function_call"].get("name"), message["function_call"].get("arguments"))
    if kind.endswith("_call"):
        yield from _of_call(message.get("name"), message.get("arguments", message.get("action")))
    elif kind.endswith("_output"):
        output = message.get("output")
        yield from _of_blocks(output, RESULTS) if isinstance(output, list) else _of_value(output)


def has_media(value: Any) -> bool:
    """An image, a sound or a document as base64. Signatures, which every model of their kind sends, are none."""
    if isinstance(value, dict):
        return any(has_media(member) for key, member in value.items() if "ignature" not in key and key != "encrypted_content")
    if isinstance(value, list):
        return any(has_media(member) for member in value)
    return isinstance(value, str) and re.search("[A-Za-z0-9+/]{1000}", value) is not None


def made_texts() -> list[Text]:
    """What real transcripts have too little of: other scripts, and what no language is in."""
    made = []
    for language, text in json.loads((HERE / "declaration.json").read_text(encoding="utf-8")).items():
        made.append(Text(language, text, text))
    digests = [hashlib.sha256(str(number).encode()).digest() for number in range(64)]
    for kind, text in (
        ("base64", base64.b64encode(b"".join(digests)).decode()),
        ("hexadecimal digests", "\n".join(digest.hex() for digest in digests)),
        ("a table of decimal numbers", "\n".join(",".join(f"{byte / 7:.3f}" for byte in digest[:6]) for digest in digests)),
    ):
        made.append(Text(kind, text, compact(text)[1:-1]))
    return made
