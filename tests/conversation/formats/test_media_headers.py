"""Sizes of images and sounds, read from their first bytes."""

from __future__ import annotations

import base64
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator_context.conversation.formats.headers import image_size, wave_seconds

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x06\x00\x00\x00"
GIF = b"GIF89a" + struct.pack("<HH", 640, 480)
JPEG_SIZE = b"\xff\xc2" + struct.pack(">HBHH", 11, 8, 480, 640) + b"\x01\x01\x11\x00"
JPEG = b"\xff\xd8\xff\xe0\x00\x10" + b"JFIF\x00" + bytes(9) + JPEG_SIZE
FAR_JPEG = (
    b"\xff\xd8"
    + (b"\xff\xe2" + struct.pack(">H", 60_000) + bytes(59_998)) * 2
    + b"\xff"
    + JPEG_SIZE
)
LOSSY = (
    b"RIFF\x00\x00\x00\x00WEBPVP8 "
    + bytes(4)
    + bytes(3)
    + b"\x9d\x01\x2a"
    + struct.pack("<HH", 640, 480)
)
LOSSLESS = b"RIFF\x00\x00\x00\x00WEBPVP8L" + bytes(4) + b"\x2f" + struct.pack("<I", 639 | 479 << 14)
EXTENDED = b"RIFF\x00\x00\x00\x00WEBPVP8X" + bytes(8) + b"\x7f\x02\x00" + b"\xdf\x01\x00"


@pytest.mark.parametrize("data", [PNG, GIF, JPEG, FAR_JPEG, LOSSY, LOSSLESS, EXTENDED])
def test_sizes_are_read(data: bytes) -> None:
    text = base64.b64encode(data + bytes(100)).decode()
    assert image_size(text) == (640, 480)
    assert image_size("\n".join(text[at : at + 76] for at in range(0, len(text), 76))) == (640, 480)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.7", PNG[:18], JPEG[:25], GIF[:6] + bytes(9)])
def test_what_does_not_say_its_size_has_none(data: bytes) -> None:
    assert image_size(base64.b64encode(data).decode()) is None


@given(st.text() | st.binary().map(lambda data: base64.b64encode(data).decode()))
def test_any_text_is_read_without_an_error(data: str) -> None:
    assert image_size(data) is None
    assert wave_seconds(data) is None


def test_the_length_of_a_sound_is_read() -> None:
    head = b"RIFF\x00\x00\x00\x00WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8_000, 16_000, 2, 16)
    text = base64.b64encode(head + b"data" + bytes(4) + bytes(32_000)).decode()
    assert wave_seconds(text) == pytest.approx(2.0, abs=0.01)
    assert wave_seconds(base64.b64encode(head[:24] + bytes(20)).decode()) is None
    assert wave_seconds(base64.b64encode(b"RIFX" + head[4:]).decode()) is None
