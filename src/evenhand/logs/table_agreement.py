"""Rows of a table, as codes, that contradict each other: the first of them, with the row that it contradicts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from evenhand.records.codes import NO_CODE, CodedTexts

__all__ = ["first_disagreement", "first_doubled", "first_other", "first_rows", "stated_of_pairs"]


def stated_of_pairs(pair: CodedTexts, fact: CodedTexts) -> NDArray[np.uint32]:
    """The first value that a row of each pair states, :data:`NO_CODE` where none does; shape (pairs,)."""
    stated = np.full(len(pair.values), NO_CODE, dtype=np.uint32)
    known = fact.codes != NO_CODE
    places, values = (pair.codes, fact.codes) if known.all() else (pair.codes[known], fact.codes[known])
    # Of a place that occurs several times NumPy keeps the last value, which backwards is the first.
    stated[places[::-1]] = values[::-1]
    return stated


def first_rows(coded: CodedTexts) -> NDArray[np.uint32]:
    """The first row of each value; every value has one. Shape (values,)."""
    first = np.zeros(len(coded.values), dtype=np.uint32)
    first[coded.codes[::-1]] = np.arange(len(coded.codes), dtype=np.uint32)[::-1]
    return first


def first_disagreement(
    pair: CodedTexts, facts: Mapping[str, CodedTexts], stated: Mapping[str, NDArray[np.uint32]]
) -> tuple[int, ...]:
    """The row that first stated something and the first row that contradicts it; nothing where all agree.

    Parameters
    ----------
    pair
        What rows must agree within.
    facts, stated
        Columns by name, and what :func:`stated_of_pairs` says of each.
    """
    found: list[tuple[int, str]] = []
    for name, fact in facts.items():
        other = (fact.codes != stated[name][pair.codes]) & (fact.codes != NO_CODE)
        if other.any():
            found.append((int(other.argmax()), name))
    if not found:
        return ()
    row, name = min(found, key=lambda place: place[0])  # of two in one row, the field that is looked at first
    same = (pair.codes == pair.codes[row]) & (facts[name].codes != NO_CODE)
    return int(same.argmax()), row


def first_other(codes: NDArray[np.uint32]) -> tuple[int, ...]:
    """The first row with a value and the first with another one; nothing where there are no two."""
    known = codes != NO_CODE
    if not known.any():
        return ()
    first = int(known.argmax())
    other = known & (codes != codes[first])
    return (first, int(other.argmax())) if other.any() else ()


def first_doubled(*columns: NDArray[np.integer]) -> tuple[int, ...]:
    """The first row that agrees with an earlier one in every column, behind that one; nothing where there is none."""
    import polars as pl

    rows = pl.DataFrame({str(place): column for place, column in enumerate(columns)})
    again = ~rows.select(pl.struct(pl.all()).is_first_distinct()).to_series()
    if not again.any():
        return ()
    row = int(again.arg_true()[0])
    same = np.logical_and.reduce([column == column[row] for column in columns])
    return int(same.argmax()), row
