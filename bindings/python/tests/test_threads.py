"""One compactor, many threads and event loops."""
from __future__ import annotations

import asyncio
import json
import os
import threading
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import tn_compactor
from conversation import same_objects, turns
from tn_compactor import SUMMARY_PREFIX, Compactor, compactor

THREADS = 16
ROUNDS = 60


def everywhere(work: Callable[[int], None]) -> None:
    """Runs ``work`` on many threads that all begin at once; the first failure is raised."""
    begin = threading.Barrier(THREADS)

    def run(number: int) -> None:
        begin.wait()
        work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        for done in [pool.submit(run, number) for number in range(THREADS)]:
            done.result()


def test_threads_share_a_compactor_and_each_gets_its_own_answer() -> None:
    shared = Compactor(max_tokens=300)

    def work(number: int) -> None:
        messages = turns(8 + number)
        text = json.dumps(messages)
        for around in range(ROUNDS):
            mark = f"thread {number} round {around}"

            def count(some: list[Any]) -> int:
                assert all(any(message is mine for mine in messages) for message in some)
                return tn_compactor.estimate_tokens(some)

            result = shared.apply(messages, lambda older: f"{mark}: {len(older)}", count)
            as_text = shared.apply_json(text, lambda older: f"{mark}: {len(json.loads(older))}")
            assert result is not None and as_text is not None and json.loads(as_text) == result
            dropped = len(messages) - (len(result) - 1)
            assert result[0]["content"] == f"{SUMMARY_PREFIX}{mark}: {dropped}"
            assert same_objects(result[1:], messages[dropped:])

    everywhere(work)


def test_a_failure_on_one_thread_reaches_that_thread_alone() -> None:
    shared = Compactor(max_tokens=300)
    text = json.dumps(turns(8))

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            raised = RuntimeError(f"thread {number}")

            def summarize(_older: str) -> str:
                time.sleep(0)
                if number % 2:
                    raise raised
                return f"thread {number}"

            try:
                result = shared.apply_json(text, summarize)
            except RuntimeError as error:
                assert error is raised
            else:
                assert number % 2 == 0 and result is not None and f"thread {number}" in result

    everywhere(work)


def test_threads_share_a_plan() -> None:
    plan = Compactor(max_tokens=300).plan(turns(20))
    text_plan = Compactor(max_tokens=300).plan_json(json.dumps(turns(20)))

    def work(number: int) -> None:
        for _ in range(ROUNDS):
            result, as_text = plan.finish(f"thread {number}"), text_plan.finish(f"thread {number}")
            assert as_text is not None and result == json.loads(as_text)
            assert text_plan.older is not None and json.loads(text_plan.older) == plan.older

    everywhere(work)


def test_event_loops_on_many_threads_share_a_hook() -> None:
    async def summarize(older: list[Any]) -> str:
        await asyncio.sleep(0.001)
        return f"{older[0]['content']} and {len(older) - 1} more"

    hook = compactor(max_tokens=300, summarize=summarize)

    async def many(number: int) -> None:
        async def one(around: int) -> None:
            messages = [{"role": "user", "content": f"{number}/{around}"}, *turns(8)]
            answer = await hook({"messages": messages})
            assert answer is not None
            assert answer["messages"][0]["content"].startswith(f"{SUMMARY_PREFIX}{number}/{around} and ")

        await asyncio.gather(*(one(around) for around in range(20)))

    everywhere(lambda number: asyncio.run(many(number)))


def test_a_child_of_a_fork_compacts_though_another_thread_was_in_a_callback() -> None:
    compact = Compactor(max_tokens=300)
    messages = turns(8)
    text = json.dumps(messages)
    plan = compact.plan(messages)
    expected = compact.apply_json(text, lambda older: "s")
    inside, go_on = threading.Event(), threading.Event()
    results: list[str | None] = []

    def summarize(_older: str) -> str:
        inside.set()
        go_on.wait(60)
        return "s"

    other = threading.Thread(target=lambda: results.append(compact.apply_json(text, summarize)))
    other.start()
    assert inside.wait(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # threads and fork: just what is tried here
        child = os.fork()
    if child == 0:
        works = False
        try:
            finished = plan.finish("s")
            works = compact.apply_json(text, lambda older: "s") == expected and finished == json.loads(expected or "")
        finally:
            os._exit(0 if works else 1)
    _, status = os.waitpid(child, 0)
    go_on.set()
    other.join()
    assert os.waitstatus_to_exitcode(status) == 0
    assert results == [expected]


def test_other_threads_run_while_the_library_reads() -> None:
    text = json.dumps(turns(1)).encode()[1:-1]
    large = b"[" + b",".join([text] * 150_000) + b"]"
    compact = Compactor(max_tokens=0)
    done = threading.Event()
    took = 0.0

    def read() -> None:
        nonlocal took
        before = time.perf_counter()
        compact.plan_json(large)
        took = time.perf_counter() - before
        done.set()

    reader = threading.Thread(target=read)
    reader.start()
    ticks = 0
    while not done.wait(0.001):
        ticks += 1
    reader.join()
    # With the lock held throughout there would be no tick between the start and the end of the call but the first.
    assert ticks > 10, f"{ticks} ticks in {took:.3f} s"
