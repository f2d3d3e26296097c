"""From what a user writes after ``--pairs`` to pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evenhand.datasets.base import Dataset, LoadedPairs, ReadsWithNotes, require_path
from evenhand.datasets.table import TableDataset
from evenhand.errors import ConfigError, DataError
from evenhand.records import Pair
from evenhand.registry import available, resolve

__all__ = ["load_dataset", "load_pairs", "read_pairs"]


def load_dataset(spec: str | Path) -> Dataset:
    """The data set that a spec names; nothing is read yet.

    Parameters
    ----------
    spec
        ``starter`` or ``adversarial``; ``judgebench:PATH``, ``llmbar:PATH``, ``mt_bench:DIR`` or another registered
        ``NAME:PATH``; these three with ``hub`` or ``hub@REVISION`` for PATH; or the path of a pair file. A
        :class:`~pathlib.Path` is always a pair file, whatever its name.

    Raises
    ------
    ConfigError
        The name is unknown, or it needs a path and has none.

    Examples
    --------
    >>> load_dataset("starter").spec
    'starter'
    """
    if isinstance(spec, Path):
        return TableDataset(path=spec)
    if not spec.strip():
        raise ConfigError(
            "pairs: expected starter, judgebench:PATH, llmbar:PATH, mt_bench:DIR or a file, got an empty text"
        )
    name, colon, rest = spec.partition(":")
    if name in available("datasets"):
        dataset: Dataset = resolve("datasets", name).from_spec(rest if colon else None)
        return dataset
    path = require_path("table", spec)
    if _looks_like_name(name, with_path=bool(colon)) and not _exists(path):
        resolve("datasets", name)  # raises, with the names that exist
    return TableDataset(path=path)


def load_pairs(spec: str | Path, *, limit: int | None = None) -> tuple[Pair, ...]:
    """Read pairs.

    Parameters
    ----------
    spec
        See :func:`load_dataset`.
    limit
        Take the first so many pairs; None takes all. A pair file's order is its own. The other data sets put their
        sources in turn, so that a prefix spreads over them. The whole file is still read and checked, and a limit
        beyond its length takes all.

    Returns
    -------
    tuple of Pair
        At least one; ids are unique.

    Raises
    ------
    ConfigError
        The spec or the limit can't be used.
    DataError
        A file, row or field can't be read.

    Examples
    --------
    >>> [pair.source for pair in load_pairs("starter", limit=3)]
    ['facts', 'arithmetic', 'code']
    """
    return read_pairs(spec, limit=limit).pairs


def read_pairs(spec: str | Path, *, limit: int | None = None) -> LoadedPairs:
    """Read pairs as :func:`load_pairs` does, with what was really read.

    The spec that comes back is the one given, but for a data set that pins a revision: then the commit is in it.
    """
    if limit is not None and limit < 1:
        raise ConfigError(f"limit is {limit}, expected at least 1")
    dataset = load_dataset(spec)
    if isinstance(dataset, ReadsWithNotes):
        loaded = dataset.read()
    else:
        loaded = LoadedPairs(pairs=dataset.pairs(), spec=str(spec))
    if not loaded.pairs:
        raise DataError(f"{dataset.spec} holds no pairs")
    return replace(loaded, pairs=loaded.pairs[:limit])


def _looks_like_name(name: str, *, with_path: bool) -> bool:
    """Whether a text that isn't a known name was meant as one: a word, not a Windows drive, not a file name."""
    return name.replace("_", "").replace("-", "").isalnum() and (with_path is False or len(name) > 1)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, or a null byte
        return False
