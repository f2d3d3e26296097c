import csv
import io
import re

import pytest
from markdown_it import MarkdownIt

from evenhand.report.tables import table_csv, table_latex, table_markdown


def read(text):
    return list(csv.reader(io.StringIO(text, newline="")))


def test_csv_has_plain_numbers_beside_the_text(view):
    head, first, *_ = read(table_csv(view.table("summary")))
    row = dict(zip(head, first, strict=True))
    assert row["condition"] == "A/B"
    assert row["readout"] == "first-token"
    assert float(row["flip rate"]) == pytest.approx(0.95)
    assert float(row["flip rate low"]) == 0.88
    assert row["flip rate text"] == "95.0 % [88.0, 99.0]"
    assert row["repeat flip rate"] == ""
    assert row["repeat flip rate text"] == "— noise not measured"


def test_every_csv_is_rectangular(view):
    for table in view.tables:
        rows = read(table_csv(table))
        assert len({len(row) for row in rows}) == 1
        assert len(rows) == len(table.rows) + 1


def test_negative_differences_stay_numbers(view):
    rows = read(table_csv(view.table("forced-minus-generated")))
    low = rows[0].index("flips, first-token minus generated low")
    assert float(rows[2][low]) == -0.05


def test_hostile_csv_has_no_formula(hostile_view):
    for table in hostile_view.tables:
        for row in read(table_csv(table)):
            assert not [cell for cell in row if cell[:1] in set("=+@\t\r")]
            assert not [cell for cell in row if cell.startswith("-") and not re.fullmatch(r"-[\d.e-]+", cell)]


def test_latex_is_booktabs_and_escaped(view):
    text = table_latex(view.table("summary"))
    for part in (r"\toprule", r"\midrule", r"\bottomrule", r"95.0 \% {[}88.0, 99.0{]}", r"\textsuperscript{a}"):
        assert part in text
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    assert all(line.count("&") == 5 for line in body.strip().splitlines())


def test_hostile_latex_has_no_command_of_its_own(hostile_view):
    text = table_latex(hostile_view.table("summary"))
    commands = set(re.findall(r"\\([a-zA-Z]+)", text))
    known = {"begin", "end", "centering", "caption", "label", "toprule", "midrule", "bottomrule", "par", "footnotesize"}
    known |= {"providecommand", "evenhandtable", "evenhandother"}
    escapes = {name for name in commands if name.startswith("text")} | {"times", "ldots", "allowbreak"}
    assert commands <= known | escapes


def test_hostile_markdown_renders_as_one_table(hostile_view):
    table = hostile_view.table("summary")
    html = MarkdownIt("gfm-like", {"linkify": False, "html": True}).render(table_markdown(table))
    assert html.count("<tr>") == len(table.rows) + 1
    assert "<script" not in html
    assert "<img" not in html
    assert "<a " not in html
