"""Tables as files, whatever stands in them: LaTeX compiles, Markdown keeps its cells, CSV comes back as it was."""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from evenhand.analysis.study import Study, StudyColumn, StudyHeadline, StudyTable
from evenhand.report.model import Cell, Column, Table
from evenhand.report.study.csv_table import study_csv
from evenhand.report.study.view import study_tables
from evenhand.report.study.write import write_study
from evenhand.report.tables import table_csv, table_latex, table_markdown
from evenhand.report.text import latex_text
from evenhand.stats import Estimate, Interval, Refusal, TestResult
from report.studies.judge_examples import flipping, study_of
from report.study.examples import make_study

PREAMBLE = (Path(__file__).parents[2] / "docs" / "reference" / "report-files.md").read_text(encoding="utf-8")
PREAMBLE = PREAMBLE.partition("```latex\n")[2].partition("```")[0]
"""As the reference tells people to write it."""

HOSTILE = (
    r"50 % & more_of $this$ #1 {or} [that] ~ ^ \ | < > \" ' `",
    r"\input{/etc/passwd} \write18{id} \end{tabular} \end{document} \\ [2em]",
    r"\\* \& \hline *{9}{c}",
    "*starts with a star",
    "[starts with a bracket]",
    "-- --- -- '' ,, `` ?` !` << >>",
    "dashes – — ‒ ― − and … · × ≤ ≥ ± ∞ α β₂ κ → √",
    "裁判官の名前 判官 심판 судья κριτής قاضي 🤖 e\u0301",
    "\u202eright to left\u202c \x1b[31m \x00 \x7f \ud800 \u2028",
    "w" * 400,
    "many words " * 60,
    '=HYPERLINK("https://example.com")',
    "+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    'a,b;c\td"e\nf\r\ng',
    "|cell|cell|",
    "<script>alert(1)</script>",
    "# head",
    "1. list",
    "> quote",
)


@pytest.fixture(scope="module")
def latex() -> str:
    found = shutil.which("pdflatex")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("CI has no pdflatex: .ci/run should have installed it")
        pytest.skip("no pdflatex (Debian: apt-get install texlive-latex-base texlive-latex-recommended)")
    return found


def compiled(latex: str, folder: Path, tables: Iterable[str]) -> str:
    """The log of a document with these tables, each on pages of its own."""
    body = "\n\\clearpage\n".join(tables)
    source = f"{PREAMBLE}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (folder / "paper.tex").write_text(source, encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-no-shell-escape", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=300)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace").replace("\n", "")
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-1500:]
    assert (folder / "paper.pdf").stat().st_size > 1000
    return log


def hostile_table(texts: Iterable[str] = HOSTILE) -> Table:
    """A table with each text as a name, a cell, an interval, a mark's note and a caption."""
    rows = [
        (
            Cell(text=text),
            Cell(text="41.7 %", interval="[29.2, 54.9]", marks=("a",), value=0.417, low=0.292, high=0.549),
        )
        for text in texts
    ]
    return Table(
        id="hostile",
        title=HOSTILE[0],
        caption=HOSTILE[7],
        columns=(Column(label=HOSTILE[1], numeric=False), Column(label=HOSTILE[3], numeric=True)),
        rows=tuple(rows),
        notes=tuple((letter, text) for letter, text in zip("abcdefghij", HOSTILE, strict=False)),
        intervals=HOSTILE[8],
    )


def hostile_study() -> Study:
    """A study that says every hostile text in every place that has room for one."""
    figure = Estimate(value=0.5, interval=Interval(low=0.4, high=0.6, method=HOSTILE[0]), n=9, flags=(HOSTILE[7],))
    columns = (
        StudyColumn(name="name", label=HOSTILE[1], definition=HOSTILE[1]),
        StudyColumn(name="figure", label=HOSTILE[0], unit="share"),
        StudyColumn(name="p", label=HOSTILE[5], unit="p"),
    )
    test = TestResult(name=HOSTILE[1], p_value=1e-99, log10_p=-99.0, n=9)
    rows = tuple((text, figure if place % 2 else Refusal(reason=text, n=3), test) for place, text in enumerate(HOSTILE))
    return Study(
        kind="judges",
        title=HOSTILE[1],
        subtitle=HOSTILE[8],
        headline=StudyHeadline(status="described", verdict=HOSTILE[0], lead=HOSTILE[7]),
        tables=(StudyTable(id="hostile", title=HOSTILE[2], caption=HOSTILE[10], columns=columns, rows=rows),),
    )


def test_hostile_tables_compile_and_fit_the_page(latex: str, tmp_path: Path) -> None:
    log = compiled(latex, tmp_path, [table_latex(hostile_table()), *map(table_latex, study_tables(hostile_study()))])
    assert "Overfull" not in log
    assert "Missing character" not in log
    assert "Undefined" not in log


@pytest.mark.parametrize("which", ["sample", "judges", "hostile"])
def test_every_table_of_a_study_compiles_as_it_was_written(latex: str, tmp_path: Path, which: str) -> None:
    gold = {f"p{i}": "A" for i in range(60)}
    made = {
        "sample": make_study,
        "judges": lambda: study_of({HOSTILE[0]: flipping(3), HOSTILE[7]: flipping(30), "z": flipping(9)}, gold=gold),
        "hostile": hostile_study,
    }[which]()
    files = [path for path in write_study(tmp_path / "study", made).tables if path.suffix == ".tex"]
    assert len(files) == len(made.tables)
    log = compiled(latex, tmp_path, [path.read_text(encoding="utf-8") for path in files])
    assert "Overfull" not in log


def test_a_table_compiles_without_the_documented_commands_too(latex: str, tmp_path: Path) -> None:
    plain = "\\documentclass{article}\n\\usepackage[T1]{fontenc}\n\\usepackage{booktabs}\n"
    text = f"{plain}\\begin{{document}}\n{table_latex(hostile_table())}\\end{{document}}\n"
    (tmp_path / "plain.tex").write_text(text, encoding="utf-8")
    command = [latex, "-interaction=nonstopmode", "-halt-on-error", "plain.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-1500:]


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="no pdftotext (Debian: poppler-utils)")
def test_what_is_set_is_what_was_written(latex: str, tmp_path: Path) -> None:
    kept = (
        "50 % & more_of $this$ #1 {or}",
        "*starts with a star",
        "[starts with a bracket]",
        "evenhand audit --repeat 3",
    )
    compiled(latex, tmp_path, [table_latex(hostile_table((*kept, "判官")))])
    done = subprocess.run(["pdftotext", "-layout", "paper.pdf", "-"], cwd=tmp_path, capture_output=True, check=True)
    text = " ".join(done.stdout.decode("utf-8").replace("\u2010", "-").split())
    for each in kept:
        assert each in text
    assert "[U+5224 5B98]" in text


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=200))
def test_latex_has_balanced_braces_and_no_live_sign(text: str) -> None:
    escaped = re.sub(r"\\[{}$&#_%]", "", latex_text(text))
    depth = 0
    for character in escaped:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert not set(escaped) & set("&#%~^")
    known = r"\\(?:text[a-z]+|evenhandother|allowbreak|ldots|times|pm|infty|[A-Za-z]+(?=\$))"
    assert "\\" not in re.sub(known, "", escaped)


def markdown_cells(text: str) -> list[list[str]]:
    """Cells of the one table that a Markdown reader finds."""
    tokens = MarkdownIt("gfm-like", {"linkify": False, "html": True}).parse(text)
    assert sum(token.type == "table_open" for token in tokens) == 1
    rows: list[list[str]] = []
    for place, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            inline = tokens[place + 1]
            assert {child.type for child in inline.children or ()} <= {
                "text",
                "text_special",
                "html_inline",
                "softbreak",
            }, inline.content
            rows[-1].append(inline.content)
    html = [child.content for token in tokens for child in token.children or () if child.type == "html_inline"]
    assert set(html) <= {"<sup>", "</sup>"}
    return rows


def test_hostile_markdown_is_one_table_with_every_cell(tmp_path: Path) -> None:
    for table in (hostile_table(), *study_tables(hostile_study())):
        rows = markdown_cells(table_markdown(table))
        assert [len(row) for row in rows] == [len(table.columns)] * (len(table.rows) + 1)
    written = write_study(tmp_path, hostile_study())
    html = MarkdownIt("gfm-like", {"linkify": False}).render(written.markdown.read_text(encoding="utf-8"))
    assert "<script" not in html
    assert "<a " not in html
    assert "<img" not in html


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_any_text_stays_in_its_markdown_cell(texts: list[str]) -> None:
    table = hostile_table(texts)
    assert [len(row) for row in markdown_cells(table_markdown(table))] == [2] * (len(texts) + 1)


FORMULA = re.compile(r"^[=+@\t\r-]")


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_any_text_stays_in_its_csv_cell_and_is_no_formula(texts: list[str]) -> None:
    rows = rows_of(table_csv(hostile_table(texts)))
    assert [len(row) for row in rows] == [5] * (len(texts) + 1)
    for row in rows:
        assert not FORMULA.match(row[0])
        assert not FORMULA.match(row[-1])


def test_hostile_csv_comes_back_with_csv_and_polars(tmp_path: Path) -> None:
    import polars as pl

    study = hostile_study()
    text = study_csv(study.tables[0])
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8", newline="")
    rows, frame = rows_of(text), pl.read_csv(path, infer_schema=False)
    assert frame.height == len(HOSTILE) == len(rows) - 1
    assert frame.columns == rows[0]
    assert [list(row) for row in frame.rows()] == [[cell or None for cell in row] for row in rows[1:]]
    for row in rows:
        for cell in row:
            if FORMULA.match(cell):
                float(cell)  # a minus sign begins numbers alone
    figures = [row for row in rows[1:] if row[1]]
    assert {float(row[1]) for row in figures} == {0.5}
    assert {(float(row[2]), float(row[3])) for row in figures} == {(0.4, 0.6)}
