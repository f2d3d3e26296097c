"""Which pairs a run judges: read from a spec, or given in Python and checked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.datasets import read_pairs
from evenhand.errors import ConfigError
from evenhand.records import DataIdentity, Pair, pairs_hash

if TYPE_CHECKING:
    from evenhand.perturbations.variants import Variants

__all__ = ["ChosenPairs", "choose_pairs"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPairs:
    """Pairs with what a manifest says of them, and what their data set says of itself (:class:`LoadedPairs.notes`).

    ``variants`` are the user's rewrites of their responses; None where there are none.
    """

    pairs: tuple[Pair, ...]
    data: DataIdentity
    notes: tuple[str, ...] = ()
    variants: Variants | None = None


def choose_pairs(
    pairs: str | Path | Sequence[Pair], *, limit: int | None = None, variants: str | Path | None = None
) -> ChosenPairs:
    """The pairs of a spec or path, or those given; the first ``limit`` of them, with the rewrites of a file.

    Raises
    ------
    ConfigError
        No pairs, something else among them, or a limit below 1.
    DataError
        A file can't be read, or rewrites are of no pair of the data.

    Examples
    --------
    >>> choose_pairs("starter", limit=2).data.pairs
    2
    """
    if isinstance(pairs, str | Path):
        loaded = read_pairs(pairs, limit=limit)
        chosen, spec, notes = loaded.pairs, loaded.spec, loaded.notes
    else:
        chosen, spec, notes = _given(pairs, limit), "pairs given in Python", ()
    if not chosen:
        raise ConfigError("no pairs to judge: the sequence is empty")
    data = DataIdentity(spec=spec, pairs=len(chosen), sha256=pairs_hash(chosen))
    rewrites = None if variants is None else _rewrites(variants, chosen, partial=limit is not None)
    return ChosenPairs(pairs=chosen, data=data, notes=notes, variants=rewrites)


def _rewrites(path: str | Path, pairs: Sequence[Pair], *, partial: bool) -> Variants:
    from evenhand.perturbations.variants import load_variants  # with all perturbations, which a plain audit hasn't

    return load_variants(path, pairs, partial=partial)


def _given(pairs: object, limit: object) -> tuple[Pair, ...]:
    """Pairs that were given in Python, where nothing else has checked their types."""
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise ConfigError(f"limit is {limit!r}, expected at least 1")
    if isinstance(pairs, Pair) or not isinstance(pairs, Iterable):
        raise ConfigError(f"pairs: expected a spec, a path or a sequence of Pair, got a {type(pairs).__name__}")
    given = []
    for pair in pairs:
        if not isinstance(pair, Pair):
            raise ConfigError(f"pairs: expected evenhand.Pair objects, got a {type(pair).__name__} among them")
        given.append(pair)
    return tuple(given[:limit])
