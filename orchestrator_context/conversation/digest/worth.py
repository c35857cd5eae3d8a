"""What an entry is worth: what it does, how much it tells, who said it, how long ago."""

from __future__ import annotations

import regex

from orchestrator_context.conversation.digest.kinds import Kind
from orchestrator_context.conversation.digest.statements import Statement

__all__ = ["WORTHY", "worth"]

WORTHY = 0.3  # below, an entry is kept only where there is room to spare
_KINDS: dict[Kind, float] = {
    "rule": 1.0,
    "limit": 1.0,
    "preference": 0.9,
    "decision": 0.9,
    "task": 0.85,
    "fact": 0.85,
    "question": 0.5,
    "note": 0.22,
    "chatter": 0.02,
}
_SPEAKERS = {"assistant": 0.6, "tool": 0.6, "system": 0.9, "": 0.9}
_OLDEST = 0.9  # what the first entry counts beside the last
_NO_VALUE = {
    "fact": 0.45,
    "task": 0.6,
    "limit": 0.6,
    "preference": 0.75,
    "decision": 0.75,
    "rule": 0.8,
}
_SOFT_VALUE = {"fact": 0.5, "limit": 0.75, "task": 0.75}
_GOAL = 1.4  # what somebody is after explains all the rest
_UPDATE = 1.1  # what was changed once is what matters now
_FULL_SUBJECT = 4
_ACTIVITY = regex.compile(r"^\w+ing\b")  # a report of what is being done


def worth(kind: Kind, parts: list[Statement], speaker: str, age: float) -> float:
    """Return the worth of an entry, about 1 at most.

    Args:
        kind: what it does.
        parts: its sentences.
        speaker: who said it.
        age: 0 for the newest, 1 for the oldest.
    """
    values = [value for part in parts for value in part.values]
    hard = sum(value.is_hard for value in values)
    words = len({key for part in parts for key in part.subject})
    told = _KINDS[kind]
    if not values:
        told *= _NO_VALUE.get(kind, 1.0)
    elif not hard:
        told *= _SOFT_VALUE.get(kind, 0.9)
    told *= 1 + 0.05 * min(hard, 4)
    told *= min(1.0, 0.5 + 0.5 * (words + 2 * len(values)) / _FULL_SUBJECT)
    if any("goal" in part.cues for part in parts):
        told *= _GOAL
    if any("update" in part.cues for part in parts):
        told *= _UPDATE
    if kind in ("fact", "task", "note") and _ACTIVITY.match(parts[0].text):
        told *= 0.5
    return told * _SPEAKERS.get(speaker, 1.0) * (1 - (1 - _OLDEST) * age)
