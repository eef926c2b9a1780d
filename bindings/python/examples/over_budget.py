"""A run with tool calls, over budget: the older turns become a summary, and no result loses its call."""
from __future__ import annotations

import asyncio
import json
from typing import Any

from tn_compactor import compactor, estimate_tokens

Message = dict[str, Any]


def turn(number: int, question: str, tool: str, found: str, answer: str) -> list[Message]:
    """A question, a tool call with its result, and the answer."""
    call = {"id": f"call_{number}", "type": "function", "function": {"name": tool, "arguments": '{"place":"Kraków"}'}}
    return [
        {"role": "user", "content": question},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"call_{number}", "content": found},
        {"role": "assistant", "content": answer},
    ]


MESSAGES: list[Message] = [
    {"role": "system", "content": "You plan gardens. Answer in one sentence."},
    *turn(1, "Which soil do I have?", "soil_map", json.dumps({"clay": 0.6, "sand": 0.2, "ph": 6.9}) * 12, "Heavy clay."),
    *turn(2, "Will it rain this week? 🌧", "forecast", json.dumps([{"day": day, "mm": 4} for day in range(40)]), "Daily."),
    *turn(3, "So when do I sow carrots?", "calendar", "carrots: March to July", "Once the clay has dried out."),
    {"role": "user", "content": "And leeks?"},
]


async def summarize(older: list[Message]) -> str:
    """Asks a model, in a real host. Here it only says what was asked."""
    questions = [message["content"] for message in older if message["role"] == "user"]
    return "The user asked: " + " ".join(questions)


async def main() -> list[Message]:
    before_llm = compactor(max_tokens=300, summarize=summarize)
    answer = await before_llm({"messages": MESSAGES})
    messages: list[Message] = MESSAGES if answer is None else answer["messages"]
    print(f"from {estimate_tokens(MESSAGES)} tokens to {estimate_tokens(messages)}, of 300:")
    for message in messages:
        kept = any(message is before for before in MESSAGES)
        print(f"{'kept' if kept else 'new ':>6}  {json.dumps(message, ensure_ascii=False)[:110]}")
    return messages


if __name__ == "__main__":
    asyncio.run(main())
