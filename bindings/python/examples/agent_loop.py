"""The hook inside a real agent loop, that of toolnexus: each request to the model is compacted before it is sent.

The model is a stand-in on loopback (chat_server.py). It writes the summaries too, asked by a client of its own.

    pip install toolnexus==0.21.0
"""
from __future__ import annotations

import asyncio
import json
from typing import Any

from chat_server import ChatServer
from tn_compactor import compactor
from toolnexus import create_client, create_toolkit, tool

QUESTIONS = ("Which soil suits carrots?", "And leeks?", "When do I sow them?", "Which two go well together?")


def garden_book(topic: str) -> str:
    """Looks a topic up in the garden book."""
    return f"{topic} " + "Dig the bed over, add compost, water it well. " * 12


async def main() -> list[dict[str, Any]]:
    """Returns the bodies of the requests that the model received."""
    with ChatServer() as model:
        writer = create_client(base_url=model.url, style="openai", model="stand-in", api_key="none")

        async def summarize(older: list[dict[str, Any]]) -> str:
            written = await writer.run(f"Summarize this conversation: {json.dumps(older, ensure_ascii=False)}")
            return str(written.text)

        before_llm = compactor(max_tokens=600, summarize=summarize, flush_to_memory=True)
        toolkit = await create_toolkit(builtins=False, extra_tools=[tool(garden_book)])
        gardener = create_client(
            base_url=model.url,
            style="openai",
            model="stand-in",
            api_key="none",
            system_prompt="You plan gardens.",
            hooks={"before_llm": before_llm},
        )
        for question in QUESTIONS:
            answered = await gardener.ask(question, toolkit, id="garden")
            print(f"{question} {answered.text}")
        await toolkit.close()
    for request in model.requests:
        roles = " ".join(message["role"] for message in request["messages"])
        print(f"{len(json.dumps(request['messages'])):6} bytes: {roles}")
    return model.requests


if __name__ == "__main__":
    asyncio.run(main())
