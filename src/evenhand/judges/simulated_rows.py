"""Rows of a verdict table from arrays of what a simulated judge did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.records import Order, Outcome, Preference, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "FIRST",
    "REFUSED",
    "SECOND",
    "TIE",
    "TRUNCATED",
    "UNPARSED",
    "Prefilled",
    "Presentations",
    "group_name",
    "pair_name",
    "verdict_rows",
]

FIRST, SECOND, TIE, REFUSED, UNPARSED, TRUNCATED, _NO_LEAD = range(7)
_OUTCOMES = np.array(
    [
        *map(str, (Outcome.FIRST, Outcome.SECOND, Outcome.TIE, Outcome.REFUSED, Outcome.UNPARSED, Outcome.TRUNCATED)),
        None,
    ],
    dtype=object,
)
_MASS_LED, _MASS_NOT_LED = 0.9, 0.1
"""Probability on the labels where the presentation is compliant and where not: free choices, nothing rests on them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prefilled:
    """The same questions with a prefill, which makes them other questions: arrays of shape (n_pairs,)."""

    log_odds: NDArray[np.float64]
    compliant: NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentations:
    """One order of every pair: arrays of shape (n_pairs,)."""

    order: Order
    repeat: int
    log_odds: NDArray[np.float64]
    compliant: NDArray[np.bool_]
    generated: NDArray[np.int64]
    prefilled: Prefilled | None = None


def pair_name(index: int) -> str:
    """Id of a simulated pair, such as ``p000003``; ids sort as the pairs do."""
    return f"p{index:06d}"


def group_name(code: int) -> str:
    """Name of a simulated question, such as ``g000003``."""
    return f"g{code:06d}"


def verdict_rows(
    asked: Sequence[Presentations],
    *,
    group: NDArray[np.int64],
    gold: NDArray[np.float64],
    readouts: Sequence[Readout],
    condition: str,
) -> pl.DataFrame:
    """One row for each pair, order, readout and repeat: the columns of :func:`evenhand.records.verdict_table`.

    Parameters
    ----------
    asked
        Each holds the first so many pairs.
    group, gold
        Question codes, and 1 where gold is A, -1 where it is B; shape (n_pairs,).

    Raises
    ------
    StatisticsError
        The readout of a log is asked for.
    """
    import polars as pl

    ids = np.array([pair_name(i) for i in range(len(group))], dtype=object)
    groups = np.array([group_name(i) for i in group], dtype=object)
    golds = np.where(gold > 0, str(Preference.A), str(Preference.B)).astype(object)
    frames = []
    for part in asked:
        n = len(part.log_odds)
        names = (str(Preference.A), str(Preference.B))
        by_slot = names if part.order is Order.AB else names[::-1]
        preferences = np.array([*by_slot, str(Preference.TIE), None, None, None], dtype=object)
        for readout in readouts:
            log_odds, compliant = part.log_odds, part.compliant
            if part.prefilled is not None and readout == Readout.PREFILLED:
                log_odds, compliant = part.prefilled.log_odds, part.prefilled.compliant
            lead = np.where(log_odds > 0, FIRST, SECOND)
            leads = np.where(compliant, lead, _NO_LEAD)
            outcome, generated = _read(part, lead=lead, readout=Readout(readout))
            scored = readout not in (Readout.GENERATED, Readout.CONSTRAINED)
            columns: dict[str, tuple[type[pl.DataType], NDArray[Any] | None]] = {
                "pair_id": (pl.String, ids[:n]),
                "group": (pl.String, groups[:n]),
                "source": (pl.String, np.full(n, "simulated", dtype=object)),
                "gold": (pl.String, golds[:n]),
                "condition": (pl.String, np.full(n, condition, dtype=object)),
                "readout": (pl.String, np.full(n, str(readout), dtype=object)),
                "order": (pl.String, np.full(n, str(part.order), dtype=object)),
                "repeat": (pl.Int64, np.full(n, part.repeat)),
                "outcome": (pl.String, _OUTCOMES[outcome]),
                "preference": (pl.String, preferences[outcome]),
                "compliant": (pl.Boolean, compliant),
                "lead": (pl.String, _OUTCOMES[leads]),
                "log_odds": (pl.Float64, log_odds if scored else None),
                "mass": (pl.Float64, np.where(compliant, _MASS_LED, _MASS_NOT_LED) if scored else None),
                "log_outcome": (pl.String, None),
                "generated": (pl.Boolean, generated),
            }
            frames.append(
                pl.DataFrame(
                    [
                        pl.Series(name, [None] * n if values is None else values.tolist(), dtype=dtype)
                        for name, (dtype, values) in columns.items()
                    ]
                )
            )
    return pl.concat(frames)


def _read(
    part: Presentations, *, lead: NDArray[np.int64], readout: Readout
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Outcome codes of one readout, and which presentations it needed text for."""
    match readout:
        case Readout.FIRST_TOKEN | Readout.PREFILLED:
            return lead, np.zeros(len(lead), dtype=bool)
        case Readout.CONSTRAINED:
            return lead, np.ones(len(lead), dtype=bool)
        case Readout.GENERATED:
            return part.generated, np.ones(len(lead), dtype=bool)
        case Readout.HYBRID:
            return np.where(part.compliant, lead, part.generated), ~part.compliant
        case Readout.LOGGED:
            raise StatisticsError("a simulated judge leaves no log: there is nothing to read as logged")
        case _:
            assert_never(readout)
