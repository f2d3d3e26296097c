"""What a report's figures, tables and sections are called, and which of them each sentence of its headline rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from evenhand.report.model import Basis, Claim, Headline

__all__ = ["PAIRS", "SECTIONS", "Identified", "claims", "first_screen", "named", "number_report", "with_bases"]

PAIRS = "pairs"
"""Id of the table of pairs worth reading, which is a section of its own on a page, and has no number."""

SECTIONS: Mapping[str, str] = {
    "biases": "Biases beside order",
    "judge-and-humans": "Judge and humans",
    PAIRS: "Pairs worth reading",
    "methods": "How it was made",
    "notes": "Notes",
    "reproduce": "Reproduce and cite",
}
"""Sections of a page that a sentence may rest on, by anchor."""

_FALLBACK = "reproduce"  # the run's facts: every report has them
_FIRST_SCREEN = 4  # sentences of a list that is read at one glance


class Identified(Protocol):
    """What has an id on a page: a table, as it is shown or as a study has it."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


def number_report(
    figures: Iterable[str],
    tables: Sequence[Identified],
    *,
    section_tables: Sequence[Identified] = (),
    human_tables: Sequence[Identified] = (),
    sections: Iterable[str] = (),
) -> dict[str, Basis]:
    """Names by anchor: figures and tables in the order of reading, those of a study within an audit apart (``B1``).

    Parameters
    ----------
    figures
        Names of the figures.
    section_tables
        Tables of a study that is a section of this report; their ids are of this page.
    human_tables
        The same of the section on judge and humans (``H1``).
    sections
        Anchors of the sections that there are. Where the pairs worth reading are one, their table has no number.

    Examples
    --------
    >>> number_report(["rates"], ())["figure-rates"].name
    'Figure 1'
    """
    anchors = tuple(sections)
    numbered = [table.id for table in tables if table.id != PAIRS or PAIRS not in anchors]
    names = {
        **{f"figure-{name}": f"Figure {index}" for index, name in enumerate(figures, start=1)},
        **{f"table-{name}": f"Table {index}" for index, name in enumerate(numbered, start=1)},
        **{f"table-{table.id}": f"Table B{index}" for index, table in enumerate(section_tables, start=1)},
        **{f"table-{table.id}": f"Table H{index}" for index, table in enumerate(human_tables, start=1)},
        **{anchor: SECTIONS[anchor] for anchor in anchors},
    }
    return {anchor: Basis(anchor=anchor, name=name) for anchor, name in names.items()}


def with_bases(headline: Headline, numbers: Mapping[str, Basis]) -> Headline:
    """The headline with each sentence tied to the first of its anchors that the report has, else to the run's facts."""

    def basis(rests_on: Sequence[str]) -> Basis | None:
        return next((numbers[anchor] for anchor in (*rests_on, _FALLBACK) if anchor in numbers), None)

    def tied(said: Sequence[Claim]) -> tuple[Claim, ...]:
        return tuple(replace(claim, basis=basis(claim.rests_on)) for claim in said)

    return replace(
        headline,
        basis=basis(headline.rests_on),
        trust=tied(headline.trust),
        doubt=tied(headline.doubt),
        steps=tied(headline.steps),
        more=tied(headline.more),
    )


def claims(texts: Iterable[str], *rests_on: str) -> tuple[Claim, ...]:
    """Sentences that rest on the same figure or table, the best of ``rests_on`` that a report has.

    Examples
    --------
    >>> claims(["The judge led with a verdict token on 95 %."], "figure-rates")[0].rests_on
    ('figure-rates',)
    """
    return tuple(Claim(text=text, rests_on=rests_on) for text in texts if text)


def first_screen(headline: Headline, *, most: int = _FIRST_SCREEN) -> Headline:
    """The headline with lists short enough for one glance; what they have no room for opens the further findings."""
    return replace(
        headline,
        trust=headline.trust[:most],
        doubt=headline.doubt[:most],
        steps=headline.steps[:most],
        more=(*headline.trust[most:], *headline.doubt[most:], *headline.more, *headline.steps[most:]),
    )


def named(claim: Claim) -> str:
    """The sentence with the name of what it rests on, for a surface that has no links.

    Examples
    --------
    >>> named(Claim(text="Few flips.", basis=Basis(anchor="figure-rates", name="Figure 1")))
    'Few flips. (Figure 1)'
    """
    return claim.text if claim.basis is None else f"{claim.text} ({claim.basis.name})"
