"""What a type checker makes of a host. Checked by mypy in test_package.py, not run."""
from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypedDict

from tn_compactor import Compactor, JsonPlan, Plan, compactor
from typing_extensions import assert_type


class Said(TypedDict):
    role: str
    content: str


async def summarize(older: list[Any]) -> str:
    return f"{len(older)} messages"


# The type that the port's hook has.
hook: Callable[[dict[str, Any]], Awaitable[dict[str, Any] | None]] = compactor(max_tokens=1, summarize=summarize)
sync_hook = compactor(max_tokens=1, summarize=lambda older: "s", count_tokens=len, split="turns")

said: list[Said] = [{"role": "user", "content": "Hello"}]
planning = Compactor(max_tokens=1)
assert_type(planning.plan(said), Plan[Said])
assert_type(planning.plan(said).older, list[Said] | None)
assert_type(planning.plan_json("[]"), JsonPlan[str])
assert_type(planning.plan_json(b"[]").older, bytes | None)
assert_type(planning.apply_json("[]", lambda older: older.strip()), str | None)
assert_type(planning.apply_json(b"[]", lambda older: older.decode()), bytes | None)
outcome = planning.plan(said).outcome
if outcome == "compact":
    print("compacted")
