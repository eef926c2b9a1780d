"""Real transcripts, where they are at hand: as objects and as text they come out alike."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import tn_compactor
from conversation import real_transcripts, same_objects
from tn_compactor import Compactor

FILES = sorted(real_transcripts().glob("*/*.json"))

if not FILES:
    pytest.skip("real transcripts: there are none here, and TN_TRANSCRIPTS names no folder", allow_module_level=True)


@pytest.mark.parametrize("file", FILES, ids=[f"{file.parent.name}/{file.stem}" for file in FILES])
def test_a_real_transcript_comes_out_alike_as_objects_and_as_text(file: Path) -> None:
    messages: list[Any] = json.loads(file.read_bytes())
    text = json.dumps(messages, ensure_ascii=False)
    total = tn_compactor.estimate_tokens(messages)
    assert total == tn_compactor.estimate_tokens_json(text)
    for split in ("steps", "turns"):
        for max_tokens in (total, max(0, total - 1), total // 2, total // 4, total // 10):
            compactor = Compactor(max_tokens=max_tokens, split=split)  # type: ignore[arg-type]
            plan, text_plan = compactor.plan(messages), compactor.plan_json(text)
            assert repr(plan).split()[1:] == repr(text_plan).split()[1:]
            result, as_text = plan.finish("s"), text_plan.finish("s")
            if result is None or as_text is None:
                assert result is None and as_text is None
                continue
            assert result == json.loads(as_text)
            kept = [*messages[: plan.head_end], *messages[plan.request_start : plan.request_end]]
            kept += messages[plan.tail_start :]
            assert same_objects([message for at, message in enumerate(result) if at != plan.head_end], kept)
