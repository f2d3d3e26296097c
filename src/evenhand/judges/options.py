"""Options of a judge: texts from the command line or values from Python, checked against what the judge knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.errors import ConfigError

__all__ = ["Option", "read_options"]

_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a judge.

    Attributes
    ----------
    kind
        ``int``, ``float``, ``bool`` or ``str``.
    help
        What it does, in one line, for ``evenhand judges``.
    choices
        The texts that are allowed; empty: any.
    least
        The smallest number that is allowed.
    default
        What holds where it isn't given, as a text that could be given or in words.
    """

    kind: type[int] | type[float] | type[bool] | type[str]
    help: str
    choices: tuple[str, ...] = ()
    least: float | None = None
    default: str = "none"


def read_options(
    options: Mapping[str, object], known: Mapping[str, Option], *, spec: str
) -> dict[str, int | float | bool | str]:
    """Check options and read those that came as text. None means: not given.

    Raises
    ------
    ConfigError
        An unknown name (the message lists those that exist), or a value that its option can't have.

    Examples
    --------
    >>> known = {"n_ctx": Option(kind=int, help="context length in tokens", least=1)}
    >>> read_options({"n_ctx": "4096"}, known, spec="llamacpp:m.gguf")
    {'n_ctx': 4096}
    """
    values: dict[str, int | float | bool | str] = {}
    for name, given in options.items():
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            raise ConfigError(f"judge {spec!r} has no option {name!r} (known: {names})")
        if given is not None:
            values[name] = _read(given, known[name], place=f"judge {spec!r}: option {name}={given!r}")
    return values


def _read(given: object, option: Option, *, place: str) -> int | float | bool | str:
    value = _typed(given, option.kind)
    if value is None:
        raise ConfigError(f"{place} is not {_NAMES[option.kind]}")
    if option.choices and value not in option.choices:
        raise ConfigError(f"{place}: expected {', '.join(option.choices)}")
    if option.least is not None and isinstance(value, int | float) and value < option.least:
        raise ConfigError(f"{place}: expected at least {option.least:g}")
    return value


_NAMES: Mapping[type, str] = {int: "a whole number", float: "a number", bool: "on or off", str: "a text"}


def _typed(given: object, kind: type) -> int | float | bool | str | None:
    if kind is bool:
        return given if isinstance(given, bool) else _WORDS.get(given.lower()) if isinstance(given, str) else None
    if kind is str:
        return given if isinstance(given, str) else None
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        return None
    try:
        number = float(given)
        if not math.isfinite(number) or (kind is int and number != int(number)):
            return None
        return number if kind is float else int(given)
    except ValueError:
        return None
