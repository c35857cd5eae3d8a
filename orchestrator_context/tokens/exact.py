"""Exact counting functions: bundled vocabularies and tokenizer.json files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from pathlib import Path

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.text import clean

Count = Callable[[str], int]


@cache
def encoding_count(encoding: str) -> Count | None:
    """Return the exact counter of `encoding`, or None where its data is not on this machine."""
    return _quicktok(encoding) or _tiktoken(encoding)


def _quicktok(encoding: str) -> Count | None:
    try:
        import quicktok

        tokenizer = quicktok.get_encoding(encoding)
    except (ImportError, RuntimeError, OSError):
        return None
    count: Count = tokenizer.count
    return lambda text: count(_encodable(text))


def _tiktoken(encoding: str) -> Count | None:
    try:
        import tiktoken

        tokenizer = tiktoken.get_encoding(encoding)
    except Exception:  # no such encoding, or its data could not be downloaded
        return None
    return lambda text: len(tokenizer.encode_ordinary(_encodable(text)))


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def file_count(path: Path) -> tuple[str, Count]:
    """Return a name and the exact counter for a Hugging Face `tokenizer.json`.

    Raises:
        ConfigurationError: the file cannot be read or is no tokenizer.
    """
    from tokenizers import Tokenizer

    try:
        data = path.read_bytes()
        tokenizer = Tokenizer.from_buffer(data)
    except Exception as error:
        raise ConfigurationError(f"{path} cannot be used as a tokenizer.json file") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    name = f"tokenizer:{hashlib.sha256(data).hexdigest()[:16]}"
    return name, lambda text: len(tokenizer.encode(clean(text), add_special_tokens=False).ids)
