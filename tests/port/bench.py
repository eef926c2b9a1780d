"""Times the library against the hand-written Python port: one transcript of a megabyte, of which a quarter is kept.

Both run in this process, by turns, so that what else the machine does falls on both alike. The library is called
through ctypes with the transcript as text, the port with its list of messages; what a host pays beside, that holds a
list and turns it into text and back, is shown apart.
"""
from __future__ import annotations

import asyncio
import json
import random
import statistics
import sys
import time
from typing import Any, Callable

import port
from library import Library

MEGABYTE = 1_000_000
SUMMARY = "What was said so far."
RUNS = 7
WANTED_RATIO = 50

SENTENCES = (
    "The build fails in the linker because the archive comes before the object that needs it.",
    "I changed the parser, ran the tests again, and three of them still print the old offset.",
    "请把这个函数改成线性的，然后再跑一遍测试。",
    "压缩之后的对话必须保留系统消息和最后一个问题。",
    "Done 🚀, and the benchmark is faster by a third 😀.",
    'It answers {"ok": false, "reason": "timeout"}\nafter 30 s.',
)


def transcript(size: int) -> list[dict[str, Any]]:
    """Turns of a request, some tool calls with their results, and an answer, until ``size`` bytes are full."""
    rng = random.Random(20)
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a careful engineer."}]
    filled = calls = 0

    def text(sentences: int) -> str:
        return " ".join(rng.choices(SENTENCES, k=sentences))

    while filled < size:
        turn: list[dict[str, Any]] = [{"role": "user", "content": text(2)}]
        for _ in range(rng.randint(1, 3)):
            calls += 1
            turn += [
                {"role": "assistant", "content": None, "tool_calls": [{
                    "id": f"call_{calls}", "type": "function",
                    "function": {"name": "run", "arguments": json.dumps({"command": text(1), "timeout": 30})}}]},
                {"role": "tool", "tool_call_id": f"call_{calls}", "content": text(rng.randint(2, 8))},
            ]
        turn.append({"role": "assistant", "content": text(3)})
        messages += turn
        filled += sum(len(written(message)) for message in turn)
    return messages


def written(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8")


def medians(runs: int, **timed: Callable[[], Any]) -> dict[str, float]:
    """Seconds of each, the median of so many runs by turns."""
    seconds: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(runs):
        for name, call in timed.items():
            before = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - before)
    return {name: statistics.median(taken) for name, taken in seconds.items()}


def main() -> int:
    library, loop = Library(), asyncio.new_event_loop()
    messages = transcript(MEGABYTE)
    text = written(messages)
    total = port.estimate_tokens(messages)
    print(f"{len(text)} bytes, {len(messages)} messages, {total} tokens; medians of {RUNS} runs by turns")

    ratios = {}
    for what, max_tokens in (("a quarter kept", total // 2), ("under budget", total)):
        hook = port.Hook(loop, max_tokens, total // 4, False, None)
        with library.compactor(max_tokens=max_tokens, keep_tail=total // 4, split="turns") as compactor:

            def apply() -> Any:
                return compactor.apply(text, lambda *_: SUMMARY)

            def apply_to_a_list() -> Any:
                result = compactor.apply(written(messages), lambda *_: SUMMARY)
                return messages if result is None else json.loads(result)

            def ports() -> Any:
                compaction = hook.run(messages, SUMMARY)
                return messages if compaction is None else compaction.messages

            if apply_to_a_list() != ports():
                print(f"{what}: the two give different transcripts")
                return 1
            took = medians(RUNS, library=apply, library_of_a_list=apply_to_a_list, port=ports)
        ratios[what] = took["port"] / took["library"]
        print(f"{what}: library {took['library'] * 1e3:.2f} ms, port {took['port'] * 1e3:.2f} ms: "
              f"{ratios[what]:.0f} times; with the list encoded and decoded {took['library_of_a_list'] * 1e3:.2f} ms: "
              f"{took['port'] / took['library_of_a_list']:.0f} times")
    wanted = ratios["a quarter kept"] >= WANTED_RATIO
    print(f"wanted with a quarter kept: at least {WANTED_RATIO} times: {'reached' if wanted else 'MISSED'}")
    return 0 if wanted else 1


if __name__ == "__main__":
    sys.exit(main())
