"""Times the hook beside the one it takes the place of: a transcript of a megabyte, medians of runs by turns in this process.

    bindings/python/test.sh bench

Both hooks get the list of messages, as an agent's loop holds it. The JSON road is for a host that holds text: the port's user
has to decode it and encode the result.
"""
from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import tn_compactor
from toolnexus.agents import compactor as ports_compactor

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "port"))
from bench import medians, transcript

RUNS = 15
SUMMARY = "What was said so far."
# What is asked for: so many times the port's time at most.
MOST = {"under budget": 1.25, "a quarter kept": 1 / 20}


def summarize(_older: Any) -> str:
    return SUMMARY


def main() -> int:
    loop = asyncio.new_event_loop()
    messages = transcript(1_000_000)
    text = json.dumps(messages, ensure_ascii=False)
    utf8 = text.encode()
    total = tn_compactor.estimate_tokens(messages)
    print(f"{len(utf8)} bytes, {len(messages)} messages, {total} tokens; Python {sys.version.split()[0]}; medians of {RUNS}")
    print(f"{'':16} {'':26} {'ms':>9} {'of the port':>12} {'times as fast':>14}")

    def awaited(make: Callable[..., Any], **options: Any) -> Callable[[], Any]:
        hook = make(summarize=summarize, **options)
        return lambda: loop.run_until_complete(hook({"messages": messages}))

    missed = []
    for what, budget in (("under budget", {"max_tokens": total}), ("a quarter kept", {"max_tokens": total // 2})):
        budget["keep_tail"] = total // 4
        compactor = tn_compactor.Compactor(**budget)
        ported = awaited(ports_compactor, **budget)

        def ported_json() -> str:
            answer = loop.run_until_complete(ports_compactor(summarize=summarize, **budget)({"messages": json.loads(text)}))
            return text if answer is None else json.dumps(answer["messages"], ensure_ascii=False)

        rows = {
            "port": ported,
            "tn_compactor": awaited(tn_compactor.compactor, **budget),
            "tn_compactor, orjson": awaited(tn_compactor.compactor, dumps=orjson.dumps, **budget),
            "JSON road: port": ported_json,
            "JSON road: tn_compactor": lambda: compactor.apply_json(text, summarize),
            "JSON road, bytes": lambda: compactor.apply_json(utf8, summarize),
        }
        if rows["port"]() != rows["tn_compactor"]():
            print(f"{what}: the two give different transcripts")
            return 1
        took = medians(RUNS if what == "under budget" else 5, **rows)
        for name, seconds in took.items():
            of_port = seconds / took["JSON road: port" if name.startswith("JSON") else "port"]
            print(f"{what:16} {name:26} {seconds * 1e3:9.2f} {of_port:12.4f} {1 / of_port:14.1f}")
        if took["tn_compactor"] > MOST[what] * took["port"]:
            missed.append(what)
    print(f"wanted: under budget at most 1.25 of the port, a quarter kept at least 20 times as fast: {missed or 'reached'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
