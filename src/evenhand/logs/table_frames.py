"""Codes of a verdict table as the frames of :class:`evenhand.records.columnar.VerdictColumns`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.logs.table_agreement import first_rows
from evenhand.records.codes import NO_CODE, CodedTexts
from evenhand.records.completion import FinishReason
from evenhand.records.hashing import content_hash
from evenhand.records.outcome import Order, Outcome, Preference

if TYPE_CHECKING:
    import polars as pl

__all__ = ["pair_frame", "presentation_frame"]


def pair_frame(pair: CodedTexts, facts: Mapping[str, tuple[pl.Series, NDArray[np.uint32]]]) -> pl.DataFrame:
    """The pairs ascending by id, each with its place in the log.

    Parameters
    ----------
    pair
        The pair of each row.
    facts
        By name: values, and the code of each pair's value.
    """
    import polars as pl

    found = {name: _taken(values, codes).alias(name) for name, (values, codes) in facts.items()}
    group = found.pop("group", pl.Series("group", [None], dtype=pl.String).new_from_index(0, len(pair.values)))
    gold = found.pop("gold", pl.Series("gold", [None], dtype=pl.String).new_from_index(0, len(pair.values)))
    source = found.pop("source", pl.Series("source", [None], dtype=pl.String).new_from_index(0, len(pair.values)))
    frame = pl.DataFrame(
        [
            pair.values.alias("id"),
            pl.Series("ordinal", _places(pair), dtype=pl.UInt32),
            source.fill_null(""),
            group,
            gold.cast(pl.Enum([preference.value for preference in Preference])),
            *(text.fill_null("") for text in found.values()),
        ]
    )
    if "instruction" in facts:
        frame = frame.with_columns(pl.col("group").fill_null(_groups(*facts["instruction"])))
    # Without an instruction its hash would put every pair into one group.
    return frame.with_columns(pl.col("group").fill_null(pl.col("id")))


def _taken(values: pl.Series, codes: NDArray[np.uint32]) -> pl.Series:
    """The value of each code, null for none."""
    import polars as pl

    absent = codes == NO_CODE
    places = pl.Series(codes)
    if absent.any():
        places = places.set(pl.Series(absent), None)
    return values.gather(places)


def _groups(values: pl.Series, codes: NDArray[np.uint32]) -> pl.Series:
    """The group that a pair's instruction puts it into, as :class:`evenhand.records.Pair` hashes it."""
    import polars as pl

    hashed = pl.Series([content_hash(text)[:16] for text in values.to_list()], dtype=pl.String)
    return _taken(hashed, codes)


def _places(pair: CodedTexts) -> NDArray[np.uint32]:
    """Rank of each pair by its first row."""
    first = first_rows(pair)
    places = np.empty(len(first), dtype=np.uint32)
    places[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.uint32)
    return places


def presentation_frame(
    *,
    pair: NDArray[np.uint32],
    order: NDArray[np.int8],
    condition: CodedTexts,
    conditions: tuple[str, ...],
    repeat: NDArray[np.uint32],
    outcome: NDArray[np.int8],
    finish: NDArray[np.int8],
) -> pl.DataFrame:
    """The presentations in the log's order.

    Parameters
    ----------
    conditions
        Their ids, in the order of first mention.
    order, outcome, finish
        Indices into the enumerations, -1 for none.
    """
    import polars as pl

    place = {name: index for index, name in enumerate(conditions)}
    codes = np.array([place[name] for name in condition.values.to_list()], dtype=np.uint32)[condition.codes]
    return pl.DataFrame(
        [
            pl.Series("pair", pair, dtype=pl.UInt32),
            _enum("order", order, [each.value for each in Order]),
            _enum("condition", codes, list(conditions)),
            pl.Series("repeat", repeat, dtype=pl.UInt32),
            _enum("outcome", outcome, [each.value for each in Outcome]),
            _enum("finish_reason", finish, [each.value for each in FinishReason]),
        ]
    )


def _enum(name: str, codes: NDArray[np.integer], values: list[str]) -> pl.Series:
    import polars as pl

    # By gathering: how numbers are cast to an enumeration depends on polars' version.
    places = pl.Series(codes.astype(np.uint32)) if codes.dtype.kind == "i" else pl.Series(codes)
    absent = codes < 0
    if absent.any():
        places = places.set(pl.Series(absent), None)
    return pl.Series(name, values, dtype=pl.Enum(values)).gather(places)
