"""Whether every sentence of a study's headline rests on a place of its report that has the sentence's figures."""

from __future__ import annotations

import re

from evenhand.analysis.study import Study
from evenhand.report.model import Claim, Table
from evenhand.report.study.view import build_study_view

__all__ = ["anchors_of", "has_figures"]

_INTERVAL = re.compile(r"\[([-+]?[\d.]+) ([-+]?[\d.]+)\]")


def anchors_of(study: Study) -> dict[str, str]:
    """The place that each sentence rests on, its lead's among them.

    Every sentence has one, which the study names itself: none is left to what all reports fall back on, unless it names
    nothing. A sentence that rests on a table has no interval that the table lacks.
    """
    view = build_study_view(study)
    head, given = view.headline, study.headline
    lead = Claim(text=given.lead, rests_on=given.rests_on)
    said = [(lead, Claim(text=head.lead, basis=head.basis))]
    said += zip((*given.more, *given.steps), (*head.more, *head.steps), strict=True)
    found = {}
    for own, claim in said:
        basis = claim.basis
        assert basis is not None, claim.text
        assert view.numbers[basis.anchor] == basis
        assert not own.rests_on or basis.anchor in own.rests_on, (claim.text, basis)
        if own is not lead and basis.anchor.startswith("table-"):
            table = view.table(basis.anchor.removeprefix("table-"))
            assert table is not None
            assert has_figures(table, claim.text), claim
        found[claim.text] = basis.anchor
    return found


def has_figures(table: Table, text: str) -> bool:
    """Whether every interval of a sentence stands in a table."""
    return all(any(_alike(each, shown) for shown in _shown(table)) for each in _bounds(text))


def _shown(table: Table) -> list[tuple[str, ...]]:
    return [each for row in table.rows for cell in row for each in _bounds(f"{cell.text} {cell.interval}")]


def _bounds(text: str) -> list[tuple[str, ...]]:
    plain = text.replace("−", "-").replace(",", "")
    return [tuple(match.groups()) for match in _INTERVAL.finditer(plain)]


def _alike(said: tuple[str, ...], shown: tuple[str, ...]) -> bool:
    """The same bounds, to the digits that the sentence gives: a table may give more."""
    rounding = [0.51 * 10.0 ** -len(bound.partition(".")[2]) for bound in said]
    return all(abs(float(a) - float(b)) <= r for a, b, r in zip(said, shown, rounding, strict=True))
