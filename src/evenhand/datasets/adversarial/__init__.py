"""The adversarial probe set: 66 pairs, each laid out so that one bias of a judge leads it wrong. Frozen."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files
from typing import Final, Self

from evenhand.datasets.table import TableDataset
from evenhand.errors import ConfigError
from evenhand.records import Pair

__all__ = ["FILE", "VERSION", "AdversarialDataset"]

VERSION: Final = "1"
"""Of the pairs; a file of a version never changes, another version is another file."""
FILE: Final = f"pairs-v{VERSION}.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdversarialDataset:
    """Eleven sources of six pairs, each source a bias: verbosity, padding, formatting, tone, authority, and so on.

    Each pair has a known gold preference, which for ``padding`` is a tie. Its metadata say which bias it probes
    (``probe``), what a judge with that bias would choose (``lure``, A or B) and what draws it there (``lure_is``), and
    why the gold preference holds (``why``). Within each source the lure is A in three pairs; the right response is the
    longer one in three, but for ``verbosity`` and ``padding``, where length is the lure. Sources come in turn.

    The set is there to see drift: the same judge, asked the same pairs after an update. See
    ``docs/reference/adversarial-set.md`` for how it was made and what it can't show.

    Examples
    --------
    >>> pairs = AdversarialDataset().pairs()
    >>> len(pairs), dict(pairs[0].metadata)["probe"], dict(pairs[0].metadata)["lure_is"]
    (66, 'verbosity', 'the longer response')
    """

    @property
    def spec(self) -> str:
        """``adversarial``."""
        return "adversarial"

    @classmethod
    def from_spec(cls, rest: str | None) -> Self:
        """Build it; there is nothing to choose."""
        if rest:
            raise ConfigError(f"data set 'adversarial' takes no path, got {rest!r}: write adversarial")
        return cls()

    def pairs(self) -> tuple[Pair, ...]:
        """The pairs in the file's order."""
        with as_file(files(__package__) / FILE) as path:
            return TableDataset(path=path).pairs()
