"""Holds `compact --explain` against an independent count and against what was written.

usage: check_explanation.py [--budgets N,N,... | --budgets half] FILE...

A FILE is a transcript, or a small case with its options and its right answers. Checked for each: there is one row per message,
in order, with its role and its tokens; the rows of the input add up to the figures before, the rows that are left add up to the
figures after; and the output is, byte for byte, the input's rows that are said to be kept, around the new ones.
"""

import json
import os
import subprocess
import sys

UNITS = {
    "code_point": lambda text: len(text),
    "utf16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf8": lambda text: len(text.encode("utf-8", "surrogatepass")) + 3 * (text.count("\u2028") + text.count("\u2029")),
}


def compact_json(raw):
    """The message as JSON.stringify would write it; numbers and repeated keys as they stand in the text."""

    class Verbatim(float):
        def __new__(cls, text):
            number = super().__new__(cls, 0)
            number.text = text
            return number

    decoder = json.JSONDecoder(object_pairs_hook=lambda pairs: pairs and ("object", pairs) or ("object", []), parse_float=Verbatim,
                               parse_int=Verbatim, strict=False)

    def write(value):
        if isinstance(value, Verbatim):
            return value.text
        if isinstance(value, tuple):
            return "{" + ",".join(json.dumps(key, ensure_ascii=False) + ":" + write(item) for key, item in value[1]) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(write, value)) + "]"
        return json.dumps(value, ensure_ascii=False)

    # json.dumps escapes U+007F not at all and control characters in six, as JSON.stringify does.
    return write(decoder.decode(raw))


def elements(text):
    """The messages of a transcript as they stand in it."""
    decoder, raw, at = json.JSONDecoder(strict=False), [], text.index("[") + 1
    while True:
        while text[at] in " \t\r\n,":
            at += 1
        if text[at] == "]":
            return raw
        _, end = decoder.raw_decode(text, at)
        raw.append(text[at:end])
        at = end


def tokens(raw, unit):
    return -(-UNITS[unit](compact_json(raw)) // 4)


def speaker(raw):
    message = json.loads(raw, strict=False)
    name = next((message[key] for key in ("role", "type") if isinstance(message.get(key), str)), "")
    return "".join(c if " " < c < "\x7f" else "?" for c in name[:24]) or "-"


def check(text, arguments, unit, expected_outcome=None, expected_tokens=None):
    run = subprocess.run([os.environ["TN_COMPACT"], "--explain", *arguments], input=text.encode(), capture_output=True, timeout=120)
    explanation = run.stderr.decode()
    assert run.returncode == 0, f"exit status {run.returncode}: {explanation}"
    out = run.stdout.decode()
    before = elements(text)
    lines = [line.split() for line in explanation.splitlines()]
    assert lines[0] == ["message", "role", "tokens", "becomes"], explanation
    blank = lines.index([])
    rows = [(row[0], row[1], int(row[2]), row[3]) for row in lines[1:blank]]
    figures = {line[0]: line[1:] for line in lines[blank + 2:]}
    outcome = figures["outcome"][0]

    old = [row for row in rows if row[3] != "new"]
    new = [row for row in rows if row[3] == "new"]
    assert [row[0] for row in old] == [str(i) for i in range(len(before))], "one row per message, in order"
    for row, raw in zip(old, before):
        assert row[1] == speaker(raw), f"message {row[0]}: role {row[1]}"
        assert row[2] == tokens(raw, unit), f"message {row[0]}: {row[2]} tokens instead of {tokens(raw, unit)}"
    total = sum(row[2] for row in old)
    assert list(map(int, figures["before"])) == [len(before), total, len(text.encode())], f"before: {figures['before']}, {total}"
    if expected_tokens is not None:
        assert total == expected_tokens, f"{total} tokens instead of {expected_tokens}"
    if expected_outcome is not None:
        assert outcome == expected_outcome, f"{outcome} instead of {expected_outcome}"

    left = [row for row in rows if row[3] != "summarized"]
    after = elements(out)
    assert list(map(int, figures["after"])) == [len(after), sum(row[2] for row in left), len(run.stdout)], f"after: {figures['after']}"
    if outcome != "compact":
        assert out == text and not new and len(left) == len(rows), f"{outcome}, but something changed"
        return
    assert len(new) == (2 if "--flush-to-memory" in arguments else 1), new
    fates = [row[3] for row in old]
    head_end = next(i for i, fate in enumerate(fates) if fate != "kept")
    made = after[head_end:head_end + len(new)]
    wanted = [before[i] for i in range(head_end)] + made
    wanted += [before[i] for i, fate in enumerate(fates) if fate == "kept+summarized"]
    wanted += [before[i] for i, fate in enumerate(fates) if fate == "kept" and i >= head_end]
    assert out == "[" + ",".join(wanted) + "]", "the output is not what the explanation says"
    for row, raw in zip(new, made):
        assert (row[0], row[1], row[2]) == ("-", speaker(raw), tokens(raw, unit)), f"new message: {row}"


def runs(path, budgets):
    text = open(path, encoding="utf-8", newline="").read()
    case = json.loads(text, strict=False)
    if isinstance(case, list):
        total = sum(tokens(raw, "code_point") for raw in elements(text))
        for number, budget in enumerate([total // 2] if budgets == "half" else map(int, budgets.split(","))):
            unit = list(UNITS)[number % 3]
            yield text, ["--max-tokens", str(budget), "--char-unit", unit], unit, None, None
            yield text, ["--max-tokens", str(budget), "--flush-to-memory", "--split", "turns"], "code_point", None, None
        return
    transcript = case.get("messages_text") or json.dumps(case["messages"], ensure_ascii=True)
    arguments = []
    for key, value in case["options"].items():
        if value is True:
            arguments.append("--" + key.replace("_", "-"))
        elif value is not False:
            arguments += ["--" + key.replace("_", "-"), str(value)]
    default = case["options"].get("char_unit", "code_point")
    for unit in UNITS:
        for split in ("steps", "turns"):
            expect = case["expect"]
            if split in expect:
                expect = expect[split]
            outcome = expect["outcome"] if unit == default and case["options"].get("split", split) == split else None
            yield (transcript, arguments + ["--char-unit", unit, "--split", split], unit, outcome, case.get("tokens", {}).get(unit))


def main(arguments):
    budgets = "half"
    if arguments[0] == "--budgets":
        budgets, arguments = arguments[1], arguments[2:]
    failed = count = 0
    for path in arguments:
        for text, options, unit, outcome, total in runs(path, budgets):
            count += 1
            try:
                check(text, options, unit, outcome, total)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failed += 1
                print(f"{path} {' '.join(options)}: {error}")
    if count == 0:
        print("nothing was checked")
    return 1 if failed or count == 0 else 0


sys.exit(main(sys.argv[1:]))
