"""Runs the examples and looks at what comes out of them: examples.py BUILT [--without-send]

BUILT is the folder of the programs. Prints `ok NAME` or `not ok NAME: what is wrong` for each, and nothing else.
"""
import json
import os
import subprocess
import sys

BUILT = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
TRANSCRIPT = os.path.join(HERE, "..", "..", "c", "transcript.json")
PREFIX = "[Summary of earlier conversation]\n"


def run(name, *arguments, stdin=None, status=0):
    # A proxy that the machine has is not for loopback.
    ended = subprocess.run([os.path.join(BUILT, name), *arguments], input=stdin, capture_output=True, timeout=120,
                           env={**os.environ, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"})
    assert ended.returncode == status, f"status {ended.returncode}: {ended.stderr.decode()}"
    return ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8")


def no_result_without_its_call(messages):
    calls = set()
    for message in messages:
        calls.update(call["id"] for call in message.get("tool_calls") or ())
        assert message["role"] != "tool" or message["tool_call_id"] in calls, f"an orphan: {message}"


def under_budget_nothing_happens():
    out, _ = run("under_budget")
    assert out.startswith("unchanged: under_budget, "), out


def a_transcript_with_tool_calls_is_cut_between_two_turns():
    out, err = run("tool_calls")
    assert err.startswith("compact: "), err
    # The system message as it was written, byte for byte.
    assert out.startswith('[{"role": "system", "content": "You are a weather service.\\nAnswer briefly. 🌦"},'), out
    messages = json.loads(out)
    assert messages[1]["role"] == "system" and messages[1]["content"].startswith(PREFIX), messages[1]
    assert messages[2]["role"] == "user" and not messages[2]["content"].startswith(PREFIX), messages[2]
    assert [message["content"] for message in messages if message["role"] == "user"][-1] == "What is the weather in Tromsø?"
    assert len(messages) < 17 and sum(message["role"] == "tool" for message in messages) >= 1
    no_result_without_its_call(messages)


def a_list_of_objects_is_cut():
    out, _ = run("own_messages")
    assert out == ("system: You tend a garden.\n"
                   f"system: {PREFIX}2 messages about carrots.\n"
                   "user: And leeks?\n"
                   "assistant: They are content with the shade.\n"), out


def the_chat_api_receives_the_compacted_transcript():
    with open(TRANSCRIPT, "rb") as file:
        text = file.read()
    before = json.loads(text)
    requests = os.path.join(BUILT, "requests")
    open(requests, "w").close()
    server = subprocess.Popen([sys.executable, os.path.join(HERE, "stub_server.py"), requests], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        url = f"http://127.0.0.1:{int(server.stdout.readline())}"
        out, _ = run("send", url, stdin=text)
        # The stub refuses an orphan, and what the program says of it is the stub's word.
        orphan = b'[{"role":"user","content":"?"},{"role":"tool","tool_call_id":"gone","content":"!"}]'
        _, err = run("send", url, stdin=orphan, status=1)
        # And a transcript under budget goes out as it came in.
        run("send", url, stdin=b'[{"role":"user","content":"High water?"}]')
    finally:
        server.communicate(timeout=60)
    assert json.loads(out)["choices"][0]["message"]["content"] == "High water at six. 🌊", out
    assert "400" in err and "no tool call gone" in err, err
    with open(requests, encoding="utf-8") as file:
        received = [json.loads(line)["messages"] for line in file]
    assert len(received) == 3, f"{len(received)} requests"
    messages = received[0]
    assert messages[0] == before[0] and messages[0]["role"] == "system", messages[0]
    assert messages[1]["role"] == "system" and messages[1]["content"].startswith(PREFIX), messages[1]
    assert messages[1]["content"].endswith(" messages about tide gauges."), messages[1]
    assert messages[2]["role"] == "system" and "save it with the memory tool now" in messages[2]["content"], messages[2]
    assert messages[3]["role"] == "user" and messages[3] in before, messages[3]
    assert messages[4:] == before[len(before) - len(messages[4:]):], "the tail is another"
    assert len(messages) < len(before), "nothing was left out"
    no_result_without_its_call(messages)
    assert received[2] == [{"role": "user", "content": "High water?"}], received[2]


def main():
    tests = [under_budget_nothing_happens, a_transcript_with_tool_calls_is_cut_between_two_turns, a_list_of_objects_is_cut]
    if "--without-send" not in sys.argv:
        tests.append(the_chat_api_receives_the_compacted_transcript)
    failed = 0
    for test in tests:
        try:
            test()
            print(f"ok {test.__name__}")
        except Exception as wrong:  # whatever it is, it is this test's
            failed += 1
            print(f"not ok {test.__name__}: {type(wrong).__name__}: {wrong}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
