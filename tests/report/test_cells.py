import math

import pytest

from evenhand.audits.drift.measures import drift_measure
from evenhand.report.cells import Footnotes, estimate_cell, figure_cell, info_of, printed_unit, row_unit
from evenhand.stats import Estimate, Interval, Refusal


def test_one_letter_for_one_text():
    notes = Footnotes()
    assert [notes.mark(text) for text in ("x", "y", "x")] == ["a", "b", "a"]
    assert [Footnotes().mark("z") for _ in range(2)] == ["a", "a"]
    for index in range(30):
        notes.mark(f"note {index}")
    assert len({letter for letter, _ in notes.notes}) == 32


def test_refusal_has_no_number_but_a_reason():
    notes = Footnotes()
    cell = estimate_cell("flip_rate", Refusal(reason="needs at least 5 clusters, has 3"), notes)
    assert (cell.text, cell.value, cell.interval) == ("—", None, "")
    assert dict(notes.notes)[cell.marks[0]] == "needs at least 5 clusters, has 3"


def test_what_is_not_finite_is_no_number():
    cell = estimate_cell("flip_rate", Estimate(value=math.nan, interval=None, n=3), Footnotes())
    assert (cell.text, cell.value) == ("—", None)


def test_interval_without_width_is_replaced_by_a_note():
    notes = Footnotes()
    cell = estimate_cell("flip_rate", Estimate(value=1.0, interval=Interval(low=1.0, high=1.0), n=9, count=9), notes)
    assert cell.interval == ""
    assert cell.low is None
    assert notes.notes == (("a", "no interval for this figure"),)


def test_a_measure_that_the_table_lacks_is_still_named():
    assert info_of("new_kind_of_rate").label == "new kind of rate"


def test_few_clusters_share_a_letter_and_a_range():
    notes = Footnotes()
    marks = [notes.mark(text) for text in ("fewer than 30 clusters (12)", "x", "fewer than 30 clusters (6)")]
    assert marks == ["a", "b", "a"]
    assert notes.notes == (("a", "fewer than 30 clusters (6 to 12)"), ("b", "x"))


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("pp_effective_pairs", 52.6, "53"),
        ("averaged_brier", 0.2494, "0.249"),
        ("averaged_brier_gain", -0.031, "−0.03"),
        ("pp_position_bias_strength", 0.366, "+0.37"),
        ("pp_flip_rate", 0.466, "46.6 %"),
    ],
)
def test_each_measure_is_printed_in_a_unit_that_fits(name, value, text):
    assert estimate_cell(name, Estimate(value=value, interval=None, n=9), Footnotes()).text == text


def test_a_figure_is_printed_in_the_unit_given():
    notes = Footnotes()
    estimate = Estimate(value=-0.0312, interval=Interval(low=-0.09, high=0.0284, method="bootstrap"), n=40)
    cell = figure_cell(estimate, "score difference", notes)
    assert (cell.text, cell.interval) == ("−0.031", "[−0.090, +0.028]")
    assert (cell.value, cell.low, cell.high) == (-0.0312, -0.09, 0.0284)
    assert notes.intervals


@pytest.mark.parametrize(
    ("measure", "unit", "row"),
    [
        ("flip_rate", "share", None),
        ("accuracy", "share", None),
        ("net_shift", "difference", None),
        ("position_bias_strength", "number", "number"),
    ],
)
def test_a_study_prints_a_measure_as_the_audit_does(measure, unit, row):
    info = drift_measure(measure).info
    assert (printed_unit(info), row_unit(info)) == (unit, row)
