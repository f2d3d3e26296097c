"""The report's files and what the terminal shows of it."""

import csv
import io
import json

import pytest
from rich.console import Console

from evenhand.errors import StoreError
from evenhand.report.study.markdown import study_markdown
from evenhand.report.triage import print_triage, write_triage
from evenhand.report.triage_json import validate_triage_json
from evenhand.report.triage_tables import TABLES, build_triage_tables
from evenhand.report.triage_view import build_triage_view
from report.triage_reports import triage_report


def printed(report, *, width=100, brief=False):
    console = Console(file=io.StringIO(), width=width)
    print_triage(report, console, brief=brief)
    return console.file.getvalue()


def test_every_file_is_written_and_reads_back(tmp_path):
    written = write_triage(tmp_path / "triage", triage_report(), command="evenhand triage RUN", created="2026")
    assert json.loads(written.json.read_text())["command"] == "evenhand triage RUN"
    validate_triage_json(json.loads(written.json.read_text()))
    text = written.markdown.read_text()
    assert text.startswith("# Triage: tiny/judge")
    assert "Command: evenhand triage RUN" in text
    assert "extraction included; a random choice of as many saves 35.0 %. (Table 5)" in text
    assert written.html.read_text().startswith("<!doctype html>")
    assert written.figure.read_bytes().startswith(b"<?xml")
    names = ("budgets", "guarantees", "leaderboard", "authors", "time", "retention")
    assert {path.name for path in written.tables} == {f"{name}.{form}" for name in names for form in ("csv", "tex")}
    assert all(path.is_file() for path in written.tables)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "triage/tables/budgets.csv").read_text())))
    first = triage_report().budgets[0]
    assert float(rows[0]["flips missed"]) == first.missed.value
    assert float(rows[0]["flips missed low"]) == first.missed.interval.low


def test_without_a_curve_there_is_no_figure(tmp_path):
    assert write_triage(tmp_path, triage_report(budget=0.3)).figure is None
    assert not list(tmp_path.glob("*.svg"))


def test_a_folder_that_cant_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be made"):
        write_triage(tmp_path / "file" / "triage", triage_report(budget=0.3))


@pytest.mark.parametrize("width", [60, 100, 140])
def test_the_terminal_shows_headline_tables_and_notes(width):
    text = printed(triage_report(), width=width)
    assert "What a budget buys" in text
    assert "The smallest budget with a promise" in text
    assert "Notes" in text
    assert max(map(len, text.splitlines())) <= width


def test_brief_is_the_headline_and_one_table():
    text = printed(triage_report(max_missed=0.2), brief=True)
    assert "The smallest budget with a promise" in text
    assert "What it does to the result" not in text
    assert "Notes" not in text


def test_hostile_names_are_inert_everywhere(tmp_path):
    report = triage_report(hostile=True)
    written = write_triage(tmp_path, report)
    assert "\x1b" not in printed(report)
    assert "\x1b" not in written.markdown.read_text()
    cells = [row[0] for row in csv.reader(io.StringIO((tmp_path / "tables/authors.csv").read_text()))]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert "|x" not in study_markdown(build_triage_view(report)).replace("\\|x", "")


def test_nothing_of_an_earlier_triage_is_left(tmp_path):
    write_triage(tmp_path, triage_report(), figure_formats=("svg", "pdf"))
    (tmp_path / "tables" / "mine.csv").write_text("the user's")
    assert (tmp_path / "triage.pdf").exists()
    written = write_triage(tmp_path, triage_report(budget=0.3, authors=False))
    assert not list(tmp_path.glob("triage.pdf"))
    assert not list(tmp_path.glob("triage.svg"))
    assert set((tmp_path / "tables").iterdir()) == {*written.tables, tmp_path / "tables" / "mine.csv"}


def test_the_ids_of_tables_are_those_that_are_known():
    for report in (triage_report(), triage_report(max_missed=0.2), triage_report(authors=False, seconds=False)):
        ids = [table.id for table in build_triage_tables(report)]
        assert ids == [name for name in TABLES if name in ids]
