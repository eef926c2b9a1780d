"""Writes the figures of docs/choosing-a-budget.md, or says whether they are what the page has.

    docs/figures/run [--write]     in an environment of its own, with all that is needed
"""
from __future__ import annotations

import difflib
import json
import os
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "port"))

from library import Library  # noqa: E402

from counters import Counter, counters  # noqa: E402
from replay import replay  # noqa: E402
from texts import CHINESE, JSON, PROSE, RESULTS, Text, has_media, made_texts, texts  # noqa: E402

PAGE = ROOT / "docs" / "choosing-a-budget.md"
TRANSCRIPTS = Path(os.environ.get("TN_TRANSCRIPTS") or ROOT.parent / "shared" / "transcripts")

DIALECTS = {
    "openai-chat": "OpenAI chat",
    "openai-responses": "OpenAI Responses",
    "anthropic": "Anthropic",
    "gemini": "Gemini",
    "bedrock-converse": "Bedrock Converse",
}
# A short text says little of its kind.
LEAST_CHARACTERS = 200
# What a chat template puts around a message.
TOKENS_AROUND_A_MESSAGE = 4
SHARES = ((1, 8), (1, 4), (1, 2), (3, 4))
LEAST_MESSAGES = 40
LEAST_TOKENS = 8000


def percentile(values: list[float], percent: int) -> float:
    """The value that so many in a hundred do not exceed: one of them, not one between two."""
    ordered = sorted(values)
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in [head, ["---"] + ["--:"] * (len(head) - 1), *rows]]


def estimate(text: Text, unit: str) -> float:
    return len(text.written if unit == "code_point" else text.written.encode("utf-8", "replace")) / 4


def by_kind(count: list[Counter], transcripts: dict[str, list[Any]]) -> list[str]:
    kinds: dict[str, dict[str, Text]] = defaultdict(dict)
    for messages in transcripts.values():
        for message in messages:
            for text in texts(message):
                if text.kind and len(text.text) >= LEAST_CHARACTERS:
                    kinds[text.kind][text.text] = text
    rows = []
    for kind in (PROSE, RESULTS, JSON, CHINESE):
        found = list(kinds[kind].values())
        rows.append(row(kind, found, count))
    rows += [row(text.kind, [text], count) for text in made_texts()]
    head = ["kind of text", "texts"]
    head += [f"{counter.name}, `{unit}`" for unit in ("code_point", "utf8") for counter in count]
    return table(head, rows)


def row(kind: str, found: list[Text], count: list[Counter]) -> list[str]:
    cells = []
    tokens = {counter.name: [counter.count(text.text) for text in found] for counter in count}
    for unit in ("code_point", "utf8"):
        for counter in count:
            ratios = [n / estimate(text, unit) for n, text in zip(tokens[counter.name], found)]
            middle = statistics.median(ratios)
            cells.append(f"{middle:.2f}" if len(found) == 1 else f"{middle:.2f} / {percentile(ratios, 95):.2f}")
    return [kind, str(len(found)), *cells]


def by_transcript(library: Library, count: list[Counter], transcripts: dict[str, list[Any]]) -> list[str]:
    ratios: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, messages in transcripts.items():
        estimated = library.estimate(json.dumps(messages))
        for counter in count:
            tokens = sum(
                TOKENS_AROUND_A_MESSAGE + sum(counter.count(text.text) for text in texts(message)) for message in messages
            )
            for dialect in (DIALECTS[name.split("/")[0]], "all"):
                ratios[dialect][counter.name].append(tokens / estimated)
    rows = []
    for dialect in (*DIALECTS.values(), "all"):
        figures = [ratios[dialect][counter.name] for counter in count]
        rows.append(
            [dialect, str(len(figures[0]))]
            + [f"{statistics.median(of_one):.2f} / {percentile(of_one, 95):.2f} / {max(of_one):.2f}" for of_one in figures]
        )
    return table(["dialect", "transcripts", *(counter.name for counter in count)], rows)


def by_tail(library: Library, transcripts: dict[str, list[Any]]) -> list[str]:
    """A quarter of each transcript is its budget, so that it has to be compacted several times."""
    roomy: list[tuple[list[Any], int, int]] = []
    full: list[tuple[list[Any], int, int]] = []
    for messages in transcripts.values():
        tokens = library.estimate(json.dumps(messages))
        if len(messages) < LEAST_MESSAGES or tokens < LEAST_TOKENS:
            continue
        instructions = 0
        while messages[instructions].get("role") in ("system", "developer"):
            instructions += 1
        head = library.estimate(json.dumps(messages[:instructions]))
        (roomy if head < tokens // 4 / 4 else full).append((messages, tokens // 4, head))
    rows = []
    for part, whole in SHARES:
        runs = [replay(library, messages, budget, budget * part // whole) for messages, budget, _ in roomy]
        rows.append([
            f"{part}/{whole} of `max_tokens`" + (", the default" if (part, whole) == (1, 2) else ""),
            f"{statistics.mean(run.compactions for run in runs):.1f}",
            f"{statistics.mean(run.summarized for run in runs):.2f}",
            f"{statistics.median(run.after for run in runs):.2f}",
            f"{statistics.mean(run.at_a_call for run in runs):.2f}",
            f"{100 * statistics.mean(run.over for run in runs):.1f} %",
        ])
    crowded = [replay(library, messages, budget, budget // 2) for messages, budget, _ in full]
    return [
        f"{len(roomy)} transcripts of {LEAST_MESSAGES} messages and {LEAST_TOKENS:,} estimated tokens or more:",
        "",
        *table(["`keep_tail`", "compactions", "summarized", "size after one", "size at a call", "calls over budget"], rows),
        "",
        f"In {len(full)} more such transcripts the leading instructions took {min(share(*of) for of in full)} % of `max_tokens` or",
        f"more. They were compacted {statistics.mean(run.compactions for run in crowded):.1f} times with the default, and "
        f"{100 * statistics.mean(run.over for run in crowded):.0f} % of the calls stayed over budget.",
    ]


def share(_messages: list[Any], budget: int, head: int) -> int:
    return 100 * head // budget


def figures() -> dict[str, list[str]]:
    every = {
        f"{path.parent.name}/{path.name}": json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(TRANSCRIPTS.glob("*/*.json"))
    }
    plain = {name: messages for name, messages in every.items() if not has_media(messages)}
    library, count = Library(), counters()
    return {
        "tokenizers": [f"- **{counter.name}**: {counter.what}." for counter in count],
        "kinds": by_kind(count, every),
        "transcripts": [
            f"{len(plain)} of the {len(every)} transcripts; the other {len(every) - len(plain)} hold images or documents as base64.",
            "",
            *by_transcript(library, count, plain),
        ],
        "tails": by_tail(library, plain),
    }


def main() -> int:
    page = PAGE.read_text(encoding="utf-8")
    written = page
    for name, lines in figures().items():
        between = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.S)
        assert between.search(written), f"{PAGE.name} has no place between <!-- {name} --> and <!-- /{name} -->"
        text = "\n".join(lines) + "\n"
        written = between.sub(lambda found: found[1] + text + found[2], written)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written, encoding="utf-8")
        return 0
    sys.stdout.writelines(difflib.unified_diff(page.splitlines(True), written.splitlines(True), "the page", "the figures"))
    return int(written != page)


if __name__ == "__main__":
    sys.exit(main())
