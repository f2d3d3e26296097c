import csv
import io
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evenhand.analysis.study import StudyColumn, StudyTable
from evenhand.report.study.csv_table import study_csv
from report.study.examples import NAN, SUMMARY, TOO_FEW, figure, p_of


def read(table):
    return list(csv.DictReader(io.StringIO(study_csv(table))))


def test_names_are_the_columns_and_numbers_are_plain():
    first, second, third = read(SUMMARY)
    assert first["audit"] == "verbosity"
    assert (first["effect"], first["effect_low"], first["effect_high"], first["effect_n"]) == (
        "0.12",
        "0.06",
        "0.18",
        "60",
    )
    assert first["flips_note"] == "fewer than 30 clusters (12)"
    assert (first["test"], first["test_test"], first["test_n"]) == ("0.0012", "sign-flip test", "60")
    assert (first["holm"], first["cost"], first["robust"]) == ("0.0024", "0.0123", "true")
    assert (second["effect"], second["effect_n"], second["effect_note"]) == (
        "",
        "9",
        "needs at least 5 clusters, has 3",
    )
    assert second["beta"] == second["holm"] == ""
    assert (third["test"], third["test_log10"]) == ("0.0", "-412.5")
    assert (third["beta"], third["beta_note"]) == ("", "not a finite number")


def test_lines_end_as_rfc_4180_says_and_there_is_one_heading():
    text = study_csv(SUMMARY)
    assert text.count("\r\n") == 4
    assert study_csv(replace(SUMMARY, rows=())).count("\r\n") == 1


def table_of(*row, name="c"):
    columns = tuple(StudyColumn(name=f"{name}{i}", label="x") for i in range(len(row)))
    return StudyTable(id="t", title="", caption="", columns=columns, rows=(row,))


@given(st.text(st.characters(exclude_categories=()), max_size=60))
def test_no_field_starts_a_formula(text):
    flagged = figure(-0.5, -0.6, -0.4, flags=(text,))
    rows = list(csv.reader(io.StringIO(study_csv(table_of(text, TOO_FEW, flagged, p_of(0.1, name=text), name=text)))))
    for field in (field for row in rows for field in row):
        if field[:1] in tuple("=+-@\t\r"):
            float(field)  # only a number may


def test_what_is_not_finite_is_an_empty_field():
    (row,) = read(table_of(NAN, figure(0.5, NAN, 0.6), p_of(0.1), TOO_FEW))
    assert (row["c0"], row["c1"], row["c1_low"], row["c1_high"]) == ("", "0.5", "", "0.6")


def test_a_column_of_estimates_and_tests_has_room_for_both():
    columns = (StudyColumn(name="c", label="c"),)
    table = StudyTable(id="t", title="", caption="", columns=columns, rows=((figure(0.5, 0.4, 0.6),), (p_of(0.1),)))
    assert study_csv(table).split("\r\n")[0] == "c,c_low,c_high,c_n,c_note,c_log10,c_test"
