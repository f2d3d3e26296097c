"""The starter pairs: 60 pairs written for Evenhand, in the package, ready without a download."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Self

from evenhand.datasets.table import TableDataset
from evenhand.errors import ConfigError
from evenhand.records import Pair

__all__ = ["StarterDataset"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StarterDataset:
    """Sixty pairs from six sources, ten each: facts, arithmetic, code, instructions, style and safety.

    Every pair has a gold preference and, as metadata ``why``, the reason. In each source A is preferred five times
    and the longer response is preferred five times, so neither side nor length gives the answer away. Sources come in
    turn, so that the first 6n pairs have n of each. The pairs show how a judge behaves and let the tools be tried;
    they are too few and too easy to rank judges by.

    Examples
    --------
    >>> pairs = StarterDataset().pairs()
    >>> len(pairs), len({pair.source for pair in pairs})
    (60, 6)
    """

    @property
    def spec(self) -> str:
        """``starter``."""
        return "starter"

    @classmethod
    def from_spec(cls, rest: str | None) -> Self:
        """Build it; there is nothing to choose."""
        if rest:
            raise ConfigError(f"data set 'starter' takes no path, got {rest!r}: write starter")
        return cls()

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs in the file's order."""
        with as_file(files(__package__) / "pairs.jsonl") as path:
            return TableDataset(path=path).pairs()
