"""The programs in examples/, run as a reader would, and what they show."""
from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import subprocess
import sys
from typing import Any

import pytest
from conversation import BINDING, same_objects
from tn_compactor import FLUSH_REMINDER, SUMMARY_PREFIX

EXAMPLES = BINDING / "examples"

needs_toolnexus = pytest.mark.skipif(
    importlib.util.find_spec("toolnexus") is None, reason="python agent loop: toolnexus needs Python 3.11"
)


def example(name: str) -> Any:
    return importlib.import_module(name)


@pytest.mark.parametrize(
    "name", ["under_budget", "over_budget", pytest.param("agent_loop", marks=needs_toolnexus)]
)
def test_the_example_runs_as_a_program(name: str) -> None:
    done = subprocess.run([sys.executable, f"{name}.py"], cwd=EXAMPLES, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout


def test_under_budget_nothing_happens(capsys: pytest.CaptureFixture[str]) -> None:
    module = example("under_budget")
    before = json.dumps(module.MESSAGES)
    assert asyncio.run(module.main()) is None
    assert json.dumps(module.MESSAGES) == before
    assert "unchanged" in capsys.readouterr().out


def test_over_budget_the_older_turns_become_a_summary() -> None:
    module = example("over_budget")
    messages = asyncio.run(module.main())
    assert messages[0] is module.MESSAGES[0]
    assert messages[1]["content"].startswith("[Summary of earlier conversation]\n")
    assert "Which soil" in messages[1]["content"]
    tail = messages[2:]
    assert tail[0]["role"] == "user" and same_objects(tail, module.MESSAGES[-len(tail) :])
    assert no_result_without_its_call(messages) and any(message["role"] == "tool" for message in tail)


@needs_toolnexus
def test_in_an_agents_loop_the_model_receives_the_summary_and_the_reminder() -> None:
    requests = asyncio.run(example("agent_loop").main())
    chats = [request["messages"] for request in requests if request.get("tools")]
    compacted = [chat for chat in chats if len(chat) > 1 and str(chat[1]["content"]).startswith(SUMMARY_PREFIX)]
    assert 0 < len(compacted) < len(chats)
    for chat in compacted:
        assert chat[0]["role"] == "system" and chat[0]["content"].startswith("You plan gardens.")
        assert chat[1]["role"] == "system" and "heavy clay" in chat[1]["content"]
        assert chat[2] == {"role": "system", "content": FLUSH_REMINDER}
        assert chat[3]["role"] == "user"
    assert all(no_result_without_its_call(chat) for chat in chats)
    assert any(message["role"] == "tool" for chat in compacted for message in chat)
    # The last question is answered from a compacted transcript that still holds it.
    assert any(message["content"] == "Which two go well together?" for message in chats[-1])
    # The writer of the summary was asked about the older turns.
    writing = [request["messages"] for request in requests if not request.get("tools")]
    assert len(writing) == 1 and "Which soil suits carrots?" in writing[0][-1]["content"]


def no_result_without_its_call(messages: list[Any]) -> bool:
    called: set[str] = set()
    for message in messages:
        called.update(call["id"] for call in message.get("tool_calls") or ())
        if message["role"] == "tool" and message["tool_call_id"] not in called:
            return False
    return True
