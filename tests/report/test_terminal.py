import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from evenhand.report.model import Cell, Column, Table
from evenhand.report.terminal import print_report, print_table


def printed(view, width):
    out = io.StringIO()
    print_report(view, Console(file=out, width=width, force_terminal=False, color_system=None, legacy_windows=False))
    return out.getvalue()


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_too_wide_and_no_figure_is_cut(view, width):
    text = printed(view, width)
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    assert "…" not in text
    words = " ".join(text.split())
    for part in ("95.0 %", "[88.0, 99.0]", "truncated", "p < 1e-300", "+50.0 pp", "fewer than 30 clusters (12)"):
        assert part in words


@pytest.mark.parametrize("width", [40, 60, 69])
def test_a_narrow_terminal_shows_every_figure_of_the_main_table_whole(view, width):
    summary = view.table("summary")
    text = printed(replace(view, tables=(summary,)), width)
    lines = [line.strip() for line in text.splitlines()]
    for row in summary.rows:
        for cell in row[2:]:
            figure = f"{cell.text} {cell.interval}".strip()
            assert any(figure in line for line in lines), figure
    assert [line for line in lines if line in ("A/B", "X/Y")] == ["A/B", "X/Y"]
    names = ["first-token", "generated", "hybrid"]
    assert [line for line in lines if line in names] == [*names, *names]


def test_all_states_are_shown_at_80_columns(view):
    text = printed(view, 80)
    head = next(line for line in text.splitlines() if "unparsed" in line and "truncated" in line and "first" in line)
    assert head.split()[-9:] == ["first", "second", "tie", "refused", "unparsed", "truncated", "error", "all"] or (
        head.split()[-8:] == ["first", "second", "tie", "refused", "unparsed", "truncated", "error", "all"]
    )


def test_hostile_text_moves_no_cursor(hostile_view):
    for width in (40, 80, 120):
        text = printed(hostile_view, width)
        text.encode("utf-8")
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)


def test_markup_in_names_is_not_obeyed(manifest, audit, counts):
    from evenhand.report.view import build_view

    judge = replace(manifest.judge, model="[red]m[/red][link=https://evil.example]x[/link]")
    text = printed(build_view(replace(manifest, judge=judge), audit, counts=counts), 120)
    assert "[red]m[/red]" in text


def test_long_names_are_whole_on_a_line_of_their_own(manifest, audit, counts):
    from evenhand.analysis import FindingKind
    from evenhand.report.view import build_view

    name = "weighted_alpaca_eval_gpt4_turbo_with_reasons"
    findings = tuple(replace(f, condition=name) for f in audit.findings[:2] if f.kind is FindingKind.READOUT)
    data = replace(manifest.data, spec=f"judgebench:{'d' * 200}/claude-3-haiku.jsonl")
    alone = replace(
        manifest, data=data, conditions=tuple(replace(c, id=name) for c in manifest.conditions[:1]), label_tokens=()
    )
    text = printed(build_view(alone, replace(audit, findings=findings), counts=counts), 80)
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= 80
    tables = text.partition("Table 1. ")[2]
    assert tables.splitlines().count(name) >= 2
    assert "…" not in tables
    assert "claude-3-haiku.jsonl" in text


def test_three_label_sets_at_80_columns(view):
    table = view.table("summary")
    third = tuple((replace(row[0], text="1/2"), *row[1:]) for row in table.rows[:3])
    text = printed(replace(view, tables=(replace(table, rows=(*table.rows, *third)),)), 80)
    lines = [line.strip() for line in text.splitlines()]
    assert [line for line in lines if line in ("A/B", "X/Y", "1/2")] == ["A/B", "X/Y", "1/2"]
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= 80


@pytest.mark.parametrize("width", [40, 70, 80, 120])
@pytest.mark.parametrize("name", ["remedied", "budgeted", "designed", "many_designs"])
def test_runs_of_every_kind_fit_and_no_readout_is_left_out(name, width, request, view_of):
    view = view_of(request.getfixturevalue(name))
    text = printed(view, width)
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= width
    words = " ".join(text.split())
    for table in view.tables:
        assert table.folded or table.title.split(":")[0] in words
        for row in () if table.folded else table.rows:
            assert all(cell.text in words and cell.interval in words for cell in row[table.headers :] if cell.interval)
    if name == "remedied":
        assert "constrained" in text.partition("All measures")[2].partition("Tests")[0]


def test_many_conditions_are_named_and_not_listed(many_designs, view_of):
    text = printed(view_of(many_designs), 80)
    words = " ".join(text.split())
    assert "With many rows, so in the HTML report only: Main figures, " in words
    assert "What the prompt's design changes" in text
    assert "All measures: " not in text
    assert len(text.splitlines()) < 250


def test_a_table_too_wide_is_printed_in_parts(remedied, view_of):
    view = view_of(remedied)
    detail = view.table("measures-1")
    text = printed(replace(view, tables=(detail,)), 80).partition("All measures")[2]
    headings = [line.split()[1:] for line in text.splitlines() if line.startswith("measure ")]
    assert [name for line in headings for name in line] == [column.label for column in detail.columns[1:]]
    assert len(headings) == 2


def test_a_word_of_a_group_s_heading_is_not_broken():
    head, figure = "single-character, A/B", "+26.2 pp ab"  # of a width that leaves the names 15 columns
    rows = tuple((Cell(text=head), Cell(text=name), *[Cell(text=figure)] * 5) for name in ("all", "some"))
    labels = ("audit", "judge", "effect", "share", "noise", "adjusted", "pairs")
    columns = tuple(Column(label=label, numeric=index > 1) for index, label in enumerate(labels))
    table = Table(id="t", title="All", caption="Of all.", columns=columns, rows=rows, headers=2)
    console = Console(file=io.StringIO(), width=80, force_terminal=False, color_system=None)
    print_table(table, console)
    lines = [line.strip() for line in console.file.getvalue().splitlines()]
    assert any(line.startswith("single-character, ") or line == "single-character," for line in lines), lines


def test_the_headline_names_what_each_sentence_rests_on(view):
    words = " ".join(printed(view, 100).replace("│", " ").split())
    order = [
        words.index(part)
        for part in (
            "What you can trust",
            "What you can't",
            "What to do next",
            "More findings",
            "Table 1. Main figures",
        )
    ]
    assert order == sorted(order)
    for claim in (*view.headline.trust, *view.headline.doubt, *view.headline.steps, *view.headline.more):
        assert f"({claim.basis.name})" in words
    assert words.index("Pairs worth reading") > words.index("Table 2. ")
    assert "starter-007" in words


@pytest.mark.parametrize(
    ("tables", "notes", "said"),
    [
        (1, 1, "1 more table and 1 note are in"),
        (0, 1, "0 more tables and 1 note is in"),
        (2, 0, "2 more tables and 0 notes are"),
    ],
)
def test_brief_counts_what_it_leaves_out(view, tables, notes, said):
    kept = tuple(table for table in view.tables if table.id in ("summary", "outcomes"))
    others = tuple(table for table in view.tables if table not in kept)[:tables]
    out = io.StringIO()
    print_report(
        replace(view, tables=(*kept, *others), notes=view.notes[:1] * notes), Console(file=out, width=80), brief=True
    )
    assert said in " ".join(out.getvalue().split())


def test_brief_leaves_further_findings_and_pairs_out(view):
    out = io.StringIO()
    print_report(view, Console(file=out, width=100, force_terminal=False, color_system=None), brief=True)
    text = out.getvalue()
    assert "What you can trust" in text
    assert "More findings" not in text
    assert "starter-007" not in text
