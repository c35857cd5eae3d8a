"""Providers and policies found by name, through the entry points of what is installed.

A package adds a provider by an entry point in the group `orchestrator_context.generators`: its
name is the provider, its value a class (or function) that is called with the model's name and the
options and gives back a `Generator`. The group `orchestrator_context.rerankers` is the same for
each `Reranker`. It adds a context policy by one in the group `orchestrator_context.policies`: its
name is the policy's kind, its value the class.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from typing import TypeVar

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError
from orchestrator_context.protocols import Generator, Reranker

__all__ = [
    "GENERATORS",
    "POLICIES",
    "RERANKERS",
    "load_generator",
    "load_plugin",
    "load_reranker",
]

GENERATORS = "orchestrator_context.generators"
RERANKERS = "orchestrator_context.rerankers"
POLICIES = "orchestrator_context.policies"

_NOUNS = {GENERATORS: "provider", RERANKERS: "reranker", POLICIES: "policy"}

_EXAMPLES = {GENERATORS: "openai:gpt-5", RERANKERS: "cohere:rerank-v3.5"}

Made = TypeVar("Made")


def load_generator(spec: str, /, **options: object) -> Generator:
    """Return the generator that `spec` names.

    >>> load_generator("extractive", window=4_000).profile.window
    4000

    Args:
        spec: `provider:model`, such as `openai:gpt-5` or `local:model.gguf`; what follows the
            first colon is the model. The provider alone where it has no model: `extractive`.
        options: what the provider's class takes beside the model, such as `window`.

    Raises:
        ConfigurationError: the provider is not installed or cannot be imported, the model is
            missing, or an option is unknown.
    """
    return _made(GENERATORS, Generator, spec, options)  # type: ignore[type-abstract]


def load_reranker(spec: str, /, **options: object) -> Reranker:
    """Return the reranker that `spec` names, such as `cohere:rerank-v3.5`.

    Args:
        spec: as in `load_generator`.
        options: what the class takes beside the model, such as `api_key`.

    Raises:
        ConfigurationError: as `load_generator` does.
    """
    return _made(RERANKERS, Reranker, spec, options)  # type: ignore[type-abstract]


def _made(group: str, kind: type[Made], spec: str, options: dict[str, object]) -> Made:
    provider, colon, model = checks.text("spec", spec, blank=False).partition(":")
    if colon and not model.strip():
        raise ConfigurationError(f"{spec!r} names no model; write {provider}:<model>")
    noun, known = _NOUNS[group], entry_points(group=group).names
    if not colon and provider not in known:
        raise ConfigurationError(
            f"There is no {noun} {checks.shown(spec)}; a model is named with its {noun}, as "
            f"{_EXAMPLES[group]!r} is; installed are: {', '.join(sorted(known))}"
        )
    make = load_plugin(group, provider)
    arguments = (model,) if colon else ()
    _check(noun, provider, make, arguments, options)
    made = make(*arguments, **options)
    if not isinstance(made, kind):
        raise ConfigurationError(
            f"What is installed as {provider!r} makes what is no {kind.__name__.lower()}"
        )
    return made


def load_plugin(group: str, name: str) -> Callable[..., object]:
    """Return what the entry point `name` of `group` stands for.

    Raises:
        ConfigurationError: nothing is installed by that name, several things are, or it cannot be
            imported or called.
    """
    noun, found = _NOUNS[group], entry_points(group=group)
    values = {entry.value: entry for entry in found.select(name=name)}
    if not values:
        names = ", ".join(sorted(found.names)) or "none"
        raise ConfigurationError(f"There is no {noun} {checks.shown(name)}; installed are: {names}")
    if len(values) > 1:
        raise ConfigurationError(
            f"Several packages install a {noun} {name!r}: {', '.join(sorted(values))}; "
            "uninstall all but one"
        )
    return _load(noun, next(iter(values.values())))


def _load(noun: str, entry: EntryPoint) -> Callable[..., object]:
    try:
        loaded: object = entry.load()
    except Exception as error:  # a plug-in may fail in any way while it is imported
        raise ConfigurationError(
            f"The {noun} {entry.name!r} ({entry.value}) cannot be imported: {error}. "
            f"Install what it needs: pip install '{_requirement(entry)}'"
        ) from error
    if not callable(loaded):
        raise ConfigurationError(f"{entry.value}, installed as {entry.name!r}, cannot be called")
    return loaded


def _requirement(entry: EntryPoint) -> str:
    """Return what pip should install: the extra of the plug-in's name where there is one."""
    if entry.dist is None:
        return entry.module.partition(".")[0]
    offered = entry.dist.metadata.get_all("Provides-Extra") or []
    extras = [extra for extra in offered if extra in (entry.name, *entry.extras)]
    return entry.dist.name + (f"[{','.join(extras)}]" if extras else "")


def _check(
    noun: str,
    provider: str,
    make: Callable[..., object],
    arguments: tuple[str, ...],
    options: dict[str, object],
) -> None:
    try:
        inspect.signature(make).bind(*arguments, **options)
    except TypeError as error:
        hint = ""
        if not arguments and _can_be_made(make, ("model",), options):
            hint = f"; with a model the name is {provider}:<model>"
        elif arguments and _can_be_made(make, (), options):
            hint = f"; it takes no model, so the name is {provider}"
        raise ConfigurationError(
            f"The {noun} {provider!r} cannot be made: {error}{hint}"
        ) from error


def _can_be_made(
    make: Callable[..., object], arguments: tuple[str, ...], options: dict[str, object]
) -> bool:
    try:
        inspect.signature(make).bind(*arguments, **options)
    except TypeError:
        return False
    return True
