import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from evenhand.analysis.study import StudyColumn, StudyTable
from evenhand.report.study.terminal import print_study
from report.study.examples import figure, make_empty, make_study

EXPECTED = Path(__file__).parent / "expected"


def printed(study, *, width=100, brief=False):
    console = Console(file=io.StringIO(), width=width, force_terminal=False, color_system=None)
    print_study(study, console, brief=brief)
    return "\n".join(line.rstrip() for line in console.file.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("width", [60, 100, 140])
def test_the_sample_study_as_it_is_printed(width):
    assert printed(make_study(), width=width) == (EXPECTED / f"terminal-{width}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [20, 40, 80, 100, 200])
def test_no_line_is_wider_than_the_terminal_and_no_figure_is_lost(width):
    text = printed(make_study(), width=width)
    assert max(map(len, text.splitlines())) <= max(width, 24)
    flat = " ".join(re.sub(r"[│╭╮╰╯─]", " ", text).split())
    for shown in ("+12.0 pp", "[+6.0, +18.0]", "41.7 %", "$1,234.50", "p < 1e-300", "[−0.500, 3.00]"):
        assert shown in flat, shown


def test_brief_is_the_headline_and_the_first_table():
    text = printed(make_study(), brief=True)
    assert "Length sways this judge" in text
    assert "Each controlled change" in text
    assert "Rank of each author" not in text
    assert "left out." not in text


def test_the_verdict_has_a_sign_beside_its_colour():
    assert "│  ! Length sways this judge" in printed(make_study())
    assert "│  × No verdicts" in printed(make_empty())


def test_an_empty_study_says_that_there_is_nothing():
    assert "It has no rows" in printed(make_empty())


def test_hostile_text_is_shown_not_obeyed(hostile_study):
    text = printed(hostile_study, width=80)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
    assert len(text) < 60_000


def test_rich_markup_in_a_study_is_plain_text():
    study = make_study()
    head = replace(study.headline, verdict="[bold red]x[/] [link=https://evil.example]y[/link]")
    assert "[link=https://evil.example]y[/link]" in printed(replace(study, headline=head))


def test_a_long_word_of_a_row_s_name_is_not_broken_and_every_part_of_a_wide_table_names_its_rows():
    columns = (
        StudyColumn(name="audit", label="audit"),
        StudyColumn(name="change", label="comparison"),
        StudyColumn(name="readout", label="readout"),
        *(StudyColumn(name=f"c{i}", label=f"figure {i}", unit="share") for i in range(8)),
    )
    rows = tuple(
        ("sycophancy", "endorsement=majority", readout, *(figure(0.5, 0.4, 0.6),) * 8)
        for readout in ("generated", "hybrid")
    )
    table = StudyTable(id="t", title="T", caption="", columns=columns, rows=rows, headers=2)
    text = printed(replace(make_study(), tables=(table,)), width=100)
    assert text.count("endorsement=majority") == text.count("generated") + text.count("hybrid") == 2 * 2
