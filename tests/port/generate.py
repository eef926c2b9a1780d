"""Transcripts made up at random, in every dialect, with the shapes on which compaction goes wrong in the field.

Transcript ``n`` of a seed depends on the seed and ``n`` alone, so a failing one can be made again without the others.
"""
from __future__ import annotations

import json
import random
from typing import Any

import dialects

Message = dict[str, Any]

WORDS = ("the quick brown fox reads main.rs and compiles it again weather in Kraków is 21° naïve façade Ünïcode "
         "缓存 压缩 对话 工具 调用 天气 很好 あいさつ 한국어 مرحبا 😀 🚀 👩‍👩‍👧 🇯🇵 e\u0301 \u2028 \u2029 \ufeff \x7f \x85 "
         "C:\\path\\n \"quoted\" tab\there line\nbreak \r\n \b \f \x00 \x1b[31m \u001f </script> {} [] null 1e5 \\u0041 "
         "\ud83d \udc00").split(" ")
PLAIN_WORDS = WORDS[:14]
NUMBERS = (0, -1, 7, 1.5, -0.0, 1e22, 1e-7, 0.1 + 0.2, 2**53 + 1, 123456789012345678901234567890, True, False, None)
TOOLS = ("weather", "read_file", "grep", "bash")

DIALECTS = {"openai": 34, "anthropic": 32, "gemini": 8, "bedrock": 8, "aisdk": 6, "responses": 6, "legacy": 5,
            "mixed": 5}
HEADS = {"none": 30, "system": 36, "two systems": 6, "developer": 5, "system, developer": 4, "summary": 6,
         "system, summary": 8, "system, summary, reminder": 3, "summary, system": 2}


def transcript(seed: int, number: int) -> tuple[str, list[Message]]:
    """The dialect and the messages of transcript ``number``, no two of them the same object."""
    rng = random.Random(f"{seed}:{number}")
    dialect = _pick(rng, DIALECTS)
    messages = _Writer(rng, dialect).write()
    return dialect, json.loads(json.dumps(messages))


def _pick(rng: random.Random, weights: dict[str, int]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


class _Writer:
    """Writes one transcript, message by message."""

    def __init__(self, rng: random.Random, dialect: str) -> None:
        self.rng = rng
        self.mixed = dialect == "mixed"
        self.dialect = dialect
        self.words = WORDS if rng.random() < 0.5 else PLAIN_WORDS
        self.longest = rng.choice((4, 12, 60))
        self.calls_made = 0
        # How often a turn holds something out of the ordinary: most transcripts are clean, so that what is odd in one
        # is odd alone.
        self.oddity = rng.choice((0.0, 0.0, 0.1, 0.5))
        self.messages: list[Message] = []

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def text(self) -> str:
        text = " ".join(self.rng.choices(self.words, k=self.rng.randint(1, self.longest)))
        if self.chance(0.02):
            text += "x" * self.rng.randint(200, 3000)
        return text

    def arguments(self) -> dict[str, Any]:
        made: dict[str, Any] = {"q": self.text()}
        for _ in range(self.rng.randint(0, 3)):
            made[self.rng.choice(self.words)] = self.rng.choice(
                (self.rng.choice(NUMBERS), [self.rng.choice(NUMBERS), {}], {"deep": [[self.text()]]}))
        return made

    # The transcript as a whole.

    def write(self) -> list[Message]:
        self.head(_pick(self.rng, HEADS))
        turns = self.rng.choice((0, 1, 1, 1, 2, 2, 3, 4, 6, 9))
        if turns == 0:
            self.stub()
        for turn in range(turns):
            if self.mixed:
                self.dialect = self.rng.choice([name for name in DIALECTS if name != "mixed"])
            self.turn(last=turn == turns - 1)
        return self.messages

    def stub(self) -> None:
        """A transcript that has hardly begun: a request or two, or nothing."""
        for _ in range(self.rng.choice((0, 1, 1, 1, 2))):
            self.user()

    def head(self, kind: str) -> None:
        for part in kind.split(", "):
            if part in ("system", "developer"):
                self.messages.append({"role": part, "content": self.text()})
            elif part == "two systems":
                self.messages += [{"role": "system", "content": self.text()}, {"role": "system", "content": [
                    {"type": "text", "text": self.text()}]}]
            elif part == "summary":
                self.summary()
            elif part == "reminder":
                self.messages.append({"role": "system", "content": dialects.REMINDER})

    def summary(self) -> None:
        text = dialects.SUMMARY_PREFIX + self.text()
        content: Any = text if self.chance(0.8) else [{"type": "text", "text": text}]
        self.messages.append({"role": "system", "content": content})

    def turn(self, last: bool) -> None:
        self.user()
        if self.chance(0.08):
            self.user()
        if self.chance(0.03):
            self.messages.append({"role": "system", "content": self.text()})
        steps = self.rng.choice((0, 1, 1, 2, 3, 5))
        for step in range(steps):
            self.step(ends_here=last and step == steps - 1)
        if not (last and self.chance(0.5)):
            self.say(self.text())

    def step(self, ends_here: bool) -> None:
        """One message of calls, and the results; or what becomes of them when something comes between."""
        made = [self.new_call() for _ in range(self.rng.choice((1, 1, 1, 2, 3)))]
        self.call(made)
        if ends_here and self.chance(0.35):
            self.answer(made[:self.rng.randint(0, len(made) - 1)])
            return
        if self.chance(self.oddity):
            self.oddly(made)
        else:
            self.answer(made)

    def oddly(self, made: list[tuple[str, str]]) -> None:
        what = self.rng.choice(("late", "late", "partly late", "dead", "dead", "orphan", "reordered", "named again"))
        if what == "late":
            self.user()
            if self.chance(0.3):
                self.say(self.text())
                self.user()
            self.answer(made)
        elif what == "partly late":
            self.answer(made[:-1])
            self.user()
            self.answer(made[-1:])
        elif what == "dead":
            self.answer(made[:-1])
            self.user()
        elif what == "orphan":
            self.answer([*made, (f"gone_{self.calls_made}", "gone")])
        elif what == "reordered":
            self.answer(made[::-1])
        else:
            self.answer(made)
            self.call(made)
            self.answer(made)

    def new_call(self) -> tuple[str, str]:
        if not self.chance(0.06):
            self.calls_made += 1
        return f"call_{self.calls_made}", self.rng.choice(TOOLS)

    # What the user, the model and the tools say, in the dialect at hand.

    def user(self) -> None:
        text = self.text()
        if self.dialect == "gemini":
            message: Message = {"role": "user", "parts": [{"text": text}]}
            if self.chance(0.1):
                message["parts"].append({"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo=" * 9}})
        elif self.dialect == "bedrock":
            message = {"role": "user", "content": [{"text": text}]}
        elif self.dialect == "responses" and self.chance(0.5):
            message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
        elif self.chance(0.25):
            message = {"role": "user", "content": [{"type": "text", "text": text}]}
            if self.chance(0.2):
                message["content"].append({"type": "image_url", "image_url": {"url": "data:,", "detail": "low"}})
        else:
            message = {"role": "user", "content": text}
        if self.chance(0.03):
            message["content"] = self.rng.choice((None, "", [], {}, 3, [None], ["text"]))
        if self.chance(0.05):
            message["metadata"] = self.arguments()
        self.messages.append(message)

    def say(self, text: str) -> None:
        if self.dialect == "gemini":
            message: Message = {"role": "model", "parts": [{"text": text}]}
        elif self.dialect == "bedrock":
            message = {"role": "assistant", "content": [{"text": text}]}
        elif self.dialect == "responses":
            message = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
        elif self.dialect == "anthropic" and self.chance(0.5):
            message = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        else:
            message = {"role": "assistant", "content": text}
        self.messages.append(message)

    def call(self, made: list[tuple[str, str]]) -> None:
        add = self.messages.append
        if self.dialect == "openai":
            add({"role": "assistant", "content": self.rng.choice((None, "", self.text())), "tool_calls": [
                {"id": identity, "type": "function",
                 "function": {"name": name, "arguments": json.dumps(self.arguments())}} for identity, name in made]})
        elif self.dialect == "legacy":
            for _, name in made[:1]:
                add({"role": "assistant", "content": None,
                     "function_call": {"name": name, "arguments": json.dumps(self.arguments())}})
        elif self.dialect == "anthropic":
            content: list[Any] = []
            if self.chance(0.3):
                content.append({"type": "thinking", "thinking": self.text(), "signature": "EqQBCgIYAhIM"})
            if self.chance(0.6):
                content.append({"type": "text", "text": self.text()})
            if self.chance(0.1):
                server = f"srv_{self.calls_made}"
                content += [{"type": "server_tool_use", "id": server, "name": "web_search", "input": {}},
                            {"type": "web_search_tool_result", "tool_use_id": server, "content": []}]
            add({"role": "assistant", "content": content + [
                {"type": "tool_use", "id": identity, "name": name, "input": self.arguments()}
                for identity, name in made]})
        elif self.dialect == "gemini":
            key = self.rng.choice(("functionCall", "functionCall", "function_call"))
            with_ids = self.chance(0.4)
            add({"role": "model", "parts": [{key: {**({"id": identity} if with_ids else {}), "name": name,
                                                   "args": self.arguments()}} for identity, name in made]})
        elif self.dialect == "bedrock":
            add({"role": "assistant", "content": [{"text": self.text()}] + [
                {"toolUse": {"toolUseId": identity, "name": name, "input": self.arguments()}}
                for identity, name in made]})
        elif self.dialect == "aisdk":
            add({"role": "assistant", "content": [{"type": "text", "text": self.text()}] + [
                {"type": "tool-call", "toolCallId": identity, "toolName": name, "input": self.arguments()}
                for identity, name in made]})
        else:
            if self.chance(0.3):
                add({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA"})
            for identity, name in made:
                add({"type": self.rng.choice(("function_call", "custom_tool_call")), "call_id": identity,
                     "name": name, "arguments": json.dumps(self.arguments())})

    def answer(self, made: list[tuple[str, str]]) -> None:
        """The results of these calls: one message each, or one for all, as the dialect has it."""
        add = self.messages.append
        if self.dialect == "openai":
            for identity, _ in made:
                add({"role": "tool", "tool_call_id": identity, "content": self.text()})
        elif self.dialect == "legacy":
            for _, name in made[:1]:
                add({"role": "function", "name": name, "content": self.text()})
        elif self.dialect == "responses":
            for identity, _ in made:
                add({"type": "function_call_output", "call_id": identity, "output": self.text()})
        elif self.dialect == "gemini":
            self.answer_in_blocks(made, "user", "parts", self.gemini_result)
        elif self.dialect == "bedrock":
            self.answer_in_blocks(made, "user", "content", lambda identity, _: {
                "toolResult": {"toolUseId": identity, "content": [{"json": self.arguments()}], "status": "success"}})
        elif self.dialect == "aisdk":
            self.answer_in_blocks(made, self.rng.choice(("tool", "tool", "user")), "content", lambda identity, name: {
                "type": "tool-result", "toolCallId": identity, "toolName": name, "output": self.arguments()})
        else:
            kind = "tool_result" if self.chance(0.85) else self.rng.choice(("mcp_tool_result", "web_fetch_tool_result"))
            self.answer_in_blocks(made, "user", "content", lambda identity, _: {
                "type": kind, "tool_use_id": identity, "content": self.rng.choice((self.text(), [
                    {"type": "text", "text": self.text()}]))})

    def gemini_result(self, identity: str, name: str) -> Message:
        # The calls of the last message tell whether ids are in use; a host may leave them out all the same.
        spoken = json.dumps(self.messages[-1])
        with_id = f'"{identity}"' in spoken and self.chance(0.8)
        key = "function_response" if '"function_call"' in spoken else "functionResponse"
        return {key: {**({"id": identity} if with_id else {}), "name": name, "response": self.arguments()}}

    def answer_in_blocks(self, made: list[tuple[str, str]], role: str, key: str, block: Any) -> None:
        if not made:
            return
        together = self.chance(0.8)
        for group in ([made] if together else [[one] for one in made]):
            blocks = [block(identity, name) for identity, name in group]
            if role == "user" and self.chance(0.15):
                blocks.append({"text": self.text()} if self.dialect != "anthropic" else
                              {"type": "text", "text": self.text()})
            self.messages.append({"role": role, key: blocks})
