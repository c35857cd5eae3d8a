"""`recall` as a tool that a model calls: its schema, and what answers its calls."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Literal, cast

from orchestrator_context import checks
from orchestrator_context.conversation.offload.recall import DEFAULT_MAX_TOKENS, Request
from orchestrator_context.conversation.offload.store import OffloadStore
from orchestrator_context.exceptions import ConfigurationError, UnknownHandleError
from orchestrator_context.protocols import TokenCounter
from orchestrator_context.text import clean
from orchestrator_context.tokens import token_counter

ToolFormat = Literal["openai_chat", "openai_responses", "anthropic"]
Arguments = Mapping[str, object] | str

_FORMATS: tuple[ToolFormat, ...] = ("openai_chat", "openai_responses", "anthropic")
_NAME = "recall"
_LONGEST_SHOWN = 40  # characters
_AROUND_HANDLE = " \t\r\n\"'`<>"  # what models put around a name that they copy
_DESCRIPTION = (
    "Read content that was moved out of the conversation to save room. Where it stood, there is an "
    "<offloaded-...> element with its handle and a preview. Content that fits is returned whole; "
    "of longer content name the lines, or a query for the passages that match it."
)
_PROPERTIES = {
    "handle": "The handle, exactly as it stands in the <offloaded-...> element.",
    "query": "What to look for, in words that the content is likely to hold.",
    "lines": (
        'Lines to return, such as "10-40", "12" or "10-" (to the end). "12.401-12" begins at '
        "character 401 of line 12, for lines that are too long to be returned at once. Together "
        "with a query: where to look."
    ),
}


def recall_tool(format: ToolFormat = "openai_chat") -> dict[str, object]:  # noqa: A002
    """Return the schema of the tool in the shape of an interface, for its list of tools.

    Raises:
        ConfigurationError: there is no such format.
    """
    checks.choice("format", format, _FORMATS)
    named: dict[str, object] = {"name": _NAME, "description": _DESCRIPTION}
    schema = {
        "type": "object",
        "properties": {
            name: {"type": "string", "description": text} for name, text in _PROPERTIES.items()
        },
        "required": ["handle"],
        "additionalProperties": False,
    }
    if format == "anthropic":
        return named | {"input_schema": schema}
    named["parameters"] = schema
    if format == "openai_chat":
        return {"type": "function", "function": named}
    return {"type": "function", **named, "strict": False}


RECALL_TOOL: Mapping[str, object] = recall_tool()
"""The schema for OpenAI's chat completions and what speaks like them; see `recall_tool`."""


def recall_handler(
    store: OffloadStore,
    *,
    max_tokens: int = DEFAULT_MAX_TOKENS,
    counter: TokenCounter | None = None,
) -> Callable[[Arguments], Awaitable[str]]:
    """Return a function that answers a call of the tool with the text of its result.

    It takes the arguments as the model gave them: a JSON text or a mapping. Where they cannot be
    used, the text says what is wrong and what to do, so that the model can call again. Content is
    cleaned as by `orchestrator_context.text.clean`, since no service takes lone surrogates.

    Args:
        store: where the contents are.
        max_tokens: tokens of a result at most; some hundred, to get anywhere.
        counter: counts them; exact o200k by default.

    Raises:
        ConfigurationError: a value cannot be used. The function raises it where it is given what
            no model gives, `OffloadError` where the store fails, and `BudgetExceededError` where
            `max_tokens` is too little for any result.
    """
    checks.whole("max_tokens", max_tokens, least=1)
    counting = token_counter() if counter is None else counter

    async def handle_call(arguments: Arguments) -> str:
        if not isinstance(arguments, str | Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            given = type(arguments).__name__
            raise ConfigurationError(f"arguments must be a JSON text or a mapping, not {given}")
        try:
            handle, request = _read(arguments)
            content = clean(await store.get(handle))
            described = await store.describe(handle)
            reading = request.reading(content, described, max_tokens, counting)
        except (ConfigurationError, UnknownHandleError) as error:
            return f"Error: {clean(str(error))}"
        return (await reading.recalled()).text

    return handle_call


def _read(arguments: Arguments) -> tuple[str, Request]:
    """Return what is asked for.

    Raises:
        ConfigurationError: the arguments cannot be used; the message is for the model.
    """
    values = _values(arguments) if isinstance(arguments, str) else arguments
    unknown = [str(name)[:_LONGEST_SHOWN] for name in values if name not in _PROPERTIES]
    if unknown:
        raise ConfigurationError(
            f"{_NAME} has no argument {unknown[0]!r}; it has {', '.join(_PROPERTIES)}"
        )
    handle = values.get("handle")
    if not isinstance(handle, str) or not handle.strip():
        raise ConfigurationError(f"{_NAME} needs a handle. {_PROPERTIES['handle']}")
    return handle.strip(_AROUND_HANDLE), Request.of(values.get("query"), values.get("lines"))


def _values(text: str) -> Mapping[str, object]:
    try:
        values: object = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise ConfigurationError(
            f'the arguments of {_NAME} must be a JSON object, such as {{"handle": "offload-..."}}'
        )
    return cast("dict[str, object]", values)
