"""Predictions of every pair by every predictor, one row each: what reports draw and ``predictions.parquet`` holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.probes.results import ProbeReport
from evenhand.workflow.probe_fit import probability_column

if TYPE_CHECKING:
    import polars as pl

__all__ = ["prediction_rows"]


def prediction_rows(report: ProbeReport, predictions: pl.DataFrame) -> pl.DataFrame:
    """From a column a predictor (:class:`evenhand.workflow.probe_fit.ProbeFit`) to a row a pair and predictor.

    Returns
    -------
    polars.DataFrame
        ``predictor`` and ``probability`` beside the columns of the pair, predictors in the report's order, pairs in
        their own. Predictors without predictions have no row.
    """
    import polars as pl

    columns = {each.name: probability_column(each.name) for each in report.predictors}
    present = {name: column for name, column in columns.items() if column in predictions.columns}
    pairs = predictions.select(pl.exclude(list(present.values())))
    parts = [
        pairs.with_columns(pl.lit(name).alias("predictor"), predictions[column].cast(pl.Float64).alias("probability"))
        for name, column in present.items()
    ]
    if not parts:
        return pairs.clear().with_columns(
            pl.lit(None, dtype=pl.String).alias("predictor"), pl.lit(None, dtype=pl.Float64).alias("probability")
        )
    return pl.concat(parts)
