"""The index's rows from a run's verdicts: both orders of a pair side by side, coded, vectorised."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.lead import CONCLUDING
from evenhand.records import Outcome, Readout
from evenhand.web.cube import COLUMNS, Cube
from evenhand.web.facets import NOT_ASKED
from evenhand.web.row_codes import (
    UNKNOWN,
    Orders,
    compliance_codes,
    gold_codes,
    lead_codes,
    pulls,
    relation_codes,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MOST_CELLS", "IndexRows", "PairFacts", "compacted", "index_rows"]

MOST_CELLS: Final = 20_000
"""Combinations of facet values that a page can go through in some milliseconds."""

_SOURCES: Final = (300, 40, 0)
"""Sources that are told apart: as many as leave few enough cells; the others are one value together."""

_NEVER: Final = 1e300
_KEYS: Final = ("pair", "condition", "readout")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFacts:
    """What the rows need of the pairs, in the run's order.

    Attributes
    ----------
    ids
        As :func:`evenhand.records.verdict_table` writes them.
    gold
        0 for A, 1 for B, 2 for a tie, :data:`evenhand.web.row_codes.UNKNOWN` for none; shape (pairs,).
    source
        Position in ``sources``; shape (pairs,).
    sources
        Names, the most frequent first.
    """

    ids: Sequence[str]
    gold: NDArray[np.int64]
    source: NDArray[np.int64]
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexRows:
    """The rows in the order of the run, and their cube.

    Attributes
    ----------
    columns
        Those of the table ``rows`` but ``rid``, by name; each of shape (rows,).
    cube
        Its cells are numbered as ``columns["cell"]`` has them.
    sources
        Those that the cube tells apart; with more, its last code stands for all others.
    log_odds
        Whether any row has them.
    """

    columns: dict[str, NDArray[Any]]
    cube: Cube
    sources: tuple[str, ...]
    log_odds: bool

    def tuples(self) -> Iterator[tuple[object, ...]]:
        """Rows for SQLite; a missing number is None."""
        names = ("pair", "cell", "ab", "ba", "name", "pull", "close")
        for start in range(0, len(self.columns["pair"]), 50_000):
            parts = [self.columns[name][start : start + 50_000] for name in names]
            lists = [
                [None if value != value else value for value in part.tolist()]
                if part.dtype.kind == "f"
                else part.tolist()
                for part in parts
            ]
            yield from zip(*lists, strict=True)


def compacted(verdicts: pl.DataFrame, ids: pl.DataFrame, conditions: Sequence[str]) -> pl.DataFrame:
    """The verdict table with codes in place of texts: a twentieth of its memory.

    Parameters
    ----------
    ids
        Columns ``pair_id`` and ``pair``: the position of each.
    conditions
        Their ids; a code is a position.
    """
    import polars as pl

    outcomes = {outcome.value: code for code, outcome in enumerate(Outcome)}
    readouts = {readout.value: code for code, readout in enumerate(Readout)}

    def coded(column: str, codes: dict[str, int], dtype: type[pl.DataType]) -> pl.Expr:
        return pl.col(column).replace_strict(codes, default=UNKNOWN, return_dtype=dtype)

    return (
        verdicts.join(ids, on="pair_id", how="inner", maintain_order="left")
        .select(
            pl.col("pair").cast(pl.Int32),
            coded("condition", {name: code for code, name in enumerate(conditions)}, pl.Int32),
            coded("readout", readouts, pl.Int8),
            pl.col("order").eq("AB").alias("is_ab"),
            pl.col("repeat").cast(pl.Int32),
            coded("outcome", outcomes, pl.Int8),
            coded("lead", outcomes, pl.Int8),
            pl.col("compliant").cast(pl.Int8).fill_null(UNKNOWN),
            pl.col("log_odds"),
        )
        .filter((pl.col("condition") >= 0) & (pl.col("outcome") >= 0))
    )


def index_rows(compact: pl.DataFrame, facts: PairFacts) -> IndexRows:
    """Put both orders side by side and code every facet."""
    import polars as pl

    first = compact.filter(pl.col("repeat") == 0).drop("repeat")
    sides = []
    for is_ab, suffix in ((True, "ab"), (False, "ba")):
        side = first.filter(pl.col("is_ab") == is_ab).drop("is_ab").unique([*_KEYS], keep="first")
        sides.append(side.rename({name: f"{name}_{suffix}" for name in side.columns if name not in _KEYS}))
    wide = sides[0].join(sides[1], on=_KEYS, how="full", coalesce=True)
    wide = wide.join(_repeats(compact), on=_KEYS, how="left").sort(_KEYS)

    def codes(name: str, missing: int) -> NDArray[np.int64]:
        return wide[name].cast(pl.Int64).fill_null(missing).to_numpy()

    def numbers(name: str) -> NDArray[np.float64]:
        return wide[name].cast(pl.Float64).fill_null(np.nan).to_numpy()

    outcome, compliant, lead = (
        Orders(ab=codes(f"{name}_ab", missing), ba=codes(f"{name}_ba", missing))
        for name, missing in (("outcome", NOT_ASKED), ("compliant", UNKNOWN), ("lead", UNKNOWN))
    )
    pair, readout = codes("pair", 0), codes("readout", 0)
    generated = readout == list(Readout).index(CONCLUDING)
    facets = {
        "readout": readout,
        "condition": codes("condition", 0),
        "relation": relation_codes(outcome),
        "ab": outcome.ab,
        "ba": outcome.ba,
        "gold": gold_codes(outcome, facts.gold[pair]),
        "lead": lead_codes(outcome, lead, compliant, generated=generated),
        "compliance": compliance_codes(outcome, compliant),
        "repeat": codes("repeat", 0),
    }
    ab, ba = numbers("log_odds_ab"), numbers("log_odds_ba")
    cube, cell, kept = _cube(facets, facts.source[pair], len(facts.sources))
    ranks = np.empty(len(facts.ids), dtype=np.int64)
    ranks[np.argsort(np.asarray(facts.ids, dtype=object), kind="stable")] = np.arange(len(facts.ids))
    pull, close = -np.abs(pulls(ab, ba)), np.abs(ab - ba) / 2
    columns: dict[str, NDArray[Any]] = {
        "pair": pair,
        "cell": cell,
        "ab": ab,
        "ba": ba,
        "name": ranks[pair],
        "pull": np.where(np.isnan(pull), 1.0, pull),
        "close": np.where(np.isnan(close), _NEVER, close),
    }
    return IndexRows(
        columns=columns,
        cube=cube,
        sources=facts.sources[:kept],
        log_odds=bool(np.isfinite(ab).any() | np.isfinite(ba).any()),
    )


def _repeats(compact: pl.DataFrame) -> pl.DataFrame:
    """Keys of rows that were asked again, with the code of :data:`evenhand.web.facets.REPEAT`."""
    import polars as pl

    keys = [*_KEYS, "is_ab"]
    again = compact.filter(pl.col("repeat") > 0).select([*keys, "outcome"])
    first = (
        compact.filter(pl.col("repeat") == 0).unique(keys, keep="first").select([*keys, pl.col("outcome").alias("one")])
    )
    joined = again.join(first, on=keys, how="inner")
    differs = (pl.col("outcome") != pl.col("one")).any()
    return joined.group_by(_KEYS).agg(pl.when(differs).then(2).otherwise(1).cast(pl.Int64).alias("repeat"))


def _cube(
    facets: dict[str, NDArray[np.int64]], source: NDArray[np.int64], sources: int
) -> tuple[Cube, NDArray[np.int64], int]:
    """The cube, each row's cell, and how many sources it tells apart."""
    most = _SOURCES[0]
    for kept in [sources] * (sources <= most) + [few for few in _SOURCES if few < sources]:
        here = {**facets, "source": np.minimum(source, kept)}
        key = np.zeros(len(source), dtype=np.int64)
        for name in COLUMNS:
            key = key * (int(here[name].max(initial=0)) + 1) + here[name]
        _, first, cell, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        if len(counts) <= MOST_CELLS:
            break
    values = {name: here[name][first] for name in COLUMNS}
    return Cube(values=values, counts=counts.astype(np.int64)), cell.astype(np.int64).reshape(-1), kept
