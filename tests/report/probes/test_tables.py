import csv
import io
import re
from dataclasses import replace

import pytest

from evenhand.probes import Retention
from evenhand.report.probes.tables import build_tables, retention_table
from evenhand.report.tables import table_csv, table_latex, table_markdown
from evenhand.stats import Refusal
from report.probes.examples import changed, figure, pooled


def table(report, name):
    return next(t for t in build_tables(report) if t.id == name)


def rows(table):
    return [[cell.text for cell in row] for row in table.rows]


def test_summary_has_every_predictor_by_kind_with_its_figures(report):
    summary = table(report, "summary")
    assert [c.label for c in summary.columns[2:]] == ["AUROC", "choice-matched AUROC", "AUPRC", "Brier score"]
    assert [row[:2] for row in rows(summary)] == [
        ["probe", "probe"],
        ["baselines", "confidence"],
        ["baselines", "margin"],
        ["baselines", "AB choice"],
        ["baselines", "combined"],
        ["beyond the paper", "probe with features"],
        ["beyond the paper", "boosted trees"],
        ["controls", "no-signal"],
        ["controls", "shuffled labels"],
    ]
    cell = summary.rows[0][2]
    assert (cell.text, cell.interval, cell.value, cell.low, cell.high) == (
        "0.664",
        "[0.601, 0.723]",
        0.664,
        0.601,
        0.723,
    )
    assert "579 usable pairs of 620 planned, 470 question groups" in summary.caption
    assert summary.intervals.endswith("clusters are question groups.")


def test_a_refusal_is_a_dash_with_its_reason_below(report):
    summary = table(changed(report, "margin", Refusal(reason="ranks nothing")), "summary")
    cell = next(row[2] for row in summary.rows if row[1].text == "margin")
    assert (cell.text, cell.value) == ("—", None)
    assert dict(summary.notes)[cell.marks[0]] == "ranks nothing"


def test_notes_of_a_predictor_are_marked_at_its_first_figure(report):
    first = replace(pooled(report.predictors[0], 0.69), notes=("a note",))
    noted = replace(report, predictors=(first, *report.predictors[1:]))
    summary = table(noted, "summary")
    texts = [dict(summary.notes)[mark] for mark in summary.rows[0][2].marks]
    assert texts == ["a note", "AUROC within the outer folds: 0.690"]


def test_differences_are_apart_from_those_to_no_signal(report):
    assert ["probe", "confidence", "+0.041"] in rows(table(report, "differences"))
    assert not any("no-signal" in row for row in rows(table(report, "differences")))
    assert rows(table(report, "no-signal")) == [["probe", "−0.012"]]
    assert "differences" not in {t.id for t in build_tables(replace(report, differences=()))}


def test_selections_are_listed_by_fold_and_once_in_a_transfer(report, transfer):
    selected = table(report, "selected")
    assert [c.label for c in selected.columns] == ["predictor", "fold", "chosen", "λ", "validation Brier"]
    assert rows(selected)[1] == ["probe", "2", "before-verdict@21", "0.01", "0.220"]
    assert len(selected.rows) == 5
    others = table(report, "selections")
    assert others.folded
    assert ["boosted trees", "1", "boosted-trees", "—", "0.210"] in rows(others), "trees have no penalty"
    once = table(transfer, "selected")
    assert [c.label for c in once.columns] == ["predictor", "chosen", "λ", "validation Brier"]
    assert rows(once) == [["probe", "before-verdict@14", "0.01", "0.210"]]
    assert "fitted on" in once.caption


def test_learning_curve_is_in_order_of_pairs(report):
    turned = replace(report, learning_curve=report.learning_curve[::-1])
    assert [row[1] for row in rows(table(turned, "learning"))] == ["58", "116", "232", "463"]


def test_calibration_gives_bins_and_the_mean_gap(report):
    made = table(report, "calibration")
    assert {row[0] for row in rows(made)} == {"probe", "combined", "no-signal"}
    gap = report.predictor("probe").calibration.expected_calibration_error
    assert f"probe {gap:.3f}" in made.caption
    assert sum(int(row[4]) for row in rows(made) if row[0] == "probe") == 200


def test_retention_adds_up():
    made = retention_table(Retention(planned=10, usable=7, lost=(("AB: no verdict", 2), ("BA: truncated", 1))))
    assert rows(made) == [
        ["planned", "10", "100 %"],
        ["usable", "7", "70.0 %"],
        ["lost: AB: no verdict", "2", "20.0 %"],
        ["lost: BA: truncated", "1", "10.0 %"],
    ]
    assert rows(retention_table(Retention(planned=0, usable=0)))[0] == ["planned", "0", "—"]


def test_every_table_has_as_many_cells_as_columns(report, transfer):
    for made in (*build_tables(report), *build_tables(transfer)):
        assert {len(row) for row in made.rows} == {len(made.columns)}, made.id
        assert len({t.id for t in build_tables(report)}) == len(build_tables(report))


def test_machines_get_plain_numbers(report):
    read = list(csv.reader(io.StringIO(table_csv(table(report, "summary")))))
    assert read[0][2:6] == ["AUROC", "AUROC low", "AUROC high", "AUROC text"]
    assert read[1][2:6] == ["0.664", "0.601", "0.723", "0.664 [0.601, 0.723]"]


def test_hostile_names_are_no_formula_command_or_markup(hostile_report):
    for made in build_tables(hostile_report):
        for line in csv.reader(io.StringIO(table_csv(made))):
            assert not any(re.match(r"[=+@\t\r]|-(?![0-9.])", cell) for cell in line), made.id
        latex = table_latex(made)
        assert r"\input{" not in latex
        # What we write ourselves: commands that a preamble may define, and in mathematics a minus, a name, a subscript.
        latex = re.sub(r"^\\providecommand\{.*\n", "", latex, flags=re.MULTILINE)
        assert not re.search(r"(?<!\\)[$#]", re.sub(r"\$(-|\\[A-Za-z]+|_\d)\$", "", latex.replace(r"\#", "")))
        assert "<script" not in table_markdown(made)
        assert "\x1b" not in latex + table_csv(made)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_finite_is_no_number(report, value):
    selections = (replace(report.predictors[0].selections[0], validation_brier=value),)
    odd = replace(report, predictors=(replace(report.predictors[0], selections=selections),))
    assert rows(table(odd, "selected"))[0][-1] == "—"
    assert table(changed(report, "margin", figure(value, 0.1, 0.2)), "summary").rows[2][2].text == "—"
