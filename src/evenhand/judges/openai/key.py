"""The key of an API: in memory only, hidden from every text that leaves this process other than the request itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from evenhand.errors import ConfigError

__all__ = ["ApiKey", "read_key"]

HIDDEN = "[key]"
_LOOKS_LIKE_ONE = re.compile(r"\b(?:sk|pk|rk)-[\w*.-]{5,}[\w*]|(?<=Bearer )[^\s\"',]{6,}")
"""Keys as OpenAI and those who copy it write them (also the half-hidden form of their own error texts)."""
_SHORTEST_SECRET = 16
_PLACEHOLDER = "none"
"""For a server on this machine that asks for no key; the SDK wants one."""


class ApiKey:
    """A key that can't be printed by accident.

    Examples
    --------
    >>> key = ApiKey("swordfish-1")
    >>> key, key.scrub("Incorrect API key provided: swordfish-1")
    (ApiKey(hidden), 'Incorrect API key provided: [key]')
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "ApiKey(hidden)"

    def reveal(self) -> str:
        """The key itself, for the request's header."""
        return self._value

    def hidden_in(self, value: Any) -> Any:  # noqa: ANN401 - a server's own
        """What a server answered, as decoded, without this key.

        A placeholder such as ``EMPTY`` may be a word of the answer, so that keys shorter than any real one are left.
        """
        if len(self._value) < _SHORTEST_SECRET:
            return value
        match value:
            case str():
                return value.replace(self._value, HIDDEN)
            case list():
                return [self.hidden_in(item) for item in value]
            case dict():
                return {self.hidden_in(name): self.hidden_in(item) for name, item in value.items()}
            case _:
                return value

    def scrub(self, text: str) -> str:
        """A text without this key, nor anything that looks like one."""
        if self._value != _PLACEHOLDER:
            for form in {self._value, quote(self._value, safe=""), json.dumps(self._value)[1:-1]}:
                text = text.replace(form, HIDDEN)
        return _LOOKS_LIKE_ONE.sub(HIDDEN, text)


def read_key(environment: Mapping[str, str], name: str, *, loopback: bool, endpoint: str) -> ApiKey:
    """Take the key from the environment; a server on this machine may do without.

    Raises
    ------
    ConfigError
        There is none, or it can't be sent as a header.
    """
    value = environment.get(name, "").strip()
    if not value:
        if loopback:
            return ApiKey(_PLACEHOLDER)
        raise ConfigError(
            f"no key for {endpoint}: set the environment variable {name}, or name another with api_key_env"
        )
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ConfigError(
            f"the environment variable {name} holds no usable key: expected printable ASCII without spaces"
        )
    return ApiKey(value)
