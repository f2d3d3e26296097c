"""The probe report as Markdown for a paper: what was predicted, on what, with which figures and refusals."""

from __future__ import annotations

from dataclasses import replace

from evenhand.report.model import Claim, Table
from evenhand.report.numbering import SECTIONS, named
from evenhand.report.probes.model import ProbeView
from evenhand.report.tables import table_markdown
from evenhand.report.text import markdown_text

__all__ = ["disclosure_markdown"]

_TABLES = ("summary", "differences", "no-signal", "selected", "learning", "retention")
_LIMIT = 1500


def disclosure_markdown(view: ProbeView) -> str:
    """Facts, findings, main tables, methods and notes; every text of the data escaped."""
    head = view.headline
    tables = [_numbered(table, view) for name in _TABLES if (table := view.table(name)) is not None]
    lines = [
        f"# Predicting flips: {markdown_text(view.title)}",
        "",
        f"**{_text(head.verdict)}.** {_text(named(Claim(text=head.lead, basis=head.basis)))}",
        "",
        *(f"- {_text(named(claim))}" for claim in head.more),
        *([""] if head.more else []),
        *(["What to do next:", ""] if head.steps else []),
        *(f"- {_text(named(claim))}" for claim in head.steps),
        *([""] if head.steps else []),
        f"## {SECTIONS['reproduce']}",
        "",
        "| | |",
        "|---|---|",
        *(f"| {markdown_text(name)} | {_text(text)} |" for name, text in view.facts),
        "",
        *(table_markdown(table) for table in tables),
        "## How it was made",
        "",
        *(f"- {_text(sentence)}" for sentence in view.methods),
        "",
        "## Notes and refusals",
        "",
        *(f"- {_text(note)}" for note in view.notes),
        "",
        *([f"Command: {_text(view.command)}", ""] if view.command else []),
        f"Made by Evenhand {markdown_text(view.version)}.",
        "",
    ]
    return "\n".join(lines)


def _numbered(table: Table, view: ProbeView) -> Table:
    """The table with its number in its title, as the page has it."""
    basis = view.numbers.get(f"table-{table.id}")
    return table if basis is None else replace(table, title=f"{basis.name}. {table.title}")


def _text(text: str) -> str:
    return markdown_text(text, limit=_LIMIT)
