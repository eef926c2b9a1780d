"""Draws docs/before-and-after.svg: a transcript, what a plan of the library makes of it, and what comes out.

    python3 docs/figures/picture.py [--write]     without it: says whether the picture is what would be drawn
"""
from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "port"))

from library import Library  # noqa: E402

PICTURE = ROOT / "docs" / "before-and-after.svg"
OPTIONS = {"max_tokens": 450, "keep_tail": 100}
SUMMARY = "Beds 2 and 5 were dry. For the plan: rain on Wednesday and Thursday; bed 5 bolts in the heat."

WIDTH = 920
TOP = 92
ROW = 28
BAR = 22
LEFT, LEFT_WIDTH = 92, 322
RIGHT, RIGHT_WIDTH = 574, 326

STYLE = (
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px;fill:#1f2328}"
    ".title{font-size:16px;font-weight:600}.head{font-size:13px;font-weight:600}.quiet{fill:#59636e}.end{text-anchor:end}"
    ".page{fill:#ffffff;stroke:#d1d9e0}.kept{fill:#ddf4ff;stroke:#0969da}.older{fill:#eff2f5;stroke:#afb8c1}"
    ".both{fill:#ddf4ff;stroke:#0969da;stroke-dasharray:4 2}.summary{fill:#fff8c5;stroke:#9a6700}"
    ".line{fill:none;stroke:#59636e}.to-kept{fill:none;stroke:#0969da}.to-summary{fill:none;stroke:#9a6700}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9198a1}.page{fill:#0d1117;stroke:#3d444d}"
    ".kept{fill:#10233b;stroke:#4493f8}.older{fill:#21262d;stroke:#59636e}.both{fill:#10233b;stroke:#4493f8}"
    ".summary{fill:#2e2a14;stroke:#d29922}.line{stroke:#9198a1}.to-kept{stroke:#4493f8}.to-summary{stroke:#d29922}}"
)


def text(x: float, y: float, words: str, kind: str = "") -> str:
    return f'<text{f" class={chr(34)}{kind}{chr(34)}" if kind else ""} x="{x}" y="{y}">{escape(words)}</text>'


def shortened(words: str, length: int) -> str:
    return words if len(words) <= length else words[: length - 1].rstrip(" .,") + "…"


def label(message: dict[str, Any]) -> str:
    if message.get("tool_calls"):
        return "assistant calls " + ", ".join(call["function"]["name"] for call in message["tool_calls"])
    return shortened(f"{message['role']}: {message['content']}", 40)


def bar(x: float, y: float, width: float, kind: str, words: str, tokens: int) -> list[str]:
    return [
        f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{BAR}" rx="4"/>',
        text(x + 9, y + 15, words),
        text(x + width - 9, y + 15, str(tokens), "quiet end"),
    ]


def bracket(x: float, top: float, bottom: float, words: str) -> list[str]:
    return [
        f'<path class="line" d="M{x + 5} {top}H{x}V{bottom}H{x + 5}"/>',
        text(x - 6, (top + bottom) / 2 + 4, words, "quiet end"),
    ]


def top_of(row: int) -> float:
    return TOP + row * ROW


def runs_of(messages: list[dict[str, Any]], start: int) -> list[tuple[int, int, str]]:
    """The turns, and of the last one the steps: what the model did, and what it got for it."""
    users = [index for index, message in enumerate(messages) if message["role"] == "user"]
    turns = [
        (first, after, f"turn {number}")
        for number, (first, after) in enumerate(zip(users, users[1:] + [len(messages)]), 1)
        if first >= start
    ]
    models = [index for index, message in enumerate(messages) if message["role"] == "assistant" and index > users[-1]]
    steps = [
        (first, after, f"step {number}") for number, (first, after) in enumerate(zip(models, models[1:] + [len(messages)]), 1)
    ]
    return [*turns[:-1], (users[-1], users[-1] + 1, turns[-1][2]), *steps]


def drawn() -> str:
    library = Library()
    messages = json.loads((ROOT / "docs" / "figures" / "picture.json").read_text(encoding="utf-8"))
    with library.compactor(**OPTIONS) as compactor:
        plan = compactor.plan(json.dumps(messages), SUMMARY)
    assert plan.result is not None and plan.request_start < plan.request_end, "the picture shows a turn that is cut"
    result = json.loads(plan.result)

    def tokens(message: dict[str, Any]) -> int:
        return library.estimate(json.dumps([message]))

    height = TOP + len(messages) * ROW + 46
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" role="img" '
        'aria-labelledby="title desc">',
        '<title id="title">A transcript before and after compacting</title>',
        '<desc id="desc">On the left the messages of two turns, the second cut between two of its steps; on the right the leading '
        "instructions, the summary, the request and the last step.</desc>",
        f"<style>{STYLE}</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>',
        text(20, 30, "A transcript before and after compacting", "title"),
        text(20, 49, f"max_tokens {OPTIONS['max_tokens']}, keep_tail {OPTIONS['keep_tail']}; each message with its estimated tokens.",
             "quiet"),
        text(LEFT, TOP - 14, f"before: {plan.tokens} tokens", "head"),
        text(RIGHT, TOP - 14, f"after: {library.estimate(plan.result)} tokens", "head"),
    ]

    for index, message in enumerate(messages):
        requested = plan.request_start <= index < plan.request_end
        older = plan.head_end <= index < plan.tail_start
        out += bar(LEFT, top_of(index), LEFT_WIDTH, "both" if requested else "older" if older else "kept", label(message),
                   tokens(message))
    for first, after, words in runs_of(messages, plan.head_end):
        out += bracket(LEFT - 12, top_of(first) + 2, top_of(after - 1) + BAR - 2, words)

    # Where each message of the result comes from: an index into the transcript, or none for the summary.
    kept = [*range(plan.head_end), None, *range(plan.request_start, plan.request_end), *range(plan.tail_start, len(messages))]
    assert len(kept) == len(result)
    summary_top = top_of((plan.head_end + plan.request_start) // 2)
    for source, message in zip(kept, result):
        # What is kept stays at its height, so that its lines run straight.
        if source is None:
            out += bar(RIGHT, summary_top, RIGHT_WIDTH, "summary", shortened("summary: " + SUMMARY, 42), tokens(message))
        else:
            out += bar(RIGHT, top_of(source), RIGHT_WIDTH, "kept", label(message), tokens(message))

    edge = LEFT + LEFT_WIDTH
    for source in kept:
        if source is not None:
            middle = top_of(source) + BAR / 2
            out.append(f'<path class="to-kept" d="M{edge} {middle}H{RIGHT}"/>')
    # All that is summarized, the request included, as one brace towards the summary.
    first, last = top_of(plan.head_end) + 2, top_of(plan.tail_start - 1) + BAR - 2
    brace = edge + 14
    target = summary_top + BAR / 2
    out.append(f'<path class="to-summary" d="M{brace - 6} {first}H{brace}V{last}H{brace - 6}M{brace} {target}H{RIGHT}"/>')
    out.append(text(brace + 8, target - 6, "you summarize", "quiet"))
    out.append(text(brace + 8, top_of(plan.request_start) + BAR / 2 - 6, "the request stays", "quiet"))

    key = height - 22
    for left, kind, words in ((LEFT, "kept", "kept, byte for byte"), (LEFT + 170, "older", "older: summarized"),
                              (LEFT + 330, "both", "both"), (LEFT + 420, "summary", "new")):
        out.append(f'<rect class="{kind}" x="{left}" y="{key - 10}" width="20" height="12" rx="3"/>')
        out.append(text(left + 28, key, words, "quiet"))
    return "\n".join(out) + "\n</svg>\n"


def main() -> int:
    picture = drawn()
    if "--write" in sys.argv[1:]:
        PICTURE.write_text(picture, encoding="utf-8")
        return 0
    if PICTURE.read_text(encoding="utf-8") == picture:
        return 0
    print(f"{PICTURE.name} is not what {Path(__file__).name} draws: run it with --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())
