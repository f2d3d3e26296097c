"""The measures that audits report: name, label, one-sentence definition and unit, in one table.

Terminal, HTML, JSON, card and glossary all print from here, so that a figure is called the same everywhere.
"""

from __future__ import annotations

from evenhand.analysis.bias_measures import BIAS_MEASURES
from evenhand.analysis.measure_info import MeasureInfo
from evenhand.analysis.observed_measures import OBSERVED_MEASURES

__all__ = ["MEASURES", "MeasureInfo", "measure_info"]


_POSITION: tuple[MeasureInfo, ...] = (
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
    MeasureInfo(
        name="flip_difference",
        label="flips, first-token minus generated",
        definition=(
            "Flip rate under the first-token readout minus that under the generated readout, on pairs "
            "decided in both orders by both."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="share_generated",
        label="share generated",
        definition="Hybrid readout: share of presentations for which the judge had to generate.",
    ),
    MeasureInfo(
        name="generation_saved",
        label="generation saved",
        definition="Hybrid readout: share of presentations for which generation is not needed.",
    ),
    MeasureInfo(
        name="hybrid_fidelity",
        label="hybrid fidelity",
        definition="Among presentations with a verdict by both, share on which hybrid and generated readouts agree.",
    ),
    MeasureInfo(
        name="pp_flip_rate",
        label="flip rate, prediction-powered",
        definition=(
            "Estimated flip rate of the generated readout on all pairs, from the text of a random sample of them and "
            "the first token of all."
        ),
    ),
    MeasureInfo(
        name="sample_flip_rate",
        label="flip rate, sample alone",
        definition=(
            "Estimated flip rate of the generated readout on all pairs, from the sampled text alone: each stratum of "
            "compliance weighted by its pairs."
        ),
    ),
    MeasureInfo(
        name="pp_effective_pairs",
        label="effective pairs",
        definition=(
            "How many pairs, drawn at random and generated for, would tell the flip rate as closely without the first "
            "token."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="pp_position_bias_strength",
        label="position bias strength, prediction-powered",
        definition=(
            "Estimated position bias strength of the generated readout on all pairs, from the text of a random sample "
            "of them and the first token of all."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="sample_position_bias_strength",
        label="position bias strength, sample alone",
        definition=(
            "Estimated position bias strength of the generated readout on all pairs, from the sampled text alone."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="pp_accuracy_ab",
        label="accuracy, order AB, prediction-powered",
        definition=(
            "Estimated accuracy of the generated readout in order AB on all pairs with a gold preference, from the "
            "text of a random sample of them and the first token of all."
        ),
    ),
    MeasureInfo(
        name="sample_accuracy_ab",
        label="accuracy, order AB, sample alone",
        definition=(
            "Estimated accuracy of the generated readout in order AB on all pairs with a gold preference, from the "
            "sampled text alone."
        ),
    ),
    MeasureInfo(
        name="pp_accuracy_ba",
        label="accuracy, order BA, prediction-powered",
        definition=(
            "Estimated accuracy of the generated readout in order BA on all pairs with a gold preference, from the "
            "text of a random sample of them and the first token of all."
        ),
    ),
    MeasureInfo(
        name="sample_accuracy_ba",
        label="accuracy, order BA, sample alone",
        definition=(
            "Estimated accuracy of the generated readout in order BA on all pairs with a gold preference, from the "
            "sampled text alone."
        ),
    ),
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
    MeasureInfo(
        name="log_disagreement",
        label="parse disagreement",
        definition="Among presentations that the log parsed itself, share where its outcome and ours differ.",
    ),
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
    MeasureInfo(
        name="flip_readout_contrast",
        label="flips, difference to generated",
        definition=(
            "Flip rate under the readout named minus that under the generated readout, on pairs decided in both "
            "orders by both."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="accuracy_readout_contrast",
        label="accuracy, difference to generated",
        definition=(
            "Accuracy under the readout named minus that under the generated readout, on presentations with a gold "
            "preference and a verdict by both, both orders together."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="label_mass",
        label="label mass",
        definition="Mean probability of all variants of the labels together at the position read.",
    ),
    MeasureInfo(
        name="low_mass_rate",
        label="label mass below half",
        definition="Share of presentations whose labels have less than half of the probability together.",
    ),
    MeasureInfo(
        name="probability_shift",
        label="probability shift",
        definition=(
            "Mean of p(A) in order AB minus p(A) in order BA, p renormalised over the two labels: what standing first "
            "adds to a response's probability; 0 for no lean to a slot."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="probability_shift_absolute",
        label="probability shift, absolute",
        definition="Mean distance between p(A) in order AB and p(A) in order BA, whichever is larger.",
    ),
    MeasureInfo(
        name="averaged_accuracy",
        label="accuracy, averaged orders",
        definition=(
            "Share of pairs whose p(A), averaged over the two orders, lies on the gold side of .5; on pairs with a "
            "gold side and log-odds other than even in each order and on average."
        ),
    ),
    MeasureInfo(
        name="single_accuracy_ab",
        label="accuracy, order AB, same pairs",
        definition="The same with p(A) of order AB alone, on the same pairs.",
    ),
    MeasureInfo(
        name="single_accuracy_ba",
        label="accuracy, order BA, same pairs",
        definition="The same with p(A) of order BA alone, on the same pairs.",
    ),
    MeasureInfo(
        name="agreeing_accuracy",
        label="accuracy, agreeing orders",
        definition="The same, on those of the pairs whose two orders prefer the same response: the easier ones.",
    ),
    MeasureInfo(
        name="averaged_accuracy_gain",
        label="accuracy, averaged minus single",
        definition="Accuracy of the averaged p(A) minus the mean of the two orders' accuracies, on the same pairs.",
        unit="difference",
    ),
    MeasureInfo(
        name="averaged_brier",
        label="Brier score, averaged orders",
        definition="Mean squared distance of the averaged p(A) from 1 (gold is A) or 0 (gold is B).",
        unit="number",
    ),
    MeasureInfo(
        name="single_brier_ab",
        label="Brier score, order AB",
        definition="The same with p(A) of order AB alone.",
        unit="number",
    ),
    MeasureInfo(
        name="single_brier_ba",
        label="Brier score, order BA",
        definition="The same with p(A) of order BA alone.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_brier_gain",
        label="Brier score, averaged minus single",
        definition="Brier score of the averaged p(A) minus the mean of the two orders' scores; never above 0.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_log_loss",
        label="log loss, averaged orders",
        definition="Mean negative natural logarithm of the averaged probability of the gold response.",
        unit="number",
    ),
    MeasureInfo(
        name="single_log_loss_ab",
        label="log loss, order AB",
        definition="The same with the probability of order AB alone.",
        unit="number",
    ),
    MeasureInfo(
        name="single_log_loss_ba",
        label="log loss, order BA",
        definition="The same with the probability of order BA alone.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_log_loss_gain",
        label="log loss, averaged minus single",
        definition="Log loss of the averaged p(A) minus the mean of the two orders' losses; never above 0.",
        unit="number",
    ),
    MeasureInfo(
        name="averaged_auroc",
        label="AUROC, averaged orders",
        definition="Chance that the averaged p(A) of a pair with gold A exceeds that of a pair with gold B, ties half.",
        unit="number",
    ),
    MeasureInfo(
        name="decisive_flip_rate",
        label="decisive flips",
        definition=(
            "Among flips with log-odds in both orders, share whose averaged p(A) is .1 or more from even; a flip's is "
            "never .25 from it."
        ),
    ),
    MeasureInfo(
        name="decisive_flip_accuracy",
        label="accuracy, decisive flips",
        definition="Among decisive flips of pairs with a gold side, share whose averaged p(A) lies on it.",
    ),
)

MEASURES: tuple[MeasureInfo, ...] = (*_POSITION, *BIAS_MEASURES, *OBSERVED_MEASURES)

_BY_NAME = {info.name: info for info in MEASURES}


def measure_info(name: str) -> MeasureInfo:
    """Look a measure up; KeyError for an unknown name.

    Examples
    --------
    >>> measure_info("flip_rate").label
    'flip rate'
    """
    return _BY_NAME[name]
