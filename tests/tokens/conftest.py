"""The real tiktoken as the reference of exact counts, with data rebuilt without a network."""

from __future__ import annotations

import base64
import hashlib
import struct
import unicodedata
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import quicktok
import tiktoken

Count = Callable[[str], int]

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
REST = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}|{REST}"
LLAMA3_SHA256 = "82e9d31979e92ab929cd544440f129d9ecd797b69e327f80f17e1c50d5551b55"
QWEN3 = rf"{CONTRACTIONS}|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}|{REST}"


def ranks_of(name: str) -> dict[bytes, int]:
    """Return the merge ranks in quicktok's data: a count, then length, bytes and rank of each."""
    data = (Path(quicktok.__file__).parent / "data" / f"{name}.vocab").read_bytes()
    (entries,), at, ranks = struct.unpack_from("<I", data), 4, {}
    for _ in range(entries):
        (length,) = struct.unpack_from("<H", data, at)
        token = data[at + 2 : at + 2 + length]
        (ranks[token],) = struct.unpack_from("<I", data, at + 2 + length)
        at += length + 6
    assert at == len(data)
    return ranks


def tiktoken_file(ranks: dict[bytes, int]) -> bytes:
    in_order = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in in_order)


@pytest.fixture(scope="session")
def tiktoken_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache folder as tiktoken fills it by downloading; it checks the digests itself."""
    folder = tmp_path_factory.mktemp("tiktoken")
    openai_public = import_module("tiktoken_ext.openai_public")
    asked: dict[str, str] = {}

    def load(url: str, expected_hash: str) -> dict[bytes, int]:
        asked[url] = expected_hash
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", load)
        openai_public.o200k_base()
        openai_public.cl100k_base()
    for url, expected in asked.items():
        name = Path(url).stem.removesuffix("_base")
        data = tiktoken_file(ranks_of(name))
        assert hashlib.sha256(data).hexdigest() == expected, "not OpenAI's vocabulary"
        (folder / hashlib.sha1(url.encode()).hexdigest()).write_bytes(data)
    return folder


@pytest.fixture(scope="session")
def references(tiktoken_cache: Path) -> dict[str, Count]:
    """Independent counting functions by encoding name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(tiktoken_cache))
        encodings = {
            name: tiktoken.get_encoding(name)
            for name in ("o200k_base", "cl100k_base", "o200k_harmony")
        }
    data = tiktoken_file(ranks_of("llama3"))
    assert hashlib.sha256(data).hexdigest() == LLAMA3_SHA256, "not Meta's tokenizer.model"
    for name, pattern in (("llama3", LLAMA3), ("qwen3", QWEN3)):
        encodings[name] = tiktoken.Encoding(
            name, pat_str=pattern, mergeable_ranks=ranks_of(name), special_tokens={}
        )

    def counter(name: str) -> Count:
        def count(text: str) -> int:
            text = unicodedata.normalize("NFC", text) if name == "qwen3" else text
            return len(encodings[name].encode_ordinary(text))

        return count

    return {name: counter(name) for name in encodings}
