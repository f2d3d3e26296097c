from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from evenhand.report.model import Cell, Column, Table
from evenhand.report.stacked import stacked_lines

TABLE = Table(
    id="t",
    title="T",
    caption="",
    columns=(
        Column(label="condition", numeric=False),
        Column(label="readout", numeric=False),
        Column(label="flip rate"),
    ),
    rows=(
        (Cell(text="A/B"), Cell(text="generated"), Cell(text="27.0 %", interval="[22.9, 31.5]", marks=("a", "b"))),
        (Cell(text="A/B"), Cell(text="hybrid"), Cell(text="—", marks=("c",))),
    ),
    headers=2,
)


def test_a_row_is_its_names_then_its_figures():
    assert stacked_lines(TABLE, width=60).plain.splitlines() == [
        "A/B",
        "  generated",
        "    flip rate: 27.0 % [22.9, 31.5] (a,b)",
        "  hybrid",
        "    flip rate: — (c)",
    ]


def test_a_figure_that_does_not_fit_beside_its_name_has_a_line_of_its_own():
    lines = stacked_lines(TABLE, width=36).plain.splitlines()
    assert lines[2:4] == ["    flip rate:", "      27.0 % [22.9, 31.5] (a,b)"]


def test_counts_share_a_line():
    counts = replace(
        TABLE,
        columns=(TABLE.columns[0], Column(label="first"), Column(label="tie")),
        rows=((Cell(text="A/B"), Cell(text="57"), Cell(text="0")),),
        headers=1,
    )
    assert stacked_lines(counts, width=40).plain.splitlines() == ["A/B", "  first: 57, tie: 0"]


def test_a_cell_without_anything_has_no_line():
    row = (Cell(text="A/B"), Cell(text="generated"), Cell(text=""))
    assert stacked_lines(replace(TABLE, rows=(row, TABLE.rows[1])), width=40).plain.splitlines() == [
        "A/B",
        "  generated",
        "  hybrid",
        "    flip rate: — (c)",
    ]


def test_texts_wrap_as_texts():
    words = "flip in both 24; first-token only 31; generated only 2"
    table = replace(
        TABLE,
        columns=(TABLE.columns[0], Column(label="counts", numeric=False)),
        rows=((Cell(text="exact McNemar"), Cell(text=words)),),
        headers=1,
    )
    lines = stacked_lines(table, width=40).plain.splitlines()
    assert len(lines) > 2
    assert " ".join(" ".join(lines).split()) == f"exact McNemar counts: {words}"


@pytest.mark.parametrize("width", [1, 20, 40])
@given(name=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=300))
@settings(deadline=None)
def test_no_line_is_wider_than_the_terminal(width, name):
    row = (Cell(text=name), *TABLE.rows[0][1:])
    text = stacked_lines(replace(TABLE, rows=(row,)), width=width).plain
    assert max(map(cell_len, text.splitlines())) <= max(width, 20)
