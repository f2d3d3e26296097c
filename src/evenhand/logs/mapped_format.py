"""Which format reads a log whose columns are mapped: one that takes a map, or the mapped table for a plain one."""

from __future__ import annotations

from typing import Final

from evenhand.errors import ConfigError
from evenhand.logs.mapped import MappedLog
from evenhand.registry import BUILT_IN, resolve

__all__ = ["MAPPED_TABLE", "mapped_format"]

MAPPED_TABLE: Final = "trace_csv"
"""Reads what the ``table`` format reads, by any names."""


def mapped_format(name: str) -> str:
    """The format that reads with a map what ``name`` reads without.

    A format of another package is taken at its word: it refuses what it can't take.

    Raises
    ------
    ConfigError
        The format is one of ours and has columns of its own.

    Examples
    --------
    >>> mapped_format("table"), mapped_format("promptfoo")
    ('trace_csv', 'promptfoo')
    """
    if name == "table":
        return MAPPED_TABLE
    if name not in BUILT_IN["logs"] or issubclass(resolve("logs", name), MappedLog):
        return name
    takes = (each for each in sorted(BUILT_IN["logs"]) if issubclass(resolve("logs", each), MappedLog))
    raise ConfigError(
        f"log format {name!r} has columns of its own, so leave out --map (formats with columns to map: table, "
        f"{', '.join(takes)})"
    )
