"""TOML that strangers wrote, read in bounded time and with one kind of error."""

from __future__ import annotations

import re
import tomllib
from typing import Any

__all__ = ["parse_toml"]

_PARTS = 64
_LONG_KEY = re.compile(rf"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){{{_PARTS}}}")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML text.

    The standard library's parser takes time in the square of a dotted key's parts (20,000 of them: half a minute) and
    ends in other errors than its own for an enormous number and for a nest too deep.

    Raises
    ------
    ValueError
        Not TOML, or such a key, number or nest; the text says which and where.

    Examples
    --------
    >>> parse_toml("max_flip_rate = 0.1")
    {'max_flip_rate': 0.1}
    """
    found = _LONG_KEY.search(text)
    if found is not None:
        line = text.count("\n", 0, found.start()) + 1
        raise ValueError(f"a key of {_PARTS} parts or more (at line {line})")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    except ValueError as error:  # a whole number of thousands of digits
        raise ValueError(str(error).partition(";")[0]) from error
