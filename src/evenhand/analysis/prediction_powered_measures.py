"""The measures of a run whose text is a sample: estimates with the first token of all pairs, and without it."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["PREDICTION_POWERED_MEASURES"]

PREDICTION_POWERED_MEASURES: tuple[MeasureInfo, ...] = (
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
)
