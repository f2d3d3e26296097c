"""The measures of biases that need no changed pair: verbosity by regression, self-preference, rationales."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["OBSERVED_MEASURES"]

_VERBOSITY: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="length_effect",
        label="length effect",
        definition=(
            "At equal quality and slot, by how much the share that chooses a response is higher when it is twice as "
            "long in characters as the other (cluster-robust regression)."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="quality_effect",
        label="quality effect",
        definition=(
            "At equal length and slot, by how much the share that chooses a response is higher when it is the better "
            "one, or better by one unit of rated quality."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="length_per_quality",
        label="length per quality",
        definition=(
            "Coefficient of the log length ratio over that of quality: how much of being the better response one unit "
            "of log length is worth (Fieller's interval)."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="length_per_quality_delta",
        label="length per quality, delta",
        definition="Length per quality with the delta method's interval.",
        unit="number",
    ),
    MeasureInfo(
        name="length_per_quality_bootstrap",
        label="length per quality, bootstrap",
        definition="Length per quality with the interval of refits to resampled clusters.",
        unit="number",
    ),
    MeasureInfo(
        name="length_effect_words",
        label="length effect, words",
        definition="Length effect with lengths counted in words.",
        unit="difference",
    ),
    MeasureInfo(
        name="length_effect_odds",
        label="length effect, log odds",
        definition=(
            "At equal quality and slot, by how much the log odds of choosing a response are higher when it is twice as "
            "long (logistic regression)."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="length_effect_latent",
        label="length effect, expected quality",
        definition=(
            "The same in log odds, with the quality that the gold side and the length together lead to expect in place "
            "of the gold side."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="length_effect_score",
        label="length effect, judge's log odds",
        definition=(
            "At equal quality and slot, by how much the judge's own log odds of a response are higher when it is twice "
            "as long."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="length_per_quality_score",
        label="length per quality, judge's log odds",
        definition="Length per quality with the judge's own log odds in place of its choice (Fieller's interval).",
        unit="number",
    ),
    MeasureInfo(
        name="length_effect_unadjusted",
        label="length effect, unadjusted",
        definition=(
            "Length effect without a quality term: longer responses may be chosen because they are better, so it is no "
            "measure of bias."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="longer_chosen",
        label="longer chosen",
        definition="Share of decided presentations of responses of unlike length that chose the longer one.",
    ),
    MeasureInfo(
        name="longer_chosen_first",
        label="longer chosen, shown first",
        definition="Among decided presentations that show the longer response first, share that chose it.",
    ),
    MeasureInfo(
        name="longer_chosen_second",
        label="longer chosen, shown second",
        definition="Among decided presentations that show the longer response second, share that chose it.",
    ),
    MeasureInfo(
        name="length_auroc",
        label="AUROC of length",
        definition=(
            "How well the log length ratio of first to second slot ranks the presentations that chose the first above "
            "those that chose the second; .5 is chance."
        ),
    ),
    MeasureInfo(
        name="verbosity_bias_rate",
        label="verbosity bias rate",
        definition=(
            "Among decided presentations of pairs whose gold response is the shorter one, share that chose the longer "
            "one."
        ),
    ),
    MeasureInfo(
        name="error_rate_agreeing",
        label="error rate, gold is longer",
        definition=(
            "Among decided presentations of pairs whose gold response is the longer one, share that chose the shorter "
            "one: the errors that length does not explain."
        ),
    ),
    MeasureInfo(
        name="verbosity_excess",
        label="verbosity excess",
        definition="Verbosity bias rate minus the error rate where the gold response is the longer one.",
        unit="difference",
    ),
)

_SELF: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="self_preference",
        label="self-preference",
        definition=(
            "By how much more often a judge chooses its own family's response than the other judges choose it in the "
            "same presentations, at equal slot, length and quality terms of each judge."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="self_preference_odds",
        label="self-preference, log odds",
        definition=(
            "The same in log odds: conditional logistic fit of judge and author with the presentation's own effect "
            "eliminated."
        ),
        unit="number",
    ),
    MeasureInfo(
        name="self_preference_difference",
        label="difference in differences",
        definition=(
            "Own family's share of the judge's choices minus its share of the choices of judges of neither family in "
            "the same presentations, without any other term."
        ),
        unit="difference",
    ),
    MeasureInfo(
        name="own_share",
        label="own family chosen",
        definition="Share of the judge's choices between its own family's response and another's that fell on its own.",
    ),
    MeasureInfo(
        name="own_share_others",
        label="own family chosen by others",
        definition="The same share among the choices of judges of neither family in the same presentations.",
    ),
)

_RATIONALE: tuple[MeasureInfo, ...] = (
    MeasureInfo(
        name="rationale_similarity_flips",
        label="rationale similarity, flips",
        definition=(
            "Among flips, mean similarity of the two orders' rationales when the labels are replaced by the responses "
            "that they name; 1 is the same text."
        ),
    ),
    MeasureInfo(
        name="rationale_similarity_consistent",
        label="rationale similarity, consistent",
        definition="The same among pairs decided alike in both orders.",
    ),
    MeasureInfo(
        name="rationale_similarity_difference",
        label="rationale similarity, flips minus consistent",
        definition="Mean similarity of the rationales among flips minus that among pairs decided alike in both orders.",
        unit="difference",
    ),
    MeasureInfo(
        name="rationale_slot_similarity_flips",
        label="rationale similarity by slot, flips",
        definition=(
            "Among flips, mean similarity of the two orders' rationales as they were written, label for label: the "
            "same is said of a slot, whichever response stands in it."
        ),
    ),
    MeasureInfo(
        name="near_identical_flips",
        label="near-identical rationales",
        definition=(
            "Among flips with two rationales, share whose rationales are nearly the same text, by response or by slot, "
            "and name the other winner."
        ),
    ),
)

OBSERVED_MEASURES: tuple[MeasureInfo, ...] = (*_VERBOSITY, *_SELF, *_RATIONALE)
