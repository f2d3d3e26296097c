"""Verdict tables of simulated runs on the same pairs, drawn from the chances of a flip that each pair has."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.records import Order, Outcome, Preference, Readout


def table(
    flips: NDArray[np.bool_],
    prefers_a: NDArray[np.bool_],
    groups: NDArray[np.int64],
    *,
    first: NDArray[np.bool_] | None = None,
    condition: str = "c",
    readout: Readout = Readout.GENERATED,
) -> pl.DataFrame:
    """A table of decided pairs: which flip, what the others prefer, and to which slot a flip is locked.

    Every other pair has gold A.
    """
    n = len(flips)
    locked = np.ones(n, dtype=bool) if first is None else first
    ab = np.where(flips, locked, prefers_a)  # chose the first slot
    ba = np.where(flips, locked, ~prefers_a)
    names = np.array([str(Outcome.SECOND), str(Outcome.FIRST)])
    sides = np.array([str(Preference.B), str(Preference.A)])
    ids = [f"p{i:05d}" for i in range(n)]
    shared = {
        "pair_id": pl.Series(ids * 2, dtype=pl.String),
        "group": pl.Series([f"g{g}" for g in groups] * 2, dtype=pl.String),
        "source": pl.Series(["s"] * (2 * n), dtype=pl.String),
        "gold": pl.Series(["A" if i % 2 else "B" for i in range(n)] * 2, dtype=pl.String),
        "condition": pl.Series([condition] * (2 * n), dtype=pl.String),
        "readout": pl.Series([str(readout)] * (2 * n), dtype=pl.String),
        "order": pl.Series([str(Order.AB)] * n + [str(Order.BA)] * n, dtype=pl.String),
        "repeat": pl.Series([0] * (2 * n), dtype=pl.Int64),
    }
    none = pl.Series([None] * (2 * n), dtype=pl.String)
    return pl.DataFrame(
        {
            **shared,
            "outcome": np.concatenate([names[ab.astype(int)], names[ba.astype(int)]]).tolist(),
            "preference": np.concatenate([sides[ab.astype(int)], sides[1 - ba.astype(int)]]).tolist(),
            "compliant": pl.Series([True] * (2 * n), dtype=pl.Boolean),
            "lead": none,
            "log_odds": none.cast(pl.Float64),
            "mass": none.cast(pl.Float64),
            "log_outcome": none,
            "generated": pl.Series([True] * (2 * n), dtype=pl.Boolean),
        }
    )


def clustered_chances(
    rate: float, *, groups: NDArray[np.int64], spread: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Chances of a flip with a mean of ``rate`` exactly, whose clusters differ: Beta with a given spread."""
    if spread == 0.0:
        return np.full(len(groups), rate)
    size = 1 / spread - 1
    of_group = rng.beta(rate * size, (1 - rate) * size, size=int(groups.max()) + 1)
    return of_group[groups]
