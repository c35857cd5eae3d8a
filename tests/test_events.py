"""Events reach structlog as figures, failures louder than the rest."""

from __future__ import annotations

import json
from dataclasses import asdict, fields

import pytest
import structlog
from structlog.testing import capture_logs

from orchestrator_context.events import (
    CallFailed,
    ContextReduced,
    DistillProgressed,
    Event,
    log_events,
)

PROGRESSED = DistillProgressed("map", 3, None, 2, 1, 500, 0.25, 1.5, None)
FAILED = CallFailed("openai", "ProviderUnavailableError", 429, 0.5, 4)
REDUCED = ContextReduced("distill", 9, 8, 120, 1024, 11, complete=False)
EVENTS: list[tuple[Event, str, str]] = [
    (PROGRESSED, "distill_progressed", "info"),
    (FAILED, "call_failed", "warning"),
    (REDUCED, "context_reduced", "info"),
]


@pytest.mark.parametrize(("event", "name", "level"), EVENTS)
def test_each_event_is_written_with_all_its_figures(event: Event, name: str, level: str) -> None:
    with capture_logs() as logs:
        log_events()(event)
    assert logs == [asdict(event) | {"event": name, "log_level": level}]


@pytest.mark.parametrize(("event", "name", "level"), EVENTS)
def test_a_logger_of_ones_own_is_used_with_its_context(event: Event, name: str, level: str) -> None:
    with capture_logs() as logs:
        log_events(structlog.get_logger().bind(run=7))(event)
    assert [(log["event"], log["log_level"], log["run"]) for log in logs] == [(name, level, 7)]


@pytest.mark.parametrize(("event", "name", "level"), EVENTS)
def test_events_are_plain_data(event: Event, name: str, level: str) -> None:
    assert json.loads(json.dumps(asdict(event))) == asdict(event)
    assert hash(event) == hash(type(event)(**asdict(event)))
    # These belong to structlog; a figure of that name would hide one of its own.
    assert not {field.name for field in fields(event)} & {"event", "level", "timestamp", "logger"}
