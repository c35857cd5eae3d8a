"""Settings of a selection from the command line."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from orchestrator_context.cli.select_options import Preset
from orchestrator_context.corpus import SelectOptions
from orchestrator_context.exceptions import ConfigurationError

_Settings = dict[str, object]


def select_options(
    tuning: Sequence[str], preset: Preset, options: Mapping[str, object]
) -> SelectOptions:
    """Return the settings. Options win over single ones, those over the preset, that over files.

    Args:
        tuning: files, and settings as `KEY=VALUE`, where a value may be JSON.
        preset: its name.
        options: values of options; None where one was not given.

    Raises:
        ConfigurationError: a file cannot be read, or a setting is unknown or cannot be used.
    """
    settings: _Settings = {}
    for file in setting_files(tuning):
        _merge(settings, _read(file))
    if preset == "recommended":
        _merge(settings, _changes(SelectOptions.recommended()))
    for entry in tuning:
        if "=" in entry:
            _merge(settings, _single(entry))
    _merge(settings, {name: value for name, value in options.items() if value is not None})
    return SelectOptions.from_mapping(settings)


def setting_files(tuning: Iterable[str]) -> list[Path]:
    """Return the files among what `select_options` takes."""
    return [Path(entry) for entry in tuning if "=" not in entry]


def _merge(settings: _Settings, others: Mapping[str, object]) -> None:
    for name, value in others.items():
        before = settings.get(name)
        if isinstance(before, dict) and isinstance(value, Mapping):
            _merge(cast("_Settings", before), cast("Mapping[str, object]", value))
        elif isinstance(value, Mapping):
            settings[name] = dict(cast("Mapping[str, object]", value))
        else:
            settings[name] = value


def _changes(options: SelectOptions) -> _Settings:
    """Return the settings that are not the default."""
    plain = SelectOptions().to_mapping()
    return _differences(options.to_mapping(), plain)


def _differences(settings: Mapping[str, object], plain: Mapping[str, object]) -> _Settings:
    found: _Settings = {}
    for name, value in settings.items():
        if value != plain[name]:
            found[name] = (
                _differences(
                    cast("Mapping[str, object]", value), cast("Mapping[str, object]", plain[name])
                )
                if isinstance(value, dict)
                else value
            )
    return found


def _single(entry: str) -> _Settings:
    key, _, text = entry.partition("=")
    try:
        value: object = json.loads(text)
    except ValueError:
        value = text
    return _nested(key.split("."), value)


def _nested(names: Iterable[str], value: object) -> _Settings:
    first, *others = names
    return {first: _nested(others, value) if others else value}


def _read(path: Path) -> _Settings:
    try:
        text = path.read_text(encoding="utf-8")
        data: object = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (OSError, ValueError) as error:
        raise ConfigurationError(
            f"{path} cannot be read as settings ({type(error).__name__}); --tuning takes a JSON or "
            "TOML file, or KEY=VALUE"
        ) from error
    if not isinstance(data, dict):
        raise ConfigurationError(f"{path} holds no settings by name")
    return cast("_Settings", data)
