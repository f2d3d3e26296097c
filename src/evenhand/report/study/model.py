"""What every surface shows of a study, decided once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evenhand.analysis.study import StudyFigure, StudyStatus
from evenhand.report.model import Basis, Headline, Table

__all__ = ["NamedFigure", "StudyView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedFigure:
    """A figure with its name on a page and in files."""

    name: str
    figure: StudyFigure


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyView:
    """Everything that a study's report shows. Strings are clean but not escaped.

    Attributes
    ----------
    kind
        Name of its files.
    status
        As the study gives it; ``headline`` has the look that goes with it.
    sign
        A character that says the status beside the verdict's words, for readers who don't see its colour.
    methods
        How intervals and tests were made, a sentence each.
    figures
        Those that have something to draw.
    numbers
        By anchor: what the figures and tables are called.
    """

    kind: str
    title: str
    subtitle: str
    status: StudyStatus
    sign: str
    headline: Headline
    tables: tuple[Table, ...]
    figures: tuple[NamedFigure, ...]
    notes: tuple[str, ...]
    methods: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    glossary: tuple[tuple[str, str], ...]
    command: str
    version: str
    numbers: Mapping[str, Basis] = field(default_factory=dict)

    def table(self, table_id: str) -> Table | None:
        """The table with an id; None where this study has none."""
        return next((table for table in self.tables if table.id == table_id), None)
