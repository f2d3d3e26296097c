from dataclasses import replace

import pytest

from audits.history_examples import entry, history
from evenhand.audits.drift.chart import ControlChart
from evenhand.audits.drift.series import HistorySeries, chart_series
from evenhand.errors import ConfigError
from evenhand.stats import Refusal
from evenhand.store.history_file import HistoryEntry


def series(entries: list[HistoryEntry], *, baseline: int | None = None, measure: str = "flip_rate") -> HistorySeries:
    return chart_series(
        entries,
        measure=measure,
        condition="c",
        readout="generated",
        baseline=baseline,
        false_alarm=0.0027,
        smoothing=0.2,
    )


def test_the_first_eight_runs_are_the_baseline_and_the_newest_is_judged() -> None:
    quiet, loud = series(history(0.11)), series(history(0.4))
    assert [point.baseline for point in quiet.points] == [True] * 8 + [False]
    assert (quiet.newest_signals, loud.newest_signals) == (False, True)


def test_marked_runs_are_the_baseline_unless_a_number_is_told() -> None:
    entries = [replace(each, baseline=number in (0, 1, 2, 3, 4, 5, 8)) for number, each in enumerate(history(0.1, 0.1))]
    marked = series(entries)
    assert [point.baseline for point in marked.points] == [True] * 6 + [False, False, True, False]
    assert sum(point.baseline for point in series(entries, baseline=6).points) == 6
    with pytest.raises(ConfigError, match="baseline is 0"):
        series(entries, baseline=0)


def test_a_newest_run_without_the_figure_signals() -> None:
    made = series(history(None))
    assert isinstance(made.chart, ControlChart)
    assert made.points[-1].chart is None
    assert made.newest_signals


def test_a_gap_in_between_moves_nothing() -> None:
    with_gap, without = series(history(None, 0.4)), series(history(0.4))
    assert isinstance(with_gap.chart, ControlChart)
    assert isinstance(without.chart, ControlChart)
    assert with_gap.chart == without.chart
    assert with_gap.points[-1].chart == without.points[-1].chart


def test_no_chart_is_no_signal() -> None:
    few = series(history()[:5])
    assert isinstance(few.chart, Refusal)
    assert not few.newest_signals
    none = series(history(0.1), measure="accuracy")
    assert none.chart == Refusal(reason="no run has this figure", n=0)
    assert not none.has_figures


def test_other_pairs_widen_the_limits() -> None:
    same = series(history(0.2))
    other = series([*history(), entry(8, 0.2, data="other")])
    assert isinstance(same.chart, ControlChart)
    assert isinstance(other.chart, ControlChart)
    assert other.chart.dispersion == 1.0 > same.chart.dispersion
