"""A history of runs as a study: a control chart for each figure, and which runs are beyond its limits."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from evenhand.analysis.study import (
    Claim,
    LineChart,
    Series,
    Study,
    StudyColumn,
    StudyHeadline,
    StudyStatus,
    StudyTable,
    StudyValue,
    Unit,
)
from evenhand.audits.drift.chart import ControlChart
from evenhand.audits.drift.measures import drift_measure
from evenhand.audits.drift.series import HistorySeries, SeriesPoint
from evenhand.report.cells import printed_unit, row_unit
from evenhand.report.format import date_text, how_many, percent, quantity
from evenhand.report.numbering import claims
from evenhand.stats import Estimate, Interval, Refusal
from evenhand.store.history_file import HistoryEntry, HistoryFigure

__all__ = ["history_study"]


def history_study(
    entries: Sequence[HistoryEntry], series: Sequence[HistorySeries], *, place: str, most_drawn: int | None = None
) -> Study:
    """Compose the study.

    Parameters
    ----------
    entries
        Runs, oldest first.
    series
        Charts of their figures.
    place
        The history file.
    most_drawn
        How many charts are drawn, those that signal first; None: all.
    """
    drawn = _drawn(series, most_drawn)
    return Study(
        kind="history",
        title="Figures of many runs",
        subtitle=f"{how_many(len(entries), 'run')} in {place}",
        headline=_headline(entries, series),
        tables=(_charts(series), *_points(series), _runs(entries)),
        figures=tuple(figure for each in drawn for figure in _figures(each)),
        notes=(*_not_drawn(series, drawn), *_notes(entries, series)),
        facts=(("History", place), ("Runs", f"{len(entries):,}"), ("Newest run", _when(entries[-1]))),
    )


def _drawn(series: Sequence[HistorySeries], most: int | None) -> list[HistorySeries]:
    """In their order; where there are more than are drawn, those whose newest run signals are among them first."""
    shown = [each for each in series if each.has_figures]
    if most is None or len(shown) <= most:
        return shown
    places = sorted(range(len(shown)), key=lambda place: (not shown[place].newest_signals, place))
    return [shown[place] for place in sorted(places[:most])]


def _not_drawn(series: Sequence[HistorySeries], drawn: Sequence[HistorySeries]) -> Iterator[str]:
    shown = sum(each.has_figures for each in series)
    if len(drawn) < shown:
        yield (
            f"{len(drawn)} of {shown:,} charts are drawn, those that signal first; all have their limits and points in "
            "the tables. --measure, --condition and --readout choose: what a measure is named for is drawn."
        )


def _headline(entries: Sequence[HistoryEntry], series: Sequence[HistorySeries]) -> StudyHeadline:
    charted = [each for each in series if isinstance(each.chart, ControlChart)]
    newest = [each for each in charted if each.newest_signals]
    status, verdict = _verdict(charted, newest)
    earlier = sum(point.chart.signal for each in charted for point in each.points[:-1] if point.chart is not None)
    which = "The only run" if len(entries) == 1 else f"The newest of {len(entries):,} runs"
    lead = f"{which} is of {_when(entries[-1])} ({entries[-1].judge})."
    if earlier:
        lead += f" {how_many(earlier, 'earlier point is beyond its', 'earlier points are beyond their')} limits too."
    return StudyHeadline(
        status=status,
        verdict=verdict,
        lead=lead,
        more=tuple(_meaning(series)),
        steps=claims(
            ["Compare the newest run with one of the baseline: evenhand compare OLD NEW."]
            if newest
            else dict.fromkeys(f"No chart: {each.chart.reason}." for each in series if isinstance(each.chart, Refusal)),
            "table-charts",
        ),
    )


def _verdict(charted: Sequence[HistorySeries], newest: Sequence[HistorySeries]) -> tuple[StudyStatus, str]:
    if not charted:
        return "undecided", "Too few runs for a control chart"
    if any(each.points[-1].chart is None for each in newest):
        return "failed", f"The newest run has no figure or signals on {len(newest)} of {len(charted)} charts"
    if newest:
        return "bad", f"The newest run signals on {len(newest)} of {len(charted)} charts"
    if all(each.points[-1].baseline for each in charted):
        return "described", "The newest run is one of the baseline: none is judged yet"
    of = "the only chart" if len(charted) == 1 else f"all {len(charted)} charts"
    return "good", f"The newest run is within the limits of {of}"


def _meaning(series: Sequence[HistorySeries]) -> Iterator[Claim]:
    """What the newest run signals on each chart, tied to that chart's points: their table has the average too."""
    for number, each in enumerate(series, start=1):
        if isinstance(each.chart, ControlChart) and each.newest_signals:
            yield from claims([f"{_name(each)}: {_signalled(each)}."], f"table-{_points_id(number)}")


def _signalled(each: HistorySeries) -> str:
    point = each.points[-1]
    if point.chart is None:
        return "the newest run has no such figure, which no chart can let pass"
    unit = _unit(each)
    what = []
    if point.chart.beyond:
        what.append(
            f"{quantity(point.chart.value, unit)} is beyond its limits, {quantity(point.chart.low, unit)} to "
            f"{quantity(point.chart.high, unit)}"
        )
    if point.chart.drifting and point.chart.average is not None:
        what.append(f"the moving average, {quantity(point.chart.average, unit)}, has left its limits")
    return "; ".join(what)


def _name(series: HistorySeries) -> str:
    return f"{drift_measure(series.measure).info.label} ({series.condition}, {series.readout})"


def _unit(series: HistorySeries) -> Unit:
    return printed_unit(drift_measure(series.measure).info)


def _when(entry: HistoryEntry) -> str:
    return date_text(entry.created)


def _estimate(figure: HistoryFigure | None, level: float) -> StudyValue:
    if figure is None:
        return None
    if figure.value is None:
        return Refusal(reason=figure.reason or "no figure", n=figure.n)
    interval = (
        None if figure.low is None or figure.high is None else Interval(low=figure.low, high=figure.high, level=level)
    )
    return Estimate(value=figure.value, interval=interval, n=figure.n, clusters=figure.clusters)


def _charts(series: Sequence[HistorySeries]) -> StudyTable:
    columns = (
        StudyColumn(name="scope", label="condition, readout"),
        StudyColumn(name="measure", label="measure"),
        StudyColumn(name="newest", label="newest", unit="share", definition="The newest run's figure."),
        StudyColumn(name="signal", label="newest signals", definition="Whether it, or the average, is beyond limits."),
        StudyColumn(name="low", label="lower limit", unit="share", definition="For a run of the newest one's size."),
        StudyColumn(name="high", label="upper limit", unit="share", definition="For a run of the newest one's size."),
        StudyColumn(name="centre", label="centre", unit="share", definition="Mean of the baseline runs."),
        StudyColumn(
            name="dispersion",
            label="dispersion",
            unit="number",
            definition=(
                "How much the baseline runs vary, in units of their own standard errors: 1 is what new pairs each "
                "time would give, less is usual where the pairs are the same."
            ),
        ),
        StudyColumn(name="baseline", label="baseline runs", unit="count"),
        StudyColumn(name="judged", label="judged", unit="count", definition="Runs after the baseline with the figure."),
        StudyColumn(name="signals", label="signals", unit="count", definition="Of those, beyond limits."),
    )
    return StudyTable(
        id="charts",
        title="Control charts",
        caption="The newest run against the range in which the baseline runs vary.",
        columns=columns,
        rows=tuple(_chart_row(each) for each in series),
        row_units=tuple(row_unit(drift_measure(each.measure).info) for each in series),
        headers=2,
    )


def _chart_row(series: HistorySeries) -> tuple[StudyValue, ...]:
    chart, newest = series.chart, series.points[-1]
    head = (f"{series.condition}, {series.readout}", drift_measure(series.measure).info.label)
    value = _estimate(newest.figure, newest.entry.level)
    if isinstance(chart, Refusal):
        return (*head, value, "no chart", chart, None, None, None, sum(p.baseline for p in series.points), None, None)
    judged = [point for point in chart.points if not point.baseline]
    signal = "baseline" if newest.baseline else ("YES" if series.newest_signals else "no")
    limits = (None, None) if newest.chart is None else (newest.chart.low, newest.chart.high)
    return (
        *head,
        value,
        signal,
        *limits,
        chart.centre,
        chart.dispersion,
        chart.baseline,
        len(judged),
        sum(point.signal for point in judged),
    )


def _points_id(number: int) -> str:
    return f"points-{number}"


def _points(series: Sequence[HistorySeries]) -> Iterator[StudyTable]:
    for number, each in enumerate(series, start=1):
        yield StudyTable(
            id=_points_id(number),
            title=_name(each),
            caption="Every run, with its limits and the moving average since the baseline.",
            columns=(
                StudyColumn(name="run", label="run"),
                StudyColumn(name="figure", label="figure", unit=_unit(each)),
                StudyColumn(name="low", label="lower limit", unit=_unit(each)),
                StudyColumn(name="high", label="upper limit", unit=_unit(each)),
                StudyColumn(name="average", label="moving average", unit=_unit(each)),
                StudyColumn(name="signal", label="signal"),
            ),
            rows=tuple(_point_row(point) for point in each.points),
        )


def _point_row(point: SeriesPoint) -> tuple[StudyValue, ...]:
    value = _estimate(point.figure, point.entry.level)
    chart = point.chart
    if chart is None:
        return (_when(point.entry), value, None, None, None, "baseline" if point.baseline else "no figure")
    signals = [name for name, on in (("beyond limits", chart.beyond), ("average drifts", chart.drifting)) if on]
    return (
        _when(point.entry),
        value,
        chart.low,
        chart.high,
        chart.average,
        "baseline" if chart.baseline else ", ".join(signals) or "no",
    )


def _runs(entries: Sequence[HistoryEntry]) -> StudyTable:
    return StudyTable(
        id="runs",
        title="Runs",
        caption="What each run was of; a new letter is another judge, other settings or other pairs than before.",
        columns=(
            StudyColumn(name="run", label="run"),
            StudyColumn(name="judge", label="judge"),
            StudyColumn(name="identity", label="judge, settings, pairs"),
            StudyColumn(name="planned", label="planned", unit="count"),
            StudyColumn(name="finished", label="answered", unit="count"),
            StudyColumn(name="baseline", label="marked"),
            StudyColumn(name="note", label="note"),
        ),
        rows=tuple(
            (_when(e), e.judge, identity, e.planned, e.finished, "baseline" if e.baseline else "", e.note)
            for e, identity in zip(entries, _identities(entries), strict=True)
        ),
    )


def _identities(entries: Sequence[HistoryEntry]) -> Iterator[str]:
    seen: tuple[dict[str, int], ...] = ({}, {}, {})
    for entry in entries:
        hashes = (entry.judge_hash, entry.settings_hash, entry.data_hash)
        yield " ".join(_letter(of.setdefault(value, len(of))) for of, value in zip(seen, hashes, strict=True))


def _letter(number: int) -> str:
    """A … Z, then numbers."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _figures(series: HistorySeries) -> Iterator[LineChart]:
    if not series.has_figures:
        return
    points = series.points
    x = tuple(float(place) for place in range(len(points)))
    lines = [
        Series(
            label=drift_measure(series.measure).info.label,
            x=x,
            y=tuple(_value(p) for p in points),
        )
    ]
    limits: tuple[tuple[str, float], ...] = ()
    if isinstance(series.chart, ControlChart):
        average = tuple(_or_gap(None if p.chart is None else p.chart.average) for p in points)
        if any(map(math.isfinite, average)):
            lines.append(Series(label="moving average", x=x, y=average))
        lows, highs = ({getattr(p, name) for p in series.chart.points} for name in ("low", "high"))
        if len(lows) == len(highs) == 1:
            limits = (("lower limit", lows.pop()), ("centre", series.chart.centre), ("upper limit", highs.pop()))
        else:
            limits = (("centre", series.chart.centre),)
            for name, label in (("low", "lower limit"), ("high", "upper limit")):
                own = tuple(_or_gap(None if p.chart is None else getattr(p.chart, name)) for p in points)
                lines.append(Series(label=label, x=x, y=own))
    yield LineChart(
        id=f"{series.measure}-{series.readout}-{series.condition}",
        title=_name(series),
        x_label="run",
        y_label=drift_measure(series.measure).info.label,
        series=tuple(lines),
        unit=_unit(series),
        limits=limits,
        x_ticks=_dates([p.entry for p in points]),
    )


def _dates(entries: Sequence[HistoryEntry]) -> tuple[str, ...]:
    """Days, or hours and minutes too where several runs are of one day."""
    days = [entry.created[:10] for entry in entries]
    return tuple(days) if len(set(days)) == len(days) else tuple(entry.created[5:16] for entry in entries)


def _value(point: SeriesPoint) -> float:
    return _or_gap(None if point.figure is None else point.figure.value)


def _or_gap(value: float | None) -> float:
    return math.nan if value is None else value


def _notes(entries: Sequence[HistoryEntry], series: Sequence[HistorySeries]) -> Iterator[str]:
    charts = [each.chart for each in series if isinstance(each.chart, ControlChart)]
    if charts:
        expected = sum(chart.expected_false_alarms for chart in charts)
        yield (
            "In control means that the runs are independent, with one mean and one spread, those of the baseline. Then "
            f"a point is beyond its limits with probability {percent(charts[0].false_alarm)}; over all points and "
            f"averages judged here that is {expected:.2g} false signals on average."
        )
    for each in series:
        if isinstance(each.chart, ControlChart):
            yield from (f"{_name(each)}: {flag}." for flag in each.chart.flags)
    unfinished = sum(entry.finished < entry.planned for entry in entries)
    if unfinished:
        whose = how_many(unfinished, "run is incomplete; its", "runs are incomplete; their")
        yield f"{whose} figures are of what was answered."
    if len({entry.settings_hash for entry in entries}) > 1:
        yield "Not all runs have the same prompts, labels and decoding: a change may be theirs and not the judge's."
    if len({entry.data_hash for entry in entries}) > 1:
        yield "Not all runs asked the same pairs: a change may be the pairs' and not the judge's."
