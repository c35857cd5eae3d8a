"""From the answer of a service that failed to one of the library's errors.

Free text of a service may repeat the prompt or the key, so no error shows it: only the status, the
type and code of the error, and figures.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import cast

from orchestrator_context.exceptions import (
    ContextOverflowError,
    ProviderError,
    ProviderRejectedError,
    ProviderUnavailableError,
)
from orchestrator_context.providers._overflow import find_overflow

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,63}")
_UNSUPPORTED = re.compile(
    r"unsupported|not supported|does not support|unknown|unrecogni[sz]ed|unexpected"
    r"|not permitted|extra_forbidden|invalid param|no such",
    re.IGNORECASE,
)
_NO_CREDIT = (
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "enforced_spend_limit_reached",
)
_RETRYABLE = frozenset({408, 409, 425, 429})
_NEVER_OVERFLOW = frozenset({401, 402, 403, 404, 408, 409, 425, 429})
_ADVICE = {
    400: "check the model name and the options",
    401: "check the API key",
    402: "check the credit of the account",
    403: "check what the API key may do",
    404: "check the model name and base_url",
    408: "it may work later",
    413: "send less in one request",
    422: "check the model name and the options",
    429: "send fewer requests at once, or wait",
}


class UnsupportedParameterError(ProviderRejectedError):
    """The service does not know one of the parameters it was sent.

    Attributes:
        parameters: names among those sent that the refusal mentions.
    """

    parameters: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Complaint:
    """What the body of an error says.

    Attributes:
        label: type and code of the error, as far as they are plain identifiers.
        parameter: the one that it is about, or None where it does not say.
        text: everything it says, for searching only: it may repeat the prompt.
    """

    label: str
    parameter: str | None
    text: str


def read_complaint(body: object) -> Complaint:
    """Return what `body`, parsed JSON of any shape, says about an error."""
    outer = _mapping(body)
    inner = outer.get("error", outer)
    error = _mapping(inner) or {"message": inner}
    details = _mapping(error.get("details"))
    names = (error.get("type"), error.get("code"), details.get("error_code"))
    labels = dict.fromkeys(n for n in names if isinstance(n, str) and _IDENTIFIER.fullmatch(n))
    facts = {key: value for key, value in error.items() if key not in ("message", "detail")}
    texts = [_text(error.get("message")), _text(outer.get("detail")), _text(facts)]
    parameter = error.get("param")
    return Complaint(
        ", ".join(labels),
        parameter if isinstance(parameter, str) else None,
        " ".join(filter(None, texts)),
    )


def _mapping(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _text(value: object) -> str:
    if isinstance(value, str) or not value:
        return str(value or "")
    try:
        return json.dumps(value)
    except RecursionError:
        return ""


def error_of(
    provider: str,
    status: int,
    complaint: Complaint,
    headers: Mapping[str, str],
    sent: Iterable[str] = (),
) -> ProviderError:
    """Return the error that an answer with a failing `status` means.

    Worth another try: 408, 409, 425, 429 unless the credit is used up, and all from 500 on. An
    overflow of the window is recognised under any status that servers give it. `sent` names the
    parameters of the request.
    """
    said = f"{status} ({complaint.label})" if complaint.label else str(status)
    if status not in _NEVER_OVERFLOW:
        overflow = overflow_error(provider, status, complaint)
        if overflow is not None:
            return overflow
    broke = any(code in complaint.label for code in _NO_CREDIT)
    if (status in _RETRYABLE or status >= 500) and not broke:
        return ProviderUnavailableError(
            f"{provider} answered {said}; {_ADVICE.get(status, 'it may work later')}",
            provider=provider,
            status=status,
            retry_after=retry_after_seconds(headers),
        )
    message = f"{provider} answered {said}; {_ADVICE[402] if broke else _advice(status)}"
    if status in (400, 422) and _UNSUPPORTED.search(complaint.text):
        refused = UnsupportedParameterError(message, provider=provider, status=status)
        refused.parameters = frozenset(sent) & _parameters(complaint)
        return refused
    return ProviderRejectedError(message, provider=provider, status=status)


def _parameters(complaint: Complaint) -> frozenset[str]:
    if complaint.parameter is not None:
        return frozenset({complaint.parameter})
    return frozenset(re.findall(r"\w+", complaint.text))


def _advice(status: int) -> str:
    return _ADVICE.get(status, "check base_url" if status < 400 else "check the request")


def overflow_error(provider: str, status: int, complaint: Complaint) -> ContextOverflowError | None:
    """Return the error if `complaint` is about the window, with the figures that it names."""
    overflow = find_overflow(f"{complaint.label} {complaint.text}")
    if overflow is None:
        return None
    return ContextOverflowError(
        f"{provider} answered {status}: the request is larger than the window: {overflow}; "
        "send less, or name the window that the server really has",
        provider=provider,
        status=status,
        needed=overflow.needed,
        available=overflow.available,
    )


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """Return how long the service asks to wait, or None where it says nothing usable.

    Reads `retry-after-ms`, then `Retry-After` in seconds or as a date (RFC 9110, 10.2.3). A date
    is compared with the service's own clock where it sends one.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1_000
    value = headers.get("retry-after")
    seconds = _seconds(value)
    if seconds is not None:
        return seconds
    moment = _date(value)
    if moment is None:
        return None
    now = _date(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (moment - now).total_seconds())


def _seconds(value: str | None) -> float | None:
    try:
        seconds = float(value or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _date(value: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(value or "")
    except (TypeError, ValueError, OverflowError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
