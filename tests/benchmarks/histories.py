"""Conversations to measure on, as messages of Chat Completions: deterministic, no text twice."""

from __future__ import annotations

import base64
import json
import random
import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any

Message = dict[str, Any]

SYSTEM = (
    "You look after a water works. Answer in short sentences, name the station you speak of, and "
    "say so where a reading is missing. Never switch a pump off without asking."
)

_SIDE = 1_024  # pixels
_WORDS = (
    "the pump station reported a pressure of bar and level in percent while valve north south "
    "reservoir was closed after maintenance so that flow dropped below expected threshold during "
    "night shift operator asked whether filter should be replaced before next inspection because "
    "sensor drift looked larger than usual although calibration had been done last week"
).split()
_CHINESE = (
    "水泵站报告压力和液位正常但是阀门在维护之后关闭因此夜班期间流量低于预期值操作员询问过滤器"
)


def prose(seed: str, words: int) -> str:
    """Return so many words in sentences, about 1.4 tokens each with the readings among them."""
    draw = random.Random(seed)
    said = [
        str(draw.randrange(10_000)) if draw.random() < 0.1 else draw.choice(_WORDS)
        for _ in range(words)
    ]
    return " ".join(" ".join(said[at : at + 14]).capitalize() + "." for at in range(0, words, 14))


def chat(turns: int) -> list[Message]:
    """Return a system prompt, and questions and answers of 20 to 100 words."""
    return _system(islice(_spoken(prose), turns))


def chinese(turns: int) -> list[Message]:
    """Return the same in Chinese, where a token is about one character."""

    def characters(seed: str, words: int) -> str:
        draw = random.Random(seed)
        return "".join(draw.choice(_CHINESE) for _ in range(words)) + "。"

    return _system(islice(_spoken(characters), turns))


def tools(turns: int, *, result: Callable[[int], str] | None = None) -> list[Message]:
    """Return cycles of a question, two calls in one message, their results and an answer."""
    return _system(islice(_worked(result or readings), turns))


def huge_result(turns: int) -> list[Message]:
    """Return the same with one result of some 20,000 tokens, ten messages before the end."""
    cycle = 5  # messages
    at = (turns - 10) // cycle
    return tools(turns, result=lambda number: readings(number, 750 if number == at else 8))


def images(turns: int) -> list[Message]:
    """Return questions with an image of 1024 by 1024 pixels in base64, and answers."""
    return _system(islice(_pictured(), turns))


def readings(number: int, rows: int = 8) -> str:
    """Return JSON as a tool gives it, about 27 tokens a row."""
    draw = random.Random(f"readings {number}")
    return json.dumps(
        [
            {
                "station": f"S-{draw.randrange(1_000):03}",
                "bar": round(draw.uniform(1, 9), 2),
                "level": draw.randrange(101),
                "id": f"{draw.getrandbits(32):08x}",
            }
            for _ in range(rows)
        ]
    )


def _system(messages: Iterator[Message]) -> list[Message]:
    return [{"role": "system", "content": SYSTEM}, *messages]


def _spoken(text: Callable[[str, int], str]) -> Iterator[Message]:
    for number in count():
        role = "assistant" if number % 2 else "user"
        yield {"role": role, "content": text(f"{role} {number}", 20 + number * 37 % 81)}


def _worked(result: Callable[[int], str]) -> Iterator[Message]:
    for number in count():
        calls = [f"call_{number}_{part}" for part in "ab"]
        yield {"role": "user", "content": prose(f"user {number}", 30)}
        yield {"role": "assistant", "content": None, "tool_calls": [*map(_call, calls)]}
        yield {"role": "tool", "tool_call_id": calls[0], "content": result(number)}
        yield {"role": "tool", "tool_call_id": calls[1], "content": readings(-number - 1, 2)}
        yield {"role": "assistant", "content": prose(f"assistant {number}", 50)}


def _call(name: str) -> Message:
    arguments = json.dumps({"station": name, "hours": 24, "fields": ["bar", "level"]})
    function = {"name": "read_station", "arguments": arguments}
    return {"id": name, "type": "function", "function": function}


def _pictured() -> Iterator[Message]:
    for number in count():
        text = {"type": "text", "text": prose(f"user {number}", 20)}
        url = f"data:image/png;base64,{_picture(number)}"
        yield {"role": "user", "content": [text, {"type": "image_url", "image_url": {"url": url}}]}
        yield {"role": "assistant", "content": prose(f"assistant {number}", 40)}


def _picture(number: int) -> str:
    """Return a black PNG in base64, about 9 kilobytes long, with a text of its own inside."""
    own = random.Random(f"picture {number}").randbytes(3_000).hex().encode()
    chunks = (_HEADER, _chunk(b"tEXt", b"n\0" + own), _PIXELS, _chunk(b"IEND", b""))
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


_HEADER = _chunk(b"IHDR", struct.pack(">2I5B", _SIDE, _SIDE, 8, 0, 0, 0, 0))
_PIXELS = _chunk(b"IDAT", zlib.compress(bytes(_SIDE * (_SIDE + 1))))
