"""One row a pair of a selective run: why it was swapped or not, what both orders said, and the final preference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.audits.sample import in_a_table
from evenhand.audits.swap_design import SwapDesign

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FILE", "swap_table"]

FILE = "selective.parquet"
_BOTH, _AB = "both orders", "AB alone"


def swap_table(verdicts: pl.DataFrame, design: SwapDesign) -> pl.DataFrame:
    """Every pair under every condition and readout.

    Parameters
    ----------
    verdicts
        As :func:`evenhand.records.verdict_table` makes it.

    Returns
    -------
    polars.DataFrame
        ``condition``, ``readout``, ``pair_id``, ``stratum``, ``risk``, ``place``, ``drawn``; ``outcome_ab`` and
        ``outcome_ba``, ``preference_ab`` and ``preference_ba`` (null where there is none); ``flip`` (null unless both
        orders were decided); ``final`` (where both orders gave a verdict: the preference they share, else ``tie``;
        otherwise order AB's preference, null without one) and ``final_from`` (``both orders`` or ``AB alone``).
    """
    import polars as pl

    drawn = pl.DataFrame(
        [(in_a_table(p.pair_id), p.stratum.value, p.risk, p.place, p.drawn) for p in design.pairs],
        schema={
            "pair_id": pl.String,
            "stratum": pl.String,
            "risk": pl.Float64,
            "place": pl.Int64,
            "drawn": pl.Boolean,
        },
        orient="row",
    )
    scope = ["condition", "readout", "pair_id"]
    asked = verdicts.filter(pl.col("repeat") == 0).with_columns(
        pl.col("condition", "readout", "pair_id", "order", "outcome", "preference").cast(pl.String)
    )
    orders = [
        asked.filter(pl.col("order") == order).select(
            *scope, pl.col("outcome").alias(f"outcome_{order.lower()}"), pl.col("preference").alias(_preference(order))
        )
        for order in ("AB", "BA")
    ]
    joined = orders[0].join(orders[1], on=scope, how="left").join(drawn, on="pair_id", how="inner")
    ab, ba = pl.col(_preference("AB")), pl.col(_preference("BA"))
    both = ab.is_not_null() & ba.is_not_null()
    decided = both & (ab != "tie") & (ba != "tie")
    return (
        joined.with_columns(
            pl.when(decided).then(ab != ba).alias("flip"),
            pl.when(both & (ab != ba)).then(pl.lit("tie")).otherwise(ab).alias("final"),
            pl.when(ab.is_null()).then(None).when(both).then(pl.lit(_BOTH)).otherwise(pl.lit(_AB)).alias("final_from"),
        )
        .select(
            *scope,
            *("stratum", "risk", "place", "drawn", "outcome_ab", "outcome_ba", "preference_ab", "preference_ba"),
            *("flip", "final", "final_from"),
        )
        .sort(scope)
    )


def _preference(order: str) -> str:
    return f"preference_{order.lower()}"
