"""What the first bytes of an image or a sound say about its size.

Sources: PNG specification, 11.2.2 IHDR; GIF89a, 18; JPEG, ITU T.81, B.2.2; RIFF WebP container and
RFC 6386, 9.1; RIFF WAVE. Nothing is decoded but a header, so a file of any size takes little time.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from typing import Literal

_HEAD = 64  # bytes that hold every header but that of a JPEG
_JPEG_HEADS = 1 << 12, 1 << 18  # its size may stand behind a colour profile and a preview
_JPEG_SIZES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})

Size = tuple[int, int]


def image_size(data: str) -> Size | None:
    """Return width and height in pixels of an image in base64, or None where they are unknown."""
    head = _decoded(data, _HEAD)
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return _size(head[16:20], head[20:24], "big")
    if head.startswith((b"GIF87a", b"GIF89a")):
        return _size(head[6:8], head[8:10], "little")
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp_size(head)
    if head.startswith(b"\xff\xd8"):
        sizes = (_jpeg_size(_decoded(data, length)) for length in _JPEG_HEADS)
        return next(filter(None, sizes), None)
    return None


def wave_seconds(data: str) -> float | None:
    """Return the length of a WAVE sound in base64, or None where it is unknown."""
    head = _decoded(data, _HEAD)
    rate = int.from_bytes(head[28:32], "little")
    if not head.startswith(b"RIFF") or head[8:16] != b"WAVEfmt " or not rate:
        return None
    return len(data) * 3 / 4 / rate


def _decoded(data: str, size: int) -> bytes:
    """Return the first bytes, or b"" where they are no base64."""
    text = re.sub(r"\s", "", data[: size * 2])[: size // 3 * 4]
    try:
        return binascii.a2b_base64(text[: len(text) // 4 * 4])
    except ValueError:
        return b""


def _size(width: bytes, height: bytes, order: Literal["little", "big"]) -> Size | None:
    size = int.from_bytes(width, order), int.from_bytes(height, order)
    return size if all(size) else None


def _webp_size(head: bytes) -> Size | None:
    kind = head[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(head[at : at + 3], "little") for at in (24, 27))
        return width + 1, height + 1
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = (int.from_bytes(head[at : at + 2], "little") & 0x3FFF for at in (26, 28))
        return (width, height) if width and height else None
    return None


def _jpeg_size(head: bytes) -> Size | None:
    for marker, at in _jpeg_segments(head):
        if marker in _JPEG_SIZES:
            return _size(head[at + 5 : at + 7], head[at + 3 : at + 5], "big")
    return None


def _jpeg_segments(head: bytes) -> Iterator[tuple[int, int]]:
    """Yield each marker and the place of its length."""
    at = 2
    while at + 4 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:  # padding
            at += 1
            continue
        yield marker, at + 2
        at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
