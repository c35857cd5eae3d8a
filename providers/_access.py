"""Where a service is, what lets us in, and whom we trust: addresses, API keys, certificates."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING

import httpx

from orchestrator_context import checks
from orchestrator_context.exceptions import ConfigurationError

if TYPE_CHECKING:
    import ssl

_KEY = re.compile(r"[\x21-\x7e]+")  # what a header may carry, without white space


def api_key_from(value: str | None, variable: str) -> str | None:
    """Return the key that was given, or else the one in the environment; "" counts as none.

    Raises:
        ConfigurationError: no header can carry it. The message does not show it.
    """
    key = os.environ.get(variable) if value is None else checks.text("api_key", value)
    if key and not _KEY.fullmatch(key):
        raise ConfigurationError(
            f"The API key (api_key or {variable}) holds white space or characters outside ASCII, "
            "which no HTTP header can carry; look for a line break at its end"
        )
    return key or None


def base_url_from(value: str) -> httpx.URL:
    """Return the parsed address of a service, without a slash at its end.

    Raises:
        ConfigurationError: it is no http or https address, or holds a user name or password.
    """
    try:
        url = httpx.URL(checks.text("base_url", value))
        url.raw_host.decode().encode("idna")  # what looking it up will do
        usable = url.scheme in ("http", "https") and url.host and (url.port or 0) < 65_536
    except (httpx.InvalidURL, UnicodeError):
        raise _no_address() from None
    if not usable:
        raise _no_address()
    if url.userinfo:
        raise ConfigurationError(
            "base_url must not hold a user name or password; pass api_key, or an http_client "
            "with auth"
        )
    return url.copy_with(path=url.path.rstrip("/"), fragment=None)


def _no_address() -> ConfigurationError:
    return ConfigurationError("base_url must be an address such as http://127.0.0.1:8080/v1")


@cache
def trusted() -> ssl.SSLContext:
    """Return the certificates that are trusted, the same to all who ask."""
    return httpx.create_ssl_context()  # takes 20 ms or more
