"""What the figures of a probe report draw, taken from the report and from the predictions of each pair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from evenhand.errors import DataError
from evenhand.probes import Metric, PredictorKind, PredictorResult, ProbeReport
from evenhand.probes.predictors import probability_column
from evenhand.report.format import interval_text, is_shown
from evenhand.report.model import Point
from evenhand.report.points import point
from evenhand.report.probes.gain import gain_curve
from evenhand.report.probes.model import Line
from evenhand.report.probes.roles import COMBINED, CONFIDENCE, NO_SIGNAL, drawn, label, main
from evenhand.stats import Estimate, ReliabilityCurve

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["KIND_NAMES", "auroc_points", "calibration_lines", "gain_lines", "learning_lines"]

KIND_NAMES: Final = {
    PredictorKind.PROBE: "probe",
    PredictorKind.BASELINE: "baselines",
    PredictorKind.BEYOND: "beyond the paper",
    PredictorKind.CONTROL: "controls",
}
_GAIN_POINTS = 400  # of a curve in a figure: more than a printed line can show
_LEARNING_LINES = 4


def _series(report: ProbeReport, predictor: PredictorResult) -> str:
    """Which colour and mark a predictor has in every figure."""
    first = main(report)
    if first is not None and predictor.name == first.name:
        return "probe"
    return predictor.name if predictor.name in (CONFIDENCE, COMBINED, NO_SIGNAL) else predictor.kind.value


def auroc_points(report: ProbeReport) -> tuple[Point, ...]:
    """AUROC of every predictor that ranks; a constant's is left out, a refusal is named."""
    return tuple(
        point(KIND_NAMES[kind], _series(report, p), label(p.name), auroc, "score")
        for kind in PredictorKind
        for p in report.predictors
        if p.kind is kind and p.name != NO_SIGNAL and (auroc := dict(p.metrics).get(Metric.AUROC)) is not None
    )


def calibration_lines(report: ProbeReport) -> tuple[Line, ...]:
    """Mean prediction against observed flip rate by bins, of the probe, the combined features and no signal."""
    return tuple(
        Line(
            series=_series(report, p),
            label=label(p.name),
            x=tuple(b.mean_probability for b in p.calibration.bins),
            y=tuple(b.rate for b in p.calibration.bins),
        )
        for p in drawn(report, (COMBINED, NO_SIGNAL))
        if isinstance(p.calibration, ReliabilityCurve) and p.calibration.bins
    )


def learning_lines(report: ProbeReport) -> tuple[Line, ...]:
    """AUROC by mean number of training pairs."""
    first = main(report)
    names = list(dict.fromkeys(p.predictor for p in report.learning_curve))
    names.sort(key=lambda name: first is None or name != first.name)
    lines = []
    for name in names[:_LEARNING_LINES]:
        shown = [
            (p.pairs, auroc)
            for p in sorted(report.learning_curve, key=lambda p: p.pairs)
            if p.predictor == name
            and isinstance(auroc := dict(p.metrics).get(Metric.AUROC), Estimate)
            and is_shown(auroc)
        ]
        known = next((p for p in report.predictors if p.name == name), None)
        bounds = [a.interval if interval_text(a.interval, "score") else None for _, a in shown]
        if shown:
            lines.append(
                Line(
                    series=PredictorKind.BEYOND.value if known is None else _series(report, known),
                    label=label(name),
                    x=tuple(pairs for pairs, _ in shown),
                    y=tuple(a.value for _, a in shown),
                    low=tuple(None if b is None else b.low for b in bounds),
                    high=tuple(None if b is None else b.high for b in bounds),
                )
            )
    return tuple(lines)


def gain_lines(report: ProbeReport, predictions: pl.DataFrame) -> tuple[Line, ...]:
    """Share of flips found against share of pairs swapped, of the probe, the confidence and the combined features.

    Empty where the report refuses to judge the predictor: its curve would say what its AUROC may not.

    Raises
    ------
    DataError
        The predictions lack a column.
    """
    lines = []
    for p in drawn(report, (CONFIDENCE, COMBINED)):
        if not is_shown(dict(p.metrics).get(Metric.AUROC)):
            continue
        curve = gain_curve(_column(predictions, probability_column(p.name)), _column(predictions, "flip"))
        if curve is not None:
            thin = curve.thinned(_GAIN_POINTS)
            lines.append(
                Line(
                    series=_series(report, p),
                    label=label(p.name),
                    x=tuple(map(float, thin.swapped)),
                    y=tuple(map(float, thin.found)),
                )
            )
    return tuple(lines)


def _column(predictions: pl.DataFrame, name: str) -> NDArray[Any]:
    if name not in predictions.columns:
        raise DataError("the column of predicted flips is missing", field=name)
    return predictions[name].to_numpy()
