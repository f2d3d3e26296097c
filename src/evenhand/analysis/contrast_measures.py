"""The measures of two conditions beside each other, and of a level beside its axis' baseline."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["CONTRAST_MEASURES"]

CONTRAST_MEASURES: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="compliance_contrast",
        label="compliance, difference of conditions",
        definition="Pair compliance under the first condition named minus that under the second, on the same pairs.",
        unit="difference",
    ),
    MeasureInfo(
        name="flip_contrast",
        label="flips, difference of conditions",
        definition=(
            "Flip rate under the first condition named minus that under the second, on pairs decided in "
            "both orders under both."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="design_compliance",
        label="compliance, level minus baseline",
        definition=(
            "Pair compliance under the level named minus that under its axis' baseline, on the same pairs, over all "
            "designs that differ in nothing else."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="design_flips",
        label="flips, level minus baseline",
        definition=(
            "Flip rate under the level named minus that under its axis' baseline, on pairs decided in both orders "
            "under both, over all designs that differ in nothing else."
        ),
        unit="difference",
    ),
)
