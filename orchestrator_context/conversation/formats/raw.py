"""JSON data as the services' clients take it: copied, looked into, written as text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from orchestrator_context.conversation.kept import copied
from orchestrator_context.exceptions import FormatError
from orchestrator_context.models import Role

Json = dict[str, object]
Path = tuple[str, ...]


def mappings(field: str, value: object, first: int = 0) -> list[Json]:
    """Return a copy of a list of JSON objects, from the one at `first` on.

    Raises:
        FormatError: `value` is no list, or holds something else.
    """
    items = items_of(field, value)[first:]
    found = [fields(f"{field}[{index}]", item) for index, item in enumerate(items, first)]
    return cast("list[Json]", copied(found))


def items_of(field: str, value: object) -> Sequence[object]:
    """Return `value` if it is a list or tuple, and raise `FormatError` otherwise."""
    if isinstance(value, list | tuple):
        return cast("Sequence[object]", value)
    raise wrong_type(field, "a list", value)


def fields(field: str, value: object) -> Json:
    """Return `value` if it is a JSON object, and raise `FormatError` otherwise."""
    if isinstance(value, Mapping):
        return cast("Json", value)
    raise wrong_type(field, "a mapping (of an object of a client, its model_dump())", value)


def role_in(message: Json, roles: Mapping[str, Role], where: str) -> Role:
    """Return what the role of a message is called here.

    Raises:
        FormatError: it has none, or one that is not known.
    """
    role = message.get("role")
    if not isinstance(role, str):
        raise wrong_type(f"{where}.role", "a str", role)
    if role not in roles:
        known = ", ".join(roles)
        raise FormatError(f"{where}.role must be one of {known}", where=f"{where}.role")
    return roles[role]


def known_role(message: object, roles: Mapping[str, Role], otherwise: Role) -> Role:
    """Return what the role of a message is called here, or `otherwise` where nobody knows it."""
    role = message.get("role") if isinstance(message, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return roles.get(role, otherwise) if isinstance(role, str) else otherwise


def wrong_type(field: str, wanted: str, value: object) -> FormatError:
    """Return the error for a field that holds something of another type."""
    return FormatError(f"{field} must be {wanted}, not {type(value).__name__}", where=field)


def mapping_at(value: object, path: Path) -> Json | None:
    """Return the JSON object at `path` inside `value`, or None where there is none."""
    for key in path:
        value = cast("Json", value).get(key) if isinstance(value, dict) else None
    return cast("Json", value) if isinstance(value, dict) else None


def value_at(value: object, path: Path) -> object:
    """Return what stands at `path` inside `value`, or None; `value` itself for the empty path."""
    if not path:
        return value
    holder = mapping_at(value, path[:-1])
    return None if holder is None else holder.get(path[-1])


def text_at(value: object, path: Path) -> str:
    """Return the str at `path`, or "" where there is none."""
    found = value_at(value, path) if path else ""
    return found if isinstance(found, str) else ""


def put(value: object, path: Path, new: object) -> object:
    """Return `value` with `new` at `path`; what is on the way must exist, and is changed."""
    if not path:
        return new
    holder = mapping_at(value, path[:-1])
    if holder is not None:
        holder[path[-1]] = new
    return value


def texts_in(value: object) -> Iterator[str]:
    """Yield every text anywhere inside a JSON value, the keys of objects too. Any depth."""
    todo: list[object] = [value]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            box = cast("Mapping[object, object]", value)
            todo += box
            todo += box.values()
        elif isinstance(value, list | tuple):
            todo += cast("Sequence[object]", value)


def json_text(value: object, where: str) -> str:
    """Return `value` as compact JSON text.

    Raises:
        FormatError: it cannot be written as JSON.
    """
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise FormatError(
            f"{where or 'A part'} cannot be written as JSON ({type(error).__name__}); "
            "pass plain JSON data",
            where=where,
        ) from None


def json_value(text: str) -> object:
    """Return the value that a JSON text stands for, or None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
