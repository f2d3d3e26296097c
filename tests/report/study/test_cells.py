import math
from dataclasses import replace

import numpy as np
import pytest

from evenhand.analysis.study import StudyColumn, StudyTable
from evenhand.report.cells import Footnotes
from evenhand.report.study.cells import study_cell, study_table
from evenhand.stats import Estimate, Refusal
from report.study.examples import FEW, LEADERBOARD, NAN, SUMMARY, TOO_FEW, figure, p_of


def shown(value, unit="text"):
    return study_cell(value, unit, Footnotes()).text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("plain", "text", "plain"),
        (None, "share", ""),
        (True, "text", "yes"),
        (False, "number", "no"),
        (2024, "text", "2024"),
        (12345, "number", "12,345"),
        (1234, "count", "1,234"),
        (0.5, "number", "0.500"),
        (0.123, "share", "12.3 %"),
        (0.0012, "p", "p = 0.0012"),
        (0, "p", "p < 1e-300"),
        (3.5, "dollars", "$3.50"),
        (np.float64(0.25), "share", "25.0 %"),
        (np.int64(1234), "count", "1,234"),
        (np.bool_(True), "text", "yes"),
    ],
)
def test_plain_values(value, unit, text):
    assert shown(value, unit) == text


def test_none_is_empty_and_a_refusal_is_a_dash_with_its_reason():
    notes = Footnotes()
    refused = study_cell(TOO_FEW, "share", notes)
    assert (refused.text, refused.marks, refused.value) == ("—", ("a",), None)
    assert notes.notes == (("a", "needs at least 5 clusters, has 3"),)
    assert study_cell(None, "share", notes).marks == ()


@pytest.mark.parametrize("value", [NAN, math.inf, figure(NAN, 0.0, 1.0), figure(-math.inf, 0.0, 1.0)])
def test_a_number_that_is_not_finite_is_a_refusal(value):
    notes = Footnotes()
    cell = study_cell(value, "number", notes)
    assert (cell.text, cell.value) == ("—", None)
    assert notes.notes == (("a", "not a finite number"),)


def test_a_test_has_its_name_and_caveat_in_one_note():
    notes = Footnotes()
    cell = study_cell(p_of(0.0012, caveat="Groups are exchangeable."), "p", notes)
    assert (cell.text, cell.marks) == ("p = 0.0012", ("a",))
    assert notes.notes == (("a", "sign-flip test: Groups are exchangeable."),)
    assert study_cell(p_of(0.0), "p", notes).text == "p < 1e-300"


def test_flags_are_notes_and_an_estimate_without_an_interval_says_so():
    notes = Footnotes()
    cell = study_cell(figure(25 / 60, 0.292, 0.549, count=25, flags=(FEW,)), "share", notes)
    assert (cell.text, cell.interval, cell.detail, cell.marks) == ("41.7 %", "[29.2, 54.9]", "25/60", ("a",))
    bare = study_cell(Estimate(value=1.0, interval=None, n=3), "share", notes)
    assert (bare.interval, bare.marks, bare.low) == ("", ("b",), None)
    assert notes.notes == (("a", FEW), ("b", "no interval for this figure"))


def columns_of(*units):
    return tuple(StudyColumn(name=f"c{i}", label=f"c{i}", unit=unit) for i, unit in enumerate(units))


def table_of(units, *rows):
    return StudyTable(id="t", title="T", caption="C.", columns=columns_of(*units), rows=rows)


def test_n_is_a_column_where_each_row_has_one():
    table = study_table(SUMMARY, name="summary")
    assert table.columns[-1].label == "n"
    assert [row[-1].text for row in table.rows] == ["60", "9", "60"], "of a refused row, what the refusal counted"


def test_n_is_said_in_the_cells_where_a_row_has_several():
    units = ("text", "share", "difference")
    row = ("a", figure(0.5, 0.4, 0.6, n=40, count=20), figure(0.1, 0.0, 0.2, n=1234))
    table = study_table(table_of(units, row), name="t")
    assert len(table.columns) == 3
    assert [cell.interval for cell in table.rows[0][1:]] == ["[40.0, 60.0] 20/40", "[0.0, +20.0] n 1,234"]


def test_n_is_not_repeated_where_the_table_has_it_and_not_made_up_where_nothing_is_estimated():
    told = table_of(("text", "share", "count"), ("a", figure(0.5, 0.4, 0.6, n=40), 40), ("b", TOO_FEW, 0))
    assert len(study_table(told, name="t").columns) == 3
    other = table_of(("text", "share", "count"), ("a", figure(0.5, 0.4, 0.6, n=40), 41))
    assert [c.label for c in study_table(other, name="t").columns] == ["c0", "c1", "c2", "n"]
    assert len(study_table(table_of(("text", "count"), ("a", 3)), name="t").columns) == 2


def test_rows_of_a_group_stand_together():
    table = study_table(LEADERBOARD, name="leaderboard")
    assert [row[0].text for row in table.rows] == ["gpt", "gpt", "llama"]
    assert [row[1].text for row in table.rows] == ["gpt-4o-mini", "gpt-3.5", "llama-3"]


def test_below_the_table_stand_its_notes_and_how_its_intervals_were_made():
    assert study_table(SUMMARY, name="s", clusters="question groups").intervals == (
        "A pair whose response is empty can't be padded. Intervals: 95 %; percentile cluster bootstrap, 2,000 "
        "resamples; clusters are question groups (48)."
    )


def test_a_table_without_rows_says_so_and_a_long_one_is_folded():
    assert study_table(replace(SUMMARY, rows=()), name="s").caption.endswith(
        "It has no rows: there was nothing to fill them with."
    )
    rows = tuple((f"r{i}", i) for i in range(61))
    assert study_table(table_of(("text", "count"), *rows), name="t").folded
    assert not study_table(table_of(("text", "count"), *rows[:60]), name="t").folded


def test_a_number_that_names_a_row_has_no_more_digits_than_it_needs():
    rows = ((0.5, 0.5), (1.0, 1.0), (0.0, 0.0), (-2.25, -2.25))
    for unit in ("text", "number"):
        table = study_table(table_of((unit, "number"), *rows), name="t")
        assert [row[0].text for row in table.rows] == ["0.5", "1", "0", "−2.25"]
    assert study_table(table_of(("share", "number"), *rows), name="t").rows[0][0].text == "50.0 %"


def test_rows_that_share_a_name_are_told_apart_by_the_texts_that_follow():
    rows = (("length", "first-token", 1), ("length", "generated", 2))
    table = study_table(table_of(("text", "text", "count"), *rows), name="t")
    assert table.headers == 2
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["length", "first-token", "1"],
        ["length", "generated", "2"],
    ]
    for same in (
        table_of(("text", "count", "text"), ("a", 1, "x"), ("a", 2, "y")),
        table_of(("text", "text", "count"), ("a", "x", 1), ("a", "x", 2)),
        table_of(("text", "text", "count"), ("a", "x", 1), ("b", "x", 2)),
    ):
        assert study_table(same, name="t").headers == 1


def test_numbers_are_flush_right_and_texts_left():
    assert [c.numeric for c in study_table(SUMMARY, name="s").columns] == [False, *[True] * 7, False, True]
    estimates_as_text = table_of(("text", "text"), ("a", figure(0.5, 0.4, 0.6)))
    assert study_table(estimates_as_text, name="t").columns[1].numeric


@pytest.mark.parametrize("text", ["x" * 1000, "\u202e" * 200, "é" * 159 + "\x1b"])
def test_a_long_text_is_cut_once_and_says_how_much(text):
    from evenhand.report.text import markdown_text

    cell = study_cell(text, "text", Footnotes())
    assert len(cell.text) <= 160
    assert cell.text.endswith(" characters]")
    assert markdown_text(cell.text, limit=None) == markdown_text(cell.text)


def test_a_refusal_names_no_number_even_where_it_counts():
    assert study_cell(Refusal(reason="no gold", n=12), "count", Footnotes()).value is None
