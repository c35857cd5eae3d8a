"""Exact counting functions: bundled vocabularies and tokenizer.json files.

Strings that look like special tokens are plain text to all of them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import tiktoken

from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.tokens.estimate import upper_estimate

Count = Callable[[str], int]

_LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_LLAMA3_TOKENS = 128_000


def encoding_count(encoding: str) -> Count | None:
    """Return the exact counting function of `encoding`, or None where its data cannot be had.

    That of quicktok, whose wheel holds the data; else that of tiktoken, which downloads it once.
    """
    try:
        return _llama3() if encoding == "llama3" else _quicktok(encoding)
    except (ImportError, OSError, RuntimeError):
        return _tiktoken(encoding)


def _quicktok(encoding: str) -> Count:
    count: Count = import_module("quicktok").get_encoding(encoding).count
    return count


def _llama3() -> Count:
    """Return tiktoken, as Meta uses it, with the data of quicktok.

    Some tokens of Llama 3 cannot be reached by merging smaller ones, which quicktok 0.4 does not
    expect: its counts are up to 2 % too low in Czech, Bulgarian, Japanese and other languages.
    """
    data = import_module("quicktok").get_encoding("llama3")
    ranks = {data.decode_single_token_bytes(rank): rank for rank in range(_LLAMA3_TOKENS)}
    tokenizer = tiktoken.Encoding(
        "llama3", pat_str=_LLAMA3_PATTERN, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda text: len(tokenizer.encode_ordinary(text))


def _tiktoken(encoding: str) -> Count | None:
    try:
        tokenizer = tiktoken.get_encoding(encoding)
    except Exception:  # unknown to it, or the download failed in one of many ways
        return None
    return lambda text: len(tokenizer.encode_ordinary(text))


def file_count(path: Path) -> tuple[str, Count]:
    """Return a name and the exact counting function of a Hugging Face `tokenizer.json`.

    The name holds the digest of the file, so that equal vocabularies have equal names.

    Raises:
        ConfigurationError: the file cannot be read or is no tokenizer.
    """
    import tokenizers

    path = path / "tokenizer.json" if path.is_dir() else path
    try:
        data = path.read_bytes()
        tokenizer = tokenizers.Tokenizer.from_buffer(data)
    except Exception as error:  # tokenizers raises plain Exception
        raise ConfigurationError(
            f"{path} cannot be read as a tokenizer.json file ({type(error).__name__}); name the "
            "tokenizer.json of the model, or its folder, or pass a function that counts"
        ) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # as plain text

    def count(text: str) -> int:
        # A batch, since only that lets other threads run.
        return len(tokenizer.encode_batch_fast([text], add_special_tokens=False)[0])

    return f"tokenizer-{hashlib.sha256(data).hexdigest()[:16]}", count


def sturdy(count: Count, *, reraise: bool = False) -> Count:
    """Return `count` made to answer for every text.

    Lone surrogates, which most tokenizers refuse, are counted as U+FFFD. Where it still fails,
    even by a panic of native code that is no Exception, the upper estimate stands in.

    Args:
        count: the function.
        reraise: let its Exceptions through.
    """

    def counted(text: str) -> int:
        try:
            return count(text)
        except BaseException as error:
            if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
                raise  # an interrupt, not a panic of native code
            readable = _without_surrogates(text)
            if readable != text:
                return counted(readable)
            if reraise and isinstance(error, Exception):
                raise
            return upper_estimate(text)

    return counted


def _without_surrogates(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
