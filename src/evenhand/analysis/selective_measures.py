"""The measures of a selective audit: estimates on all pairs where only likely flips and a floor were swapped."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["SELECTIVE_MEASURES"]

SELECTIVE_MEASURES: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="selective_flip_rate",
        label="flip rate, selective",
        definition=(
            "Estimated flip rate on all pairs, from likely flips that were all asked in order BA and a random floor of "
            "the others, with the predicted risk of every pair."
        ),
    ),
    MeasureInfo(
        name="weighted_flip_rate",
        label="flip rate, weighted",
        definition=(
            "Estimated flip rate on all pairs, from the pairs asked in both orders alone: each weighted by the inverse "
            "of its chance to be asked."
        ),
    ),
    MeasureInfo(
        name="selective_position_bias_strength",
        label="position bias strength, selective",
        definition=(
            "Estimated position bias strength on all pairs, from likely flips that were all asked in order BA and a "
            "random floor of the others, with the predicted risk of every pair."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="weighted_position_bias_strength",
        label="position bias strength, weighted",
        definition=(
            "Estimated position bias strength on all pairs, from the pairs asked in both orders alone: each weighted "
            "by the inverse of its chance to be asked."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="selective_first_position_bias_rate",
        label="first-position bias rate, selective",
        definition=(
            "Estimated share of all flips that are locked to the first slot, from likely flips and a random floor, "
            "with the predicted risk of every pair."
        ),
    ),
    MeasureInfo(
        name="weighted_first_position_bias_rate",
        label="first-position bias rate, weighted",
        definition=(
            "Estimated share of all flips that are locked to the first slot, from the pairs asked in both orders "
            "alone: each weighted by the inverse of its chance to be asked."
        ),
    ),
    MeasureInfo(
        name="missed_flips",
        label="flips missed",
        definition=(
            "Estimated share of these pairs' flips whose predicted risk was too low for a swap, those that the random "
            "floor happened to find included."
        ),
    ),
    MeasureInfo(
        name="selective_compliance_pairs",
        label="compliance, pairs, selective",
        definition=(
            "Estimated share of all pairs that are compliant in both orders, from likely flips that were all asked in "
            "order BA and a random floor of the others, with the compliance in AB of every pair."
        ),
    ),
    MeasureInfo(
        name="weighted_compliance_pairs",
        label="compliance, pairs, weighted",
        definition=(
            "Estimated share of all pairs that are compliant in both orders, from the pairs asked in both alone: each "
            "weighted by the inverse of its chance to be asked."
        ),
    ),
    MeasureInfo(
        name="selective_accuracy_ba",
        label="accuracy, order BA, selective",
        definition=(
            "Estimated accuracy in order BA on all pairs with a gold preference, from likely flips that were all asked "
            "in it and a random floor of the others, with the risk and the verdict in AB of every pair."
        ),
    ),
    MeasureInfo(
        name="weighted_accuracy_ba",
        label="accuracy, order BA, weighted",
        definition=(
            "Estimated accuracy in order BA on all pairs with a gold preference, from the pairs asked in it alone: "
            "each weighted by the inverse of its chance to be asked."
        ),
    ),
    MeasureInfo(
        name="floor_flip_rate",
        label="flip rate, floor",
        definition=(
            "Among pairs of the random floor decided in both orders, share whose preference differs between the "
            "orders: how often pairs of low risk flip."
        ),
    ),
    MeasureInfo(
        name="certain_flip_rate",
        label="flip rate, high risk",
        definition=(
            "Among pairs swapped for certain because of their risk and decided in both orders, share whose preference "
            "differs between the orders."
        ),
    ),
    MeasureInfo(
        name="certain_minus_floor_flip_rate",
        label="flips, high risk minus floor",
        definition=(
            "Flip rate of the pairs swapped for certain because of their risk minus that of the random floor: above 0 "
            "where the predictor picks pairs that flip more often than the others."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="judgments_saved",
        label="judgments saved",
        definition="Share of the judgments of both orders of every pair that were not asked.",
    ),
)
