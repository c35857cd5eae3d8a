"""Tokens of images, sounds and files."""

from __future__ import annotations

import math

from orchestrator_context.models import Media


def media_tokens(media: Media) -> int:
    """Return the tokens of `media`."""
    if media.type == "audio":
        return math.ceil(32 * (600.0 if media.duration_seconds is None else media.duration_seconds))
    if media.type == "file":
        return 4600 * (20 if media.pages is None else media.pages)
    return _image(media)


def _image(media: Media) -> int:
    if media.detail == "low":
        return 85
    if not media.width or not media.height:
        return 85 + 170 * 8
    width, height = float(media.width), float(media.height)
    scale = min(1.0, 2048 / max(width, height))
    scale *= min(1.0, 768 / (min(width, height) * scale))
    return 85 + 170 * math.ceil(width * scale / 512) * math.ceil(height * scale / 512)
