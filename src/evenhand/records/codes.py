"""Texts as small whole numbers: one code a distinct text, so that names are sorted and compared as integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["NO_CODE", "CodedTexts", "code_texts", "repeated"]

NO_CODE = int(np.iinfo(np.uint32).max)
"""The code of a null."""

_FEW = 20_000
"""Distinct texts up to which polars' own dictionary is the quicker way."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodedTexts:
    """A column as codes.

    Attributes
    ----------
    codes
        Index into ``values`` for each row, :data:`NO_CODE` for a null; uint32.
    values
        The distinct texts, ascending by code point, so that the order of the rows can't change a code.
    """

    codes: NDArray[np.uint32]
    values: pl.Series


def code_texts(series: pl.Series) -> CodedTexts:
    """Give each distinct text of a column its code.

    Parameters
    ----------
    series
        Strings; nulls are allowed.

    Examples
    --------
    >>> import polars as pl
    >>> coded = code_texts(pl.Series(["b", "a", None, "b"]))
    >>> coded.values.to_list(), [int(code) for code in coded.codes if code != NO_CODE]
    (['a', 'b'], [1, 0, 1])
    """
    if series.null_count() == 0:
        return _code(series)
    known = np.flatnonzero(series.is_not_null().to_numpy())
    coded = _code(series.drop_nulls())
    codes = np.full(len(series), NO_CODE, dtype=np.uint32)
    codes[known] = coded.codes
    return CodedTexts(codes=codes, values=coded.values)


def _code(series: pl.Series) -> CodedTexts:
    import polars as pl

    if pl.select(pl.lit(series).approx_n_unique()).item() <= _FEW:
        values = series.unique().sort()
        codes = series.cast(pl.Enum(values)).to_physical().cast(pl.UInt32).to_numpy()
        return CodedTexts(codes=codes, values=values)
    seed = 0
    while (coded := _code_by_hash(series, seed)) is None:
        seed += 1
    return coded


def _code_by_hash(series: pl.Series, seed: int) -> CodedTexts | None:
    """Sort hashes, which are numbers, instead of texts; None where two texts share a hash."""
    hashes = series.hash(seed).to_numpy()
    order = np.argsort(hashes)
    ascending = hashes[order]
    starts = np.empty(len(ascending), dtype=np.bool_)
    starts[:1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=starts[1:])
    del hashes, ascending
    numbers = np.cumsum(starts, dtype=np.uint32)
    numbers -= 1
    codes = np.empty(len(order), dtype=np.uint32)
    codes[order] = numbers
    distinct = series.gather(order[starts])
    del order, starts, numbers
    if not bool((series == distinct.gather(codes)).all()):
        return None
    # ``distinct`` is in the order of its hashes, so sorting its texts by their hashes tells where each has gone.
    values = distinct.sort()
    rank = np.argsort(values.hash(seed).to_numpy()).astype(np.uint32)
    return CodedTexts(codes=rank[codes], values=values)


def repeated(*columns: NDArray[np.unsignedinteger]) -> bool:
    """Whether two rows agree in every column.

    Parameters
    ----------
    columns
        Codes, one array each, all of one length.

    Examples
    --------
    >>> repeated(np.array([0, 0, 1], dtype=np.uint32), np.array([0, 1, 0], dtype=np.uint8))
    False
    """
    key = np.zeros(len(columns[0]), dtype=np.uint64)
    span = 1
    for column in columns:
        size = int(column.max(initial=0)) + 1
        if span > np.iinfo(np.uint64).max // size:  # more places than numbers: number those that are taken
            distinct, places = np.unique(key, return_inverse=True)
            key, span = places.astype(np.uint64), len(distinct)
        if size > 1:
            key *= np.uint64(size)
            key += column.astype(np.uint64)
            span *= size
    key.sort()
    return bool((key[1:] == key[:-1]).any())
