"""A study as Markdown, for a paper's appendix or a pull request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from evenhand.report.model import Claim, Shown, Table
from evenhand.report.numbering import SECTIONS, named
from evenhand.report.tables import table_markdown
from evenhand.report.text import markdown_text

__all__ = ["WholeReport", "study_markdown"]

_LIMIT = 2000


class WholeReport(Shown, Protocol):
    """What Markdown has beside what a terminal prints. Strings are clean but not escaped."""

    @property
    def methods(self) -> tuple[str, ...]:
        """How the figures were made, each a sentence or two."""
        ...

    @property
    def glossary(self) -> tuple[tuple[str, str], ...]:
        """Terms and what they mean."""
        ...

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        """Where it comes from."""
        ...

    @property
    def command(self) -> str:
        """The call that made it; empty where nobody said."""
        ...


def study_markdown(view: WholeReport) -> str:
    """Headline, tables, methods, notes, terms and facts; every text of the data escaped."""
    head = view.headline
    stop = "" if head.verdict.endswith((".", "!", "?")) else "."
    lines = [
        f"# {markdown_text(view.title)}",
        "",
        _text(view.subtitle),
        "",
        f"**{_text(head.verdict)}{stop}** {_text(named(Claim(text=head.lead, basis=head.basis)))}",
        "",
        *_list(map(named, head.more)),
        *(["What to do next:", ""] if head.next_steps else []),
        *_list(map(named, head.steps)),
        *(table_markdown(_numbered(table, view)) for table in view.tables),
        *_section("How it was made", _list(view.methods)),
        *_section("Notes", _list(view.notes)),
        *_section("Terms", _list(f"{term}: {definition}" for term, definition in view.glossary)),
        *_section(SECTIONS["reproduce"], _rows(view.facts)),
        *([f"Command: {_text(view.command)}", ""] if view.command else []),
    ]
    return "\n".join(lines)


def _numbered(table: Table, view: WholeReport) -> Table:
    """The table with its number in its title, as the page has it."""
    basis = view.numbers.get(f"table-{table.id}")
    return table if basis is None else replace(table, title=f"{basis.name}. {table.title}")


def _text(text: str) -> str:
    return markdown_text(text, limit=_LIMIT)


def _list(items: Iterable[str]) -> list[str]:
    made = [f"- {_text(item)}" for item in items]
    return [*made, ""] if made else []


def _rows(facts: Iterable[tuple[str, str]]) -> list[str]:
    return ["| | |", "|---|---|", *(f"| {_text(name)} | {_text(text)} |" for name, text in facts), ""]


def _section(title: str, lines: list[str]) -> list[str]:
    return [f"## {title}", "", *lines] if lines else []
