"""The tables of recalibrated label probabilities: what a map buys, and the slot bias that it takes away."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue
from evenhand.mitigation.recalibrate import Recalibration
from evenhand.stats import Refusal

__all__ = ["recalibration_table", "slot_bias_table"]

_JUDGE = StudyColumn(name="judge", label="judge")


def recalibration_table(calibrations: Sequence[Recalibration]) -> StudyTable:
    """One row a judge and map: scores before and after; without rows where none was fitted."""
    return StudyTable(
        id="calibration",
        title="Recalibrated label probabilities",
        caption=(
            "Of single presentations: the probability that the first slot is right, before and after a map fitted on "
            "other questions. Lower is better. p is of the Brier score's change."
        ),
        headers=2,
        columns=(
            _JUDGE,
            StudyColumn(name="method", label="map"),
            StudyColumn(name="brier_before", label="Brier before", unit="number"),
            StudyColumn(name="brier_after", label="after", unit="number"),
            StudyColumn(name="brier_gain", label="change", unit="number"),
            StudyColumn(name="p", label="p", unit="p"),
            StudyColumn(name="log_loss_before", label="log loss before", unit="number"),
            StudyColumn(name="log_loss_after", label="after", unit="number"),
            StudyColumn(name="log_loss_gain", label="change", unit="number"),
            StudyColumn(name="ece_before", label="calibration error before", unit="number"),
            StudyColumn(name="ece_after", label="after", unit="number"),
            StudyColumn(name="ece_gain", label="change", unit="number"),
        ),
        rows=tuple(
            (
                calibration.judge,
                each.method,
                each.scores.brier_before,
                each.scores.brier_after,
                each.scores.brier_gain,
                each.scores.test,
                each.scores.log_loss_before,
                each.scores.log_loss_after,
                each.scores.log_loss_gain,
                each.scores.ece_before,
                each.scores.ece_after,
                each.scores.ece_gain,
            )
            for calibration in calibrations
            for each in calibration.maps
        ),
    )


def slot_bias_table(calibrations: Sequence[Recalibration]) -> StudyTable:
    """One row a judge: the bias and the temperature that the map's regression found, or why there is none."""

    def row(each: Recalibration) -> tuple[StudyValue, ...]:
        fit = each.regression
        if isinstance(fit, Refusal):
            return each.judge, fit, None, None
        bias, slope = fit.term("intercept"), fit.term("log-odds of the first slot")
        return each.judge, bias.estimate, bias.test, slope.estimate

    return StudyTable(
        id="slot-bias",
        title="Slot bias and temperature",
        caption=(
            "Logistic regression of “the first slot is right” on the log-odds of the first slot. An unbiased, "
            "calibrated judge has bias 0 and slope 1; a bias below 0 means that the first slot is favoured, a slope "
            "below 1 that the judge is too sure."
        ),
        columns=(
            _JUDGE,
            StudyColumn(name="bias", label="slot bias", unit="number"),
            StudyColumn(name="p", label="p of bias", unit="p"),
            StudyColumn(name="slope", label="slope (1 / temperature)", unit="number"),
        ),
        rows=tuple(row(each) for each in calibrations),
    )
