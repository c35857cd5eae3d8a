"""What one format would lose of another: an error that names the fields, and the way out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from orchestrator_context import checks
from orchestrator_context.conversation.beside import is_heard
from orchestrator_context.conversation.formats.places import Origin, origin_of
from orchestrator_context.conversation.formats.sayable import check_sayable, unsayable
from orchestrator_context.conversation.formats.shapes import Dialect, read
from orchestrator_context.conversation.formats.unsaid import (
    DIALECTS,
    Field,
    unsaid_of_message,
    unsaid_of_part,
)
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Role, Segment

# What services and their clients note down about an answer, and nobody reads in it.
_BOOKKEEPING = frozenset({
    "id", "index", "object", "status", "created", "created_at", "created_by", "model", "usage",
    "finish_reason", "stop_reason", "stop_sequence", "logprobs", "parsed", "parsed_arguments",
})  # fmt: skip
_DEFAULTS: dict[str, object] = {
    "async": False,
    "async_": False,
    "caller": {"type": "direct"},
    "citations": {"enabled": False},
    "detail": "auto",
    "is_error": False,
    "media_type": "text/plain",
    "prefix": False,
}
_POINTING = "annotations"  # at places in a text, so that they go where the text has changed
_TEXTS = frozenset({"content", "refusal"})
_MOST_NAMED = 5


def check_anew(dialect: Dialect, segments: Sequence[Segment]) -> None:
    """Check segments that a format did not make, or made for another role.

    Raises:
        FormatError: it cannot say one of them, or not all of it.
    """
    for segment in segments:
        check_sayable(dialect, segment)
    check_lossless(dialect.title, segments, details=dialect.service == "openai")


def check_lossless(title: str, segments: Sequence[Segment], *, details: bool = False) -> None:
    """Check that segments which are said anew say all that their originals do.

    What a participant heard of others is let pass: it is what they said. So is its own name, since
    it is the assistant.

    Args:
        title: who is to say them, for errors.
        segments: those that are said anew.
        details: whether it says in which detail an image is looked at.

    Raises:
        FormatError: a field of an original would be lost.
    """
    around: dict[tuple[int, Role], list[Field]] = {}  # by id of a message that many parts share
    for segment in segments:
        for dialect in () if is_heard(segment) else DIALECTS.values():
            origin = origin_of(dialect, segment)
            if origin is None:
                continue
            part = unsaid_of_part(dialect, origin.part, origin.slot, segment.role)
            lost = [one for one in part if _means_something(one, details=details)]
            key = id(origin.message), segment.role
            if origin.message is not None and key not in around:
                message = unsaid_of_message(origin.message, segment.role)
                around[key] = [*filter(_means_something, message)]
            lost += [one for one in around.get(key, ()) if _goes_along(one, origin)]
            lost = _without_places(dialect, origin, segment, lost)
            lost = [one for one in lost if not _is_own_name(one, segment)]
            if lost:
                raise _loss(title, segment, [field.name for field in lost])


def _loss(title: str, segment: Segment, names: list[str]) -> FormatError:
    shown = ", ".join(checks.shown(name) for name in [*dict.fromkeys(names)][:_MOST_NAMED])
    why = f"it has no place for {shown}, which the original has"
    way_out = f"send it where it came from, or take without_fields(segments, {shown})"
    return unsayable(title, segment, why, way_out)


def _is_own_name(field: Field, segment: Segment) -> bool:
    """Return whether a field is the name of the participant whose own words these are."""
    own = segment.metadata.get("author") if "names" in segment.metadata else None
    return field.name == "name" and own is not None and field.value == own


def _means_something(field: Field, *, details: bool = False) -> bool:
    """Return whether a reader learns from a field what is said nowhere else."""
    name, value = field.name, field.value
    if field.said or name in _BOOKKEEPING or value == _DEFAULTS.get(name):
        return False
    if details and name == "detail" and field.holder.get("type") != "input_file":
        return value not in ("low", "high")  # which `Media` has, of images
    return not _is_empty(value)


def _is_empty(value: object) -> bool:
    """Return whether nothing stands in a value, at any depth."""
    todo = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, dict | list):
            box = cast("dict[str, object] | list[object]", value)
            todo += box.values() if isinstance(box, dict) else box
        elif value is not None and value != "":
            return False
    return True


def _goes_along(field: Field, origin: Origin) -> bool:
    """Return whether a field of a message is lost with this part of it."""
    texts = _TEXTS.intersection(origin.slots)
    return field.name != _POINTING or not texts or origin.slot in texts


def _without_places(
    dialect: Dialect, origin: Origin, segment: Segment, lost: list[Field]
) -> list[Field]:
    """Return the fields without those that point at places in a text that has changed."""
    if not any(field.name == _POINTING for field in lost):
        return lost
    was = read(dialect, origin.part, segment.role, origin.slot).segment
    kept = was.content == segment.content
    return [field for field in lost if kept or field.name != _POINTING]
