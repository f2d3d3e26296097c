"""The probe report as Markdown for a paper: what was predicted, on what, with which figures and refusals."""

from __future__ import annotations

from evenhand.report.probes.model import ProbeView
from evenhand.report.tables import table_markdown
from evenhand.report.text import markdown_text

__all__ = ["disclosure_markdown"]

_TABLES = ("summary", "differences", "no-signal", "selected", "retention")
_LIMIT = 1500


def disclosure_markdown(view: ProbeView) -> str:
    """Facts, findings, main tables, methods and notes; every text of the data escaped."""
    head = view.headline
    tables = [table for name in _TABLES if (table := view.table(name)) is not None]
    lines = [
        f"# Predicting flips: {markdown_text(view.title)}",
        "",
        f"**{_text(head.verdict)}.** {_text(head.lead)}",
        "",
        *(f"- {_text(sentence)}" for sentence in head.meaning),
        *([""] if head.meaning else []),
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


def _text(text: str) -> str:
    return markdown_text(text, limit=_LIMIT)
