"""Images, sounds and files that travel with a text: one of the nouns of the library."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, cast

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError


@dataclass(frozen=True, slots=True)
class Media:
    """An image, sound or file inside a segment, described as far as its token price depends on it.

    Attributes:
        type: what it is.
        width: pixels, or None where unknown.
        height: pixels, or None where unknown.
        detail: the provider's fidelity setting for images.
        duration_seconds: length of a sound, or None where unknown.
        pages: pages of a file, or None where unknown.
        media_type: such as "image/png", or "" where unknown.
        url: where it can be fetched, or the name the service gave it; "" where it travels along.
        data: its bytes in base64, or "" where it is fetched.
    """

    type: Literal["image", "audio", "file"]
    width: int | None = None
    height: int | None = None
    detail: Literal["low", "high", "auto"] = "auto"
    duration_seconds: float | None = None
    pages: int | None = None
    media_type: str = ""
    url: str = field(default="", repr=False)
    data: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        checks.choice("Media.type", self.type, ("image", "audio", "file"))
        checks.choice("Media.detail", self.detail, ("low", "high", "auto"))
        checks.whole_or_none("Media.width", self.width)
        checks.whole_or_none("Media.height", self.height)
        checks.number_or_none("Media.duration_seconds", self.duration_seconds)
        checks.whole_or_none("Media.pages", self.pages)
        checks.text("Media.media_type", self.media_type)
        checks.text("Media.url", self.url)
        checks.text("Media.data", self.data)


def check_media(field_name: str, media: object) -> None:
    """Refuse `media` unless it is a tuple of Media."""
    pieces = cast("tuple[object, ...]", media) if isinstance(media, tuple) else (None,)
    if not all(isinstance(one, Media) for one in pieces):
        raise ConfigurationError(f"{field_name} must be a tuple of Media")
