"""The measures of readouts beside each other: what hybrid saves, and where two readings of a judge differ."""

from __future__ import annotations

from evenhand.analysis.measure_info import MeasureInfo

__all__ = ["READOUT_MEASURES"]

READOUT_MEASURES: tuple[MeasureInfo, ...] = (
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
        name="log_disagreement",
        label="parse disagreement",
        definition="Among presentations that the log parsed itself, share where its outcome and ours differ.",
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
)
