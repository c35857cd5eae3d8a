"""Conversations as JSON: strict both ways, so that what is written can be read again.

Whatever JSON cannot say is refused before anything is written, and an unknown key or version
before anything is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields
from typing import Any, Final

from orchestrator_context import checks
from orchestrator_context.budget import Budget
from orchestrator_context.conversation.jsonable import items, json_value, known_keys, made, mapping
from orchestrator_context.conversation.participant import Participant
from orchestrator_context.conversation.policy import ContextPolicy, policy_from_mapping
from orchestrator_context.conversation.seat import TranscriptEntry
from orchestrator_context.conversation.templates import TemplateRules
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.models import Media, Segment
from orchestrator_context.protocols import TokenCounter

VERSION: Final = 1

_KEYS = ("version", "shared_system", "participants", "entries")


def checked_recipe(data: object) -> Mapping[str, object]:
    """Return the description of a conversation if it is of this version and has its keys.

    Raises:
        ConfigurationError: it is not, or it is no mapping.
    """
    given = mapping(data, "A description of a conversation")
    if "version" not in given:
        raise ConfigurationError(
            "A description of a conversation needs its version: pass what Transcript.to_mapping "
            "gave, whole"
        )
    version = given["version"]
    if isinstance(version, bool) or version != VERSION:
        raise ConfigurationError(
            f"The conversation is of version {version!r}, and this library reads version {VERSION}"
        )
    for key in (*given, *_KEYS):
        if key not in _KEYS or key not in given:
            state = "has no" if key not in _KEYS else "needs a"
            raise ConfigurationError(f"A conversation {state} key {key!r}; it has {_KEYS}")
    return given


def segment_to_mapping(segment: Segment) -> dict[str, object]:
    """Return a segment as JSON-able data, without what has its default.

    >>> segment_to_mapping(Segment("Hello!", "assistant"))
    {'content': 'Hello!', 'role': 'assistant'}

    Raises:
        ConfigurationError: its metadata hold something that JSON cannot say.
    """
    data = _changed(checks.instance("segment", segment, Segment))
    if segment.media:
        data["media"] = [_changed(media) for media in segment.media]
    if segment.metadata:
        data["metadata"] = json_value(segment.metadata, f"metadata of segment {segment.id!r}")
    else:
        data.pop("metadata", None)
    return data


def segment_from_mapping(data: object, where: str = "segment") -> Segment:
    """Return the segment that `segment_to_mapping` described.

    Raises:
        ConfigurationError: a key is unknown or missing, or a value is not of its type.
    """
    given = known_keys(Segment, data, where)
    media = items(given.pop("media", []), f"{where}.media")
    metadata = mapping(given.pop("metadata", {}), f"{where}.metadata")
    return made(
        where,
        lambda: Segment(
            **given,
            media=tuple(_media(one, f"{where}.media[{i}]") for i, one in enumerate(media)),
            metadata=json_value(metadata, f"{where}.metadata"),
        ),
    )


def entry_to_mapping(entry: TranscriptEntry) -> dict[str, object]:
    """Return what was said as JSON-able data.

    Raises:
        ConfigurationError: a segment holds something that JSON cannot say.
    """
    seen = None if entry.visible_to is None else sorted(entry.visible_to)
    return {
        "author": entry.author,
        "segments": [segment_to_mapping(segment) for segment in entry.segments],
        "visible_to": seen,
    }


def entry_from_mapping(data: object, where: str) -> TranscriptEntry:
    """Return what was said; names are for the transcript to look at.

    Raises:
        ConfigurationError: a key is unknown or missing, or a value is not of its type.
    """
    given = known_keys(TranscriptEntry, data, where)
    segments = items(given["segments"], f"{where}.segments")
    seen = given.get("visible_to")
    names = None if seen is None else items(seen, f"{where}.visible_to")
    return TranscriptEntry(
        checks.text(f"{where}.author", given["author"]),
        tuple(
            segment_from_mapping(one, f"{where}.segments[{i}]") for i, one in enumerate(segments)
        ),
        names
        if names is None
        else frozenset(checks.text(f"{where}.visible_to", one) for one in names),
    )


def participant_to_mapping(participant: Participant) -> dict[str, object]:
    """Return a participant as JSON-able data.

    Of a counter it is the name. A policy that cannot be made again of its settings alone, such as
    one with a model that summarises, is marked with `"is_whole": False`.

    Raises:
        ConfigurationError: tools or settings of the policy hold something that JSON cannot say.
    """
    name, rules, counter = participant.name, participant.rules, participant.counter
    return {
        "name": name,
        "system": participant.system,
        "briefing": participant.briefing,
        "budget": asdict(participant.budget),
        "policy": None if participant.policy is None else _policy(participant.policy, name),
        "model": participant.model,
        "counter": None if counter is None else counter.name,
        "rules": None if rules is None else rules.to_mapping(),
        "tools": [json_value(tool, f"tools of {name!r}") for tool in participant.tools],
        "reasoning": participant.reasoning,
    }


def participant_from_mapping(
    data: object,
    where: str,
    *,
    counters: Mapping[str, TokenCounter],
    policies: Mapping[str, ContextPolicy],
) -> Participant:
    """Return the participant that `participant_to_mapping` described.

    Args:
        data: the description.
        where: what to call it in messages.
        counters: by name of the participant.
        policies: by name of the participant; they go before those described.

    Raises:
        ConfigurationError: a key is unknown or missing, a value is not of its type, or a counter
            or policy has to be given and is not.
    """
    given = known_keys(Participant, data, where)
    name = checks.text(f"{where}.name", given["name"])
    if given.get("counter") is not None and name not in counters:
        raise ConfigurationError(
            f"{where} was saved with a counter of its own, {given['counter']!r}, which cannot be "
            f"saved: pass counters={{{name!r}: ...}}"
        )
    tools = items(given.get("tools", []), f"{where}.tools")
    budget, rules = given.get("budget", {}), given.get("rules")
    given["budget"] = made(f"{where}.budget", lambda: Budget.from_mapping(budget))
    given["rules"] = made(
        f"{where}.rules", lambda: None if rules is None else TemplateRules.from_mapping(rules)
    )
    at = f"{where}.tools"
    given["tools"] = tuple(json_value(mapping(one, at), at) for one in tools)
    given["counter"] = counters.get(name)
    described = given.get("policy")
    given["policy"] = policies[name] if name in policies else _restored(described, where, name)
    return made(where, lambda: Participant(**given))


def _policy(policy: ContextPolicy, name: str) -> dict[str, object]:
    settings = mapping(json_value(policy.to_mapping(), f"policy of {name!r}"), "policy")
    try:
        again: object = policy_from_mapping(settings)
    except ConfigurationError:
        again = None
    return {"is_whole": again == policy, "settings": settings}


def _restored(described: object, where: str, name: str) -> ContextPolicy | None:
    if described is None:
        return None
    given = mapping(described, f"{where}.policy")
    if set(given) != {"is_whole", "settings"}:
        raise ConfigurationError(f"{where}.policy must have the keys is_whole and settings")
    if not checks.flag(f"{where}.policy.is_whole", given["is_whole"]):
        raise ConfigurationError(
            f"{where} was saved with a policy that holds what cannot be saved, such as a model "
            f"that summarises: pass policies={{{name!r}: ...}}"
        )
    return made(f"{where}.policy", lambda: policy_from_mapping(given["settings"]))


def _changed(value: Segment | Media) -> dict[str, object]:
    """Return the fields of `value` that have not their default."""
    return {
        one.name: given
        for one in fields(value)
        if (given := getattr(value, one.name)) != _default(one)
    }


def _default(one: Field[Any]) -> object:
    return one.default if one.default_factory is MISSING else one.default_factory()


def _media(data: object, where: str) -> Media:
    given = known_keys(Media, data, where)
    return made(where, lambda: Media(**given))
