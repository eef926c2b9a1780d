"""Under budget nothing happens: the hook answers None, and the list you have is the list you send."""
from __future__ import annotations

import asyncio
from typing import Any

from tn_compactor import compactor, estimate_tokens

MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "You plan gardens."},
    {"role": "user", "content": "Which soil suits carrots?"},
    {"role": "assistant", "content": "Sandy and deep: they fork on stones."},
    {"role": "user", "content": "And leeks?"},
]


def summarize(older: list[dict[str, Any]]) -> str:
    raise AssertionError("there is nothing to summarize under budget")


async def main() -> dict[str, Any] | None:
    before_llm = compactor(max_tokens=1_000, summarize=summarize)
    answer = await before_llm({"messages": MESSAGES})
    print(f"{estimate_tokens(MESSAGES)} of 1000 tokens: {'unchanged' if answer is None else 'compacted'}")
    return answer


if __name__ == "__main__":
    asyncio.run(main())
