"""Tables of a triage: a row for every score and level, refusals with their reason, and nothing that no reader needs."""

from dataclasses import replace

import pytest

from evenhand.report.triage_tables import build_triage_tables, seconds_text, share_cell
from report.triage_reports import triage_report


def tables(**asked):
    return {table.id: table for table in build_triage_tables(triage_report(**asked))}


def test_the_trade_off_has_a_row_for_each_budget_and_score():
    made = tables()
    rows = made["budgets"].rows
    assert len(rows) == 9 * 4
    assert [cell.text for cell in rows[0][:2]] == ["10 %", "probe"]
    assert all(len(row) == len(made["budgets"].columns) for row in rows)
    assert "combined" not in {row[1].text for name in ("budgets", "guarantees") for row in made[name].rows}, "a note"
    assert made["budgets"].columns[-1].label == "− confidence"
    three = build_triage_tables(triage_report(), budgets=(0.1, 0.3, 0.5))[0]
    assert [row[0].text for row in three.rows[::4]] == ["10 %", "30 %", "50 %"]


def test_a_column_of_dashes_is_left_out():
    report = triage_report()
    scores = tuple(replace(s, refusal="asks for none") if s.name == "confidence" else s for s in report.scores)
    made = build_triage_tables(replace(report, scores=scores))[0]
    assert made.columns[-1].label == "− chance"
    assert all(len(row) == len(made.columns) for row in made.rows)


def test_promises_say_whether_they_are_exact():
    rows = tables()["guarantees"].rows
    assert [row[0].text for row in rows[:5]] == ["5 %"] * 4 + ["10 %"]
    promises = {(row[1].text, row[8].text) for row in rows}
    assert promises >= {("probe", "exact, in expectation"), ("random", "exact, in expectation")}
    assert ("probe", "approximate") in {(row[1].text, row[8].text) for row in tables(exact=False)["guarantees"].rows}
    sure = tables(max_missed=0.5, delta=0.2)["guarantees"]
    assert sure.rows[0][8].text == "exact, with probability 80 %"
    against = {row[1].text: row[3] for row in sure.rows}
    assert against["probe"].high < 0
    assert against["random"].text == "—"


def test_only_what_was_asked_is_tabulated():
    assert "guarantees" not in tables(budget=0.3)
    assert "budgets" not in tables(max_missed=0.1)
    assert "time" not in tables(seconds=False)
    assert "authors" not in tables(authors=False)


def test_without_authors_the_aggregate_takes_the_leaderboards_place():
    with_authors, without = tables()["leaderboard"], tables(authors=False)["leaderboard"]
    assert [c.label for c in with_authors.columns][2:] == [
        "largest error",
        "mean error",
        "Kendall’s τ",
        "agreement with gold",
    ]
    assert [c.label for c in without.columns][2:] == ["A’s win rate", "agreement with gold"]
    assert "no leaderboard" in without.caption
    for table in (with_authors, without):
        assert all(len(row) == len(table.columns) for row in table.rows)


def test_a_promise_that_cant_be_made_says_what_it_needs():
    notes = tables(max_missed=0.001)["guarantees"].notes
    assert any("no promise was possible" in text and "needs at least" in text for _, text in notes)


def test_hostile_names_are_shown_not_obeyed():
    rows = tables(hostile=True)["authors"].rows
    assert "\x1b" not in rows[0][0].text


@pytest.mark.parametrize(("value", "text"), [(0.0, "0.0 s"), (0.00004, "0.04 ms"), (99.94, "99.9 s"), (100.0, "100 s")])
def test_seconds(value, text):
    assert seconds_text(value) == text


def test_shares():
    assert share_cell(None).text == "—"
    assert (share_cell(0.25).text, share_cell(0.25).value) == ("25.0 %", 0.25)
