"""Tokens of images, sounds and files; never those of their bytes written as text.

Images: OpenAI, "Images and vision", the tile formula of GPT-4o: 85, and unless the detail is low
170 for each tile of 512 by 512 pixels, after the image was made to fit 2048 by 2048 and its shorter
side 768. The largest image is 8 tiles. GPT-4o mini bills 33 times as much for the same image.
Other services: the higher of this and a token for 750 pixels (Anthropic, "Vision"), of which the
largest image takes 4,784.
Sounds: 32 a second (Google, "Audio understanding"); OpenAI takes 10 a second, Qwen 25.
Files: 3,000 for the text of a page (Anthropic, "PDF support": 1,500 to 3,000) and an image of it.
"""

from __future__ import annotations

import math

from orchestrator_context.models import Media

_IMAGE, _TILE, _MOST_TILES = 85, 170, 8
_PIXELS, _MOST_BY_PIXELS = 750, 4_784
_AUDIO_PER_SECOND = 32
_PAGE = 3_000 + _IMAGE + _MOST_TILES * _TILE
# Assumed where nothing is said, since nothing bounds them.
_UNKNOWN_SECONDS = 600.0
_UNKNOWN_PAGES = 20


def media_tokens(media: Media, *, by_tiles: bool) -> int:
    """Return the tokens of `media`: those of its size, or of the largest where that is unknown.

    A sound of unknown length counts as 10 minutes, a file of unknown length as 20 pages.

    Args:
        media: what to price.
        by_tiles: whether images cost what GPT-4o takes for them, or what any service takes.
    """
    if media.type == "audio":
        seconds = media.duration_seconds
        return math.ceil(_AUDIO_PER_SECOND * (_UNKNOWN_SECONDS if seconds is None else seconds))
    if media.type == "file":
        return _PAGE * (_UNKNOWN_PAGES if media.pages is None else media.pages)
    tiles = 0 if media.detail == "low" else _tiles(media.width, media.height)
    tokens = _IMAGE + _TILE * tiles
    return tokens if by_tiles else max(tokens, _by_pixels(media.width, media.height))


def _by_pixels(width: int | None, height: int | None) -> int:
    if not width or not height:
        return _MOST_BY_PIXELS
    return min(_MOST_BY_PIXELS, math.ceil(width * height / _PIXELS))


def _tiles(width: int | None, height: int | None) -> int:
    if not width or not height:
        return _MOST_TILES
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    across, down = (max(1, round(side * scale)) for side in (width, height))
    return math.ceil(across / 512) * math.ceil(down / 512)
