import io
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, Group

from evenhand.report.model import Cell, Column, Table
from evenhand.report.terminal import print_table
from evenhand.report.terminal_columns import columns_in_parts, occupied

LONG = "instructions-keep-the-placeholder-in-the-second-answer"


def pairs_table(*ids):
    labels = ("why", "pair", "condition", "readout", "order AB", "order BA", "gold")
    rows = tuple(
        tuple(
            Cell(text=text)
            for text in (
                "chose the first slot twice",
                name,
                "single-character, A/B",
                "first-token",
                "first (A), log-odds +1.76",
                "second (B), log-odds −0.29",
                "B",
            )
        )
        for name in ids
    )
    columns = tuple(Column(label=label, numeric=False) for label in labels)
    return Table(id="pairs", title="Pairs", caption="", columns=columns, rows=rows, headers=2)


def printed(table, width):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None, legacy_windows=False)
    parts = columns_in_parts(table, width=width)
    assert parts, "it fits"
    console.print(Group(*parts))
    return [line.rstrip() for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("width", [70, 80, 100, 140])
def test_ids_are_whole_at_every_width(width):
    lines = printed(pairs_table("lamp-bulb", LONG), width)
    holding = [line for line in lines if LONG in line]
    assert holding
    assert "…" not in "".join(lines)
    assert max(map(cell_len, lines)) <= width


def test_an_id_too_long_for_its_column_has_a_line_and_its_cells_the_next():
    lines = printed(pairs_table("lamp-bulb", LONG), 80)
    place = lines.index(f"  {LONG}")  # nothing else on it
    assert lines[place + 1].strip().startswith("single-character,")
    assert lines[place + 1].index("single") == lines[0].index("condition")
    assert any(line.startswith("  lamp-bulb  ") for line in lines)


def test_an_id_stays_beside_its_cells_where_the_others_leave_room():
    table = pairs_table("lamp-bulb", LONG)
    two = replace(table, columns=table.columns[:3], rows=tuple(row[:3] for row in table.rows))
    assert f"  {LONG}  single-character, A/B" in printed(two, 80)


def test_the_name_of_a_group_runs_across_the_columns():
    table = pairs_table("a", "b")
    head = "the other preference than gold in both orders"
    rows = tuple((Cell(text=head, marks=("a",)), *row[1:]) for row in table.rows)
    lines = printed(replace(table, rows=rows), 80)
    assert lines.count(f"{head} a") == lines.count("─" * cell_len(lines[1])) == 1


def test_no_text_is_lost_at_the_right_edge():
    """Rich keeps a column at its least width even where the table is then wider than the terminal."""
    table = pairs_table("arithmetic-lamp-bulb", "instructions-by-two")
    for width in range(70, 110):
        words = " ".join(printed(table, width)).split()
        assert words.count("log-odds") == 4, width


def test_names_take_the_room_that_the_other_columns_leave():
    table = pairs_table("one two three four five six seven eight", "b")
    two = replace(table, columns=table.columns[:3], rows=tuple(row[:3] for row in table.rows))
    assert "  one two three four five six seven eight  single-character, A/B" in printed(two, 80)


def test_numbered_rows_without_a_group_keep_their_cells_beside_them():
    columns = (Column(label="rank"), Column(label="judge", numeric=False), Column(label="share"))
    rows = (
        (Cell(text="1"), Cell(text="one"), Cell(text="20.0 %", interval="[10.0, 30.0]")),
        (Cell(text="10"), Cell(text="two"), Cell(text="7.0 %")),
    )
    table = Table(id="t", title="T", caption="", columns=columns, rows=rows)
    lines = printed(table, 80)
    assert [line.split() for line in lines[2:]] == [
        ["1", "one", "20.0", "%"],
        ["[10.0,", "30.0]"],
        ["10", "two", "7.0", "%"],
    ]
    assert lines[4].index("10") + 1 == lines[2].index("1"), "flush right"


def test_columns_that_are_empty_in_every_row_are_left_out():
    columns = tuple(Column(label=label, numeric=label != "run") for label in ("run", "figure", "limit", "n"))
    rows = (
        (Cell(text="a"), Cell(text="1"), Cell(text=""), Cell(text="")),
        (Cell(text="b"), Cell(text=""), Cell(text=""), Cell(text="3")),
    )
    table = Table(id="t", title="T", caption="", columns=columns, rows=rows)
    assert [column.label for column in occupied(table).columns] == ["run", "figure", "n"]
    marked = replace(table, rows=((*rows[0][:2], Cell(text="", marks=("a",)), rows[0][3]), rows[1]))
    assert occupied(marked) is marked
    for width in (60, 80):
        out = io.StringIO()
        print_table(table, Console(file=out, width=width, color_system=None))
        assert "figure" in out.getvalue()
        assert "limit" not in out.getvalue()


def test_a_table_without_anything_keeps_its_columns():
    columns = (Column(label="run", numeric=False), Column(label="figure"))
    empty = Table(id="t", title="T", caption="", columns=columns, rows=())
    assert occupied(empty) is empty


@given(
    ids=st.lists(
        st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=60), min_size=1, max_size=4
    ),
    width=st.integers(70, 160),
)
@settings(deadline=None, max_examples=60)
def test_every_id_is_there_whole_and_no_line_is_too_wide(ids, width):
    lines = printed(pairs_table(*ids), width)
    assert max(map(cell_len, lines)) <= width
    for name in ids:
        assert any(name in line for line in lines), name
