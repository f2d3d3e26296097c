"""The measures of a judge read one way: what it answers, and what the order does to it."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["POSITION_MEASURES"]

POSITION_MEASURES: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="verdict_rate",
        label="verdicts",
        definition="Share of presentations that ended in a verdict (first, second or tie).",
    ),
    MeasureInfo(
        name="compliance_presentations",
        label="compliance, presentations",
        definition=(
            "Share of presentations whose most probable first token over the whole vocabulary is a verdict token."
        ),
    ),
    MeasureInfo(
        name="compliance_pairs",
        label="compliance, pairs",
        definition="Share of pairs that are compliant in both orders.",
    ),
    MeasureInfo(
        name="flip_rate",
        label="flip rate",
        definition="Among pairs decided in both orders, share whose preference differs between the orders.",
    ),
    MeasureInfo(
        name="inconsistency_rate",
        label="tie inconsistency",
        definition="Among pairs with a verdict in both orders, share with a tie in exactly one order; not a flip.",
    ),
    MeasureInfo(
        name="swap_consistency",
        label="swap consistency",
        definition="Among pairs with a verdict in both orders, share with the same preference (or a tie) in both.",
    ),
    MeasureInfo(
        name="first_slot_rate",
        label="first-slot rate",
        definition=(
            "Share of decided presentations that chose the first slot; .5 is even when each pair is shown "
            "in both orders."
        ),
    ),
    MeasureInfo(
        name="first_position_bias_rate",
        label="first-position bias rate",
        definition="Among flips, share locked to the first slot: above .5 primacy, below .5 recency, near .5 noise.",
    ),
    MeasureInfo(
        name="slot_lock_rate",
        label="slot lock",
        definition="Among pairs decided in both orders, share that chose the same slot twice; equal to the flip rate.",
    ),
    MeasureInfo(
        name="position_bias_strength",
        label="position bias strength",
        definition=(
            "Directed share of slot locks: (first-slot locks - second-slot locks) / pairs decided in both orders; "
            "0 for noise, +1 when every pair goes to the first slot, -1 to the second."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="lead_conclusion_divergence",
        label="lead-conclusion divergence",
        definition=(
            "Among compliant presentations that led with a slot's label and whose generated verdict is decided, share "
            "that concluded with the other slot."
        ),
    ),
    MeasureInfo(
        name="accuracy_ab",
        label="accuracy, order AB",
        definition="Among presentations in order AB with a verdict and a gold preference, share that agree with it.",
    ),
    MeasureInfo(
        name="accuracy_ba",
        label="accuracy, order BA",
        definition="Among presentations in order BA with a verdict and a gold preference, share that agree with it.",
    ),
    MeasureInfo(
        name="accuracy_alone",
        label="accuracy, judged alone",
        definition=(
            "Where each response was judged by itself: among pairs with a verdict and a gold preference, share that "
            "agree with it."
        ),
    ),
    MeasureInfo(
        name="accuracy_consistent",
        label="accuracy, consistent pairs",
        definition=(
            "Among pairs with the same preference (or a tie) in both orders and a gold preference, share that agree "
            "with it; these are the easier pairs."
        ),
    ),
    MeasureInfo(
        name="repeat_flip_rate",
        label="repeat flip rate",
        definition=(
            "Among repeats decided both times in the same order (the control asks AB), share whose preference changed "
            "without a swap."
        ),
    ),
    MeasureInfo(
        name="swap_minus_repeat",
        label="swap minus repeat",
        definition=(
            "Flip rate under swapping minus flip rate under repetition, on the repeated pairs: the part "
            "that order adds to noise."
        ),
        unit="difference",
    ),
)
