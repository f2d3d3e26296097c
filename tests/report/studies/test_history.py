import math
from dataclasses import replace

from audits.history_examples import entry, history
from evenhand.analysis.study import LineChart, Study
from evenhand.audits.drift.series import chart_series
from evenhand.report.studies.history import history_study
from evenhand.store.history_file import HistoryEntry
from report.studies.tied import anchors_of


def study(entries: list[HistoryEntry]) -> Study:
    series = chart_series(
        entries,
        measure="flip_rate",
        condition="c",
        readout="generated",
        baseline=None,
        false_alarm=0.0027,
        smoothing=0.2,
    )
    return history_study(entries, [series], place="h.jsonl")


def test_a_run_within_its_limits() -> None:
    made = study(history(0.11, 0.1))
    assert (made.kind, made.headline.status) == ("history", "good")
    assert made.headline.verdict == "The newest run is within the limits of the only chart"


def test_a_run_beyond_them_says_by_how_much() -> None:
    made = study(history(0.4))
    assert made.headline.status == "bad"
    assert made.headline.verdict == "The newest run signals on 1 of 1 charts"
    assert "40.0 % is beyond its limits" in made.headline.meaning[0]
    table = made.table("charts")
    assert table is not None
    assert table.rows[0][3] == "YES"


def test_an_earlier_signal_is_told_and_does_not_colour_the_newest_run() -> None:
    made = study(history(0.2, *[0.11] * 4))
    assert made.headline.status == "good"
    assert "earlier points are beyond their limits too" in made.headline.lead


def test_a_run_without_the_figure_and_too_few_runs() -> None:
    missing = study(history(None))
    assert missing.headline.status == "failed"
    assert "which no chart can let pass" in missing.headline.meaning[0]
    few = study(history()[:4])
    assert few.headline.status == "undecided"
    assert few.headline.next_steps == ("No chart: needs at least 6 baseline runs with this figure, has 4.",)
    assert study(history()).headline.status == "described"
    one = study(history()[:1])
    assert one.subtitle == "1 run in h.jsonl"
    assert one.headline.lead.startswith("The only run is of ")


def test_the_chart_has_gaps_limits_and_dates() -> None:
    (chart,) = study(history(None, 0.2)).figures
    assert isinstance(chart, LineChart)
    line, average = chart.series
    assert math.isnan(line.y[8])
    assert line.y[9] == 0.2
    assert all(math.isnan(y) for y in average.y[:9])
    assert [name for name, _ in chart.limits] == ["lower limit", "centre", "upper limit"]
    assert chart.x_ticks[:2] == ("2026-01-01", "2026-01-02")


def test_limits_that_vary_with_the_runs_sizes_are_lines() -> None:
    entries = history(0.1)
    figure = replace(entries[-1].figures[0], n=50)
    entries[-1] = replace(entries[-1], figures=(figure,))
    (chart,) = study(entries).figures
    assert isinstance(chart, LineChart)
    assert [series.label for series in chart.series][2:] == ["lower limit", "upper limit"]
    assert [name for name, _ in chart.limits] == ["centre"]


def test_another_judge_or_other_pairs_are_seen() -> None:
    made = study([*history(), entry(8, 0.1, judge="n", data="other")])
    table = made.table("runs")
    assert table is not None
    assert [row[2] for row in table.rows][-2:] == ["A A A", "B A B"]
    assert any(note.startswith("Not all runs asked the same pairs") for note in made.notes)


def test_other_settings_are_said() -> None:
    entries = history(0.1)
    entries[-1] = replace(entries[-1], settings_hash="other")
    assert any(note.startswith("Not all runs have the same prompts") for note in study(entries).notes)


def test_position_bias_is_printed_as_the_audit_does() -> None:
    entries = [
        replace(each, figures=tuple(replace(f, measure="position_bias_strength") for f in each.figures))
        for each in history(0.4)
    ]
    series = chart_series(
        entries,
        measure="position_bias_strength",
        condition="c",
        readout="generated",
        baseline=None,
        false_alarm=0.0027,
        smoothing=0.2,
    )
    made = history_study(entries, [series], place="h.jsonl")
    assert made.headline.meaning[0].split(": ")[1].startswith("+0.40 is beyond its limits")
    charts = made.table("charts")
    assert charts is not None
    assert charts.row_units == ("number",)
    (chart,) = made.figures
    assert isinstance(chart, LineChart)
    assert chart.unit == "number"


def test_charts_that_signal_are_drawn_first() -> None:
    entries = history(0.4)
    options = {"measure": "flip_rate", "condition": "c", "readout": "generated", "baseline": None}
    signals = chart_series(entries, **options, false_alarm=0.0027, smoothing=0.2)  # type: ignore[arg-type]
    calm = replace(chart_series(history(0.1), **options, false_alarm=0.0027, smoothing=0.2), condition="calm")  # type: ignore[arg-type]
    series = [calm, calm, signals]
    made = history_study(entries, series, place="h.jsonl", most_drawn=2)
    assert [figure.title for figure in made.figures] == ["flip rate (calm, generated)", "flip rate (c, generated)"]
    table = made.table("charts")
    assert table is not None
    assert len(table.rows) == 3
    assert any("2 of 3 charts are drawn" in note for note in made.notes)
    every = history_study(entries, series, place="h.jsonl")
    assert len(every.figures) == 3
    assert not any("are drawn" in note for note in every.notes)


def test_every_sentence_rests_on_the_charts_or_on_its_chart_s_points() -> None:
    made = study(history(0.4))
    found = anchors_of(made)
    assert found[made.headline.meaning[0]] == "table-points-1"
    assert found[made.headline.next_steps[0]] == found[made.headline.lead] == "table-charts"
    assert set(anchors_of(study(history()[:4])).values()) == {"table-charts"}
