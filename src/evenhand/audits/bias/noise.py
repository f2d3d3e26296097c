"""How often the control's verdict turns when nothing is changed: its repeats, in each of the two directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.control import TARGETS
from evenhand.records import Order, Outcome, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Repeats", "repeats_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Repeats:
    """Repeats of a control, on given pairs.

    Attributes
    ----------
    compared
        Repeats with a verdict whose first presentation, in the same order, has one too; shape (pairs, 2): order.
    toward
        Of these, how many turned toward each response; shape (pairs, 2, 2): response (A, B), order.
    """

    compared: NDArray[np.int64]
    toward: NDArray[np.int64]

    @property
    def any(self) -> bool:
        """Whether there is a repeat to compare."""
        return bool(self.compared.any())


def repeats_of(data: BiasData, control: str, readout: Readout, pairs: NDArray[np.int64]) -> Repeats:
    """Compare every repeat of the control with its first presentation in the same order.

    Parameters
    ----------
    pairs
        Ascending indices into the table's facts.
    """
    import polars as pl

    compared = np.zeros((pairs.size, len(Order)), dtype=np.int64)
    toward = np.zeros((pairs.size, len(TARGETS), len(Order)), dtype=np.int64)
    scope = data.wide.find(control, readout)
    if scope is None or not scope.repeat_asked.any():
        return Repeats(compared=compared, toward=toward)
    verdicts = [str(outcome) for outcome in (Outcome.FIRST, Outcome.SECOND, Outcome.TIE)]
    rows = data.table.filter(
        (pl.col("condition") == control) & (pl.col("readout") == str(readout)) & pl.col("outcome").is_in(verdicts)
    ).select("pair_id", "order", "repeat", stood=_standing_of_a())
    again = rows.filter(pl.col("repeat") > 0)
    before = rows.filter(pl.col("repeat") == 0).select("pair_id", "order", before="stood")
    index = pl.DataFrame({"pair_id": data.wide.facts.ids}).with_row_index("pair")
    both = again.join(before, on=["pair_id", "order"]).join(index, on="pair_id")
    pair = both["pair"].to_numpy().astype(np.int64)
    order = (both["order"] == str(Order.BA)).to_numpy().astype(np.int64)
    step = both["stood"].to_numpy().astype(np.int64) - both["before"].to_numpy()
    place = np.searchsorted(pairs, pair)
    known = np.isin(pair, pairs)
    np.add.at(compared, (place[known], order[known]), 1)
    for t, sign in enumerate((1, -1)):
        turned = known & (sign * step > 0)
        np.add.at(toward, (place[turned], t, order[turned]), 1)
    return Repeats(compared=compared, toward=toward)


def _standing_of_a() -> pl.Expr:
    """1 where A is preferred, -1 where B is, 0 for a tie."""
    import polars as pl

    a, b = (pl.col("preference") == str(target) for target in TARGETS)
    return a.cast(pl.Int64) - b.cast(pl.Int64)
