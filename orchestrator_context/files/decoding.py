"""From bytes to text, or the reason why there is none."""

from __future__ import annotations

import codecs
from typing import Literal

from orchestrator_context.exceptions import ConfigurationError

HEAD_BYTES = 8192
"""Bytes at the front of a file that tell whether it is binary."""

_BOMS = (  # that of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_REPAIRED_SHARE = 0.1  # with more bad characters than this, it is another encoding
_BINARY_SUFFIXES = frozenset(
    """
    7z a aac avi avif bin bmp br bz2 class db dll dmg doc docx dylib egg eot epub exe feather flac
    gguf gif gz h5 heic ico iso jar jpeg jpg lib lz4 m4a mkv mov mp3 mp4 mpeg npy npz o obj odp ods
    odt ogg onnx otf parquet pdf pickle pkl png ppt pptx psd pt pth pyc pyd pyo rar safetensors so
    sqlite sqlite3 tar tgz tif tiff ttf war wasm wav webm webp whl woff woff2 xls xlsx xz zip zst
    """.split()
)


def check_encoding(encoding: str) -> str:
    """Return `encoding` if text can be decoded from it.

    Raises:
        ConfigurationError: there is no such encoding.
    """
    try:
        "a".encode(encoding)
    except (LookupError, TypeError):
        raise ConfigurationError(
            f"encoding must name a text encoding such as utf-8 or cp1252, not {encoding!r}"
        ) from None
    return encoding


def has_binary_suffix(path: str) -> bool:
    """Return whether the name says that a file holds no text."""
    return path.rpartition(".")[2].lower() in _BINARY_SUFFIXES


def is_binary(head: bytes, encoding: str) -> bool:
    """Return whether the first bytes of a file hold a NUL that no encoding explains."""
    return b"\0" in head and _encoding_of(head, encoding) == encoding and not _wide(encoding)


def decode(data: bytes, encoding: str) -> tuple[str, Literal["undecodable", "repaired"] | None]:
    """Return the text of a file, and what is wrong with it, if anything.

    A byte order mark goes before `encoding`, and does not become part of the text. A few bytes that
    stand for nothing become U+FFFD; of a file with many, nothing is returned.
    """
    encoding = _encoding_of(data[:4], encoding)
    try:
        return data.decode(encoding), None
    except UnicodeError:
        text = data.decode(encoding, "replace")
    if text.count("\ufffd") > _REPAIRED_SHARE * len(text):
        return "", "undecodable"
    return text, "repaired"


def _encoding_of(head: bytes, encoding: str) -> str:
    return next((name for mark, name in _BOMS if head.startswith(mark)), encoding)


def _wide(encoding: str) -> bool:
    """Return whether ASCII characters take more than a byte, and so hold NUL bytes."""
    return b"\0" in "a".encode(encoding)
