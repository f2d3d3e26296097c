"""What every surface of a probe report shows, decided once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evenhand.report.model import Basis, Headline, Point, Table

__all__ = ["Line", "ProbeView"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a figure; ``low`` and ``high`` where its points have intervals.

    Attributes
    ----------
    series
        Picks colour and mark.
    label
        For people.
    x, y
        Of equal length.
    low, high
        None where a point has no interval.
    """

    series: str
    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeView:
    """Everything a probe report shows. Strings are clean (:func:`evenhand.report.text.visible`) but not escaped.

    Attributes
    ----------
    aurocs
        AUROC of every predictor; a refusal has a text and no number.
    calibration, learning, gains
        Lines of the figures; empty where there is nothing to draw.
    flip_share
        Observed flip rate, where it is known.
    facts
        What was predicted, on what, as (name, text): the disclosure.
    methods
        How the figures were made, a sentence each.
    numbers
        By anchor: what the figures and tables are called.
    """

    title: str
    subtitle: str
    headline: Headline
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    aurocs: tuple[Point, ...]
    calibration: tuple[Line, ...]
    learning: tuple[Line, ...]
    gains: tuple[Line, ...]
    flip_share: float | None
    facts: tuple[tuple[str, str], ...]
    methods: tuple[str, ...]
    glossary: tuple[tuple[str, str], ...]
    command: str
    version: str
    numbers: Mapping[str, Basis] = field(default_factory=dict)

    def table(self, table_id: str) -> Table | None:
        """The table with an id; None where this report has none."""
        return next((table for table in self.tables if table.id == table_id), None)
