"""The table of predictions beside a probe report: one row a pair."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.audits.sample import in_a_table
from evenhand.probes.data import ProbeData
from evenhand.probes.evaluate import HeldOut
from evenhand.probes.predictors import probability_column
from evenhand.stats import Refusal

if TYPE_CHECKING:
    import polars as pl

__all__ = ["predictions_table"]


def predictions_table(
    data: ProbeData, held_out: Sequence[HeldOut], *, folds: NDArray[np.int64] | None = None
) -> pl.DataFrame:
    """What was predicted of each pair, beside what became of it.

    Parameters
    ----------
    held_out
        Those without probabilities have no column.
    folds
        The outer fold of each pair; None where there are none, as in a transfer.

    Returns
    -------
    polars.DataFrame
        In the order of the data: ``pair_id``, ``group``, ``fold`` (if any), ``flip``, ``choice_ab``, ``confidence``
        (null where there is none), ``margin``, ``length_difference``, and a column for each predictor, named by
        :func:`evenhand.probes.predictors.probability_column`.
    """
    import polars as pl

    return pl.DataFrame(
        {
            "pair_id": [in_a_table(pair_id) for pair_id in data.pair_ids],
            "group": [in_a_table(group) for group in data.groups],
            **({} if folds is None else {"fold": folds}),
            "flip": data.flips,
            "choice_ab": data.choice_ab,
            "confidence": pl.Series(data.confidence).fill_nan(None),
            "margin": data.margin,
            "length_difference": data.length_difference,
            **{
                probability_column(each.name): each.probabilities
                for each in held_out
                if not isinstance(each.probabilities, Refusal)
            },
        }
    )
