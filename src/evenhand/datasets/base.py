"""What every data set offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from evenhand.errors import ConfigError, DataError
from evenhand.records import Pair

__all__ = ["Dataset", "LoadedPairs", "ReadsWithNotes", "require_path", "sources_in_turn", "unique_ids"]


@runtime_checkable
class Dataset(Protocol):
    """A named collection of pairs, found through :mod:`evenhand.registry`."""

    @property
    def spec(self) -> str:
        """What the user wrote to get it, such as ``llmbar:pairs/Natural/dataset.json``."""
        ...

    @classmethod
    def from_spec(cls, rest: str | None) -> Dataset:
        """Build it from what follows the first colon of a spec; None where there is no colon.

        Raises
        ------
        ConfigError
            The data set needs a path and got none, or takes none and got one.
        """
        ...

    def pairs(self) -> tuple[Pair, ...]:
        """Read every pair, in the same order each time.

        Raises
        ------
        DataError
            A file, row or field can't be read.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedPairs:
    """Pairs with what was really read.

    Attributes
    ----------
    pairs
        As :meth:`Dataset.pairs` gives them.
    spec
        The data set's spec with everything pinned: for one from the hub, with the commit.
    notes
        What a reader must know, a sentence each, such as how many comparisons were left out and why.
    """

    pairs: tuple[Pair, ...]
    spec: str
    notes: tuple[str, ...] = ()


@runtime_checkable
class ReadsWithNotes(Dataset, Protocol):
    """A data set that pins what it reads, or leaves something out, and says so."""

    def read(self) -> LoadedPairs:
        """As :meth:`Dataset.pairs`, with the pinned spec and the notes."""
        ...


def require_path(kind: str, rest: str | None) -> Path:
    """The path after ``kind:``, with a leading ``~`` expanded (a shell doesn't expand it after a colon).

    Examples
    --------
    >>> require_path("llmbar", "pairs/Natural").as_posix()
    'pairs/Natural'
    """
    if not rest:
        raise ConfigError(f"data set {kind!r} needs a path: write {kind}:PATH")
    try:
        return Path(rest).expanduser()
    except RuntimeError as error:  # "~nobody/…": no such user
        raise ConfigError(f"{kind}:{rest}: {error}") from error


def sources_in_turn(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Order pairs so that every prefix spreads over the sources: one pair of each source, then the next of each.

    Sources come in the order in which they first occur, and pairs keep their order within a source, so a set with
    one source is returned as it was.

    Examples
    --------
    >>> p = [Pair(id=i, instruction="", response_a="", response_b="", source=i[0]) for i in ("a1", "a2", "b1")]
    >>> [pair.id for pair in sources_in_turn(p)]
    ['a1', 'b1', 'a2']
    """
    by_source: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_source.setdefault(pair.source, []).append(pair)

    def rounds() -> Iterator[Pair]:
        for turn in range(max(map(len, by_source.values()), default=0)):
            for members in by_source.values():
                if turn < len(members):
                    yield members[turn]

    return tuple(rounds())


def unique_ids(pairs: Iterable[tuple[Path | str, int, Pair]], *, field: str = "id") -> tuple[Pair, ...]:
    """Collect pairs with their place; two with the same id are an error that names both places.

    Raises
    ------
    DataError
        An id occurs twice.
    """
    seen: dict[str, tuple[Path | str, int]] = {}
    kept: list[Pair] = []
    for path, row, pair in pairs:
        if (first := seen.get(pair.id)) is not None:
            where = f"row {first[1]}" if first[0] == path else f"{first[0]}, row {first[1]}"
            raise DataError(
                f"{pair.id!r} is already the id of {where}",
                path=path,
                row=row,
                field=field,
                remedy="give each pair its own id, or remove the repeated row",
            )
        seen[pair.id] = (path, row)
        kept.append(pair)
    return tuple(kept)
