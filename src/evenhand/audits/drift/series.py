"""One figure of a history as a series: which runs have it, which are the baseline, and the chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.audits.drift.chart import ChartPoint, ControlChart, control_chart
from evenhand.audits.drift.measures import drift_measure
from evenhand.errors import ConfigError
from evenhand.stats import Refusal
from evenhand.store.history_file import HistoryEntry, HistoryFigure

__all__ = ["FIRST_RUNS", "HistorySeries", "SeriesPoint", "chart_series"]

FIRST_RUNS = 8
"""Baseline where no run is marked: the first so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesPoint:
    """One run of a series.

    Attributes
    ----------
    figure
        Its figure; None where the run has none such.
    chart
        Its place on the chart; None without a figure, or without a chart.
    baseline
        Whether it is one of the runs taken to be in control.
    """

    entry: HistoryEntry
    figure: HistoryFigure | None
    baseline: bool
    chart: ChartPoint | None = None

    @property
    def measured(self) -> bool:
        """Whether there is a number."""
        return self.figure is not None and self.figure.value is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySeries:
    """A figure over all runs of a history.

    Attributes
    ----------
    chart
        The control chart, or why there is none.
    """

    measure: str
    condition: str
    readout: str
    points: tuple[SeriesPoint, ...]
    chart: ControlChart | Refusal

    @property
    def has_figures(self) -> bool:
        """Whether any run has a number."""
        return any(point.measured for point in self.points)

    @property
    def newest_signals(self) -> bool:
        """Whether the newest run is beyond its limits, or has no figure though a chart could be made."""
        newest = self.points[-1]
        if isinstance(self.chart, Refusal) or newest.baseline:
            return False
        return newest.chart is None or newest.chart.signal


def chart_series(
    entries: Sequence[HistoryEntry],
    *,
    measure: str,
    condition: str,
    readout: str,
    baseline: int | None,
    false_alarm: float,
    smoothing: float,
) -> HistorySeries:
    """Chart one figure.

    Parameters
    ----------
    baseline
        The first so many runs; None: those marked, or where none is, the first 8.

    Raises
    ------
    ConfigError
        A baseline below 1.
    """
    own = _baseline(entries, baseline)
    points = [
        SeriesPoint(
            entry=entry, figure=entry.figure(measure, condition=condition, readout=readout), baseline=is_baseline
        )
        for entry, is_baseline in zip(entries, own, strict=True)
    ]
    measured = [point for point in points if point.measured]
    chart = _chart(measured, measure=measure, false_alarm=false_alarm, smoothing=smoothing)
    if not isinstance(chart, Refusal):
        placed = dict(zip(map(id, measured), chart.points, strict=True))
        points = [
            SeriesPoint(entry=p.entry, figure=p.figure, baseline=p.baseline, chart=placed.get(id(p))) for p in points
        ]
    return HistorySeries(measure=measure, condition=condition, readout=readout, points=tuple(points), chart=chart)


def _baseline(entries: Sequence[HistoryEntry], first: int | None) -> list[bool]:
    if first is not None and first < 1:
        raise ConfigError(f"baseline is {first}: expected a number of runs")
    marked = [entry.baseline for entry in entries]
    if first is None and any(marked):
        return marked
    return [place < (FIRST_RUNS if first is None else first) for place in range(len(entries))]


def _chart(
    points: Sequence[SeriesPoint], *, measure: str, false_alarm: float, smoothing: float
) -> ControlChart | Refusal:
    if not points:
        return Refusal(reason="no run has this figure", n=0)
    figures = [point.figure for point in points if point.figure is not None]
    info = drift_measure(measure)
    return control_chart(
        [figure.value or 0.0 for figure in figures],
        [figure.standard_error or 0.0 for figure in figures],
        [max(1, figure.n) for figure in figures],
        baseline=[point.baseline for point in points],
        same_pairs=len({point.entry.data_hash for point in points}) == 1,
        lowest=info.lowest,
        false_alarm=false_alarm,
        smoothing=smoothing,
    )
