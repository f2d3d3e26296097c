"""Formatting: whether the judge prefers the same words in another dress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.analysis.finding import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.control import asked_levels, cells_of, comparisons
from evenhand.audits.bias.levels import Factored, level_findings, plan_levels
from evenhand.records import Readout

__all__ = ["FormattingAudit"]

_PLAIN: Final[Factored] = ("format", "plain")
_DRESSED: Final[tuple[Factored, ...]] = (("format", "bullets"), ("format", "markdown"), ("format", "code"))

_DIRECTION: Final = (
    "The target is the response whose form was changed. For format=plain a net shift below 0 says that markup helped."
)


@dataclass(frozen=True, slots=True)
class FormattingAudit:
    """Bullets, Markdown and code blocks against the same response in plain text, and plain text against its markup.

    A rule dresses only responses that are plain, so that the control is their plain text. Where both a dressed and a
    plain rewrite of one response were asked (the user's own), these are compared with each other.
    """

    name: str = "formatting"
    question: str = "Does the judge prefer a response because of its formatting, the words being the same?"
    needs: str = (
        "Verdicts without any change and with response A, then response B, put in each format where it is plain and "
        "made plain where it is not, on the same pairs in the same orders."
    )

    def plan(self, supplied: frozenset[Factored]) -> tuple[Changes, ...]:
        """Plain text first, then each format and the user's own, for A and for B."""
        return plan_levels((_PLAIN, *_DRESSED), supplied)

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """Each format against the same words in plain text, and taking the markup off against leaving it."""
        rewritten = [one for one in asked_levels(data) if one[0] == "format" and one != _PLAIN and _shared(data, one)]
        return level_findings(
            data,
            sampler,
            audit=self.name,
            factors=("format",),
            expected=(_PLAIN, *_DRESSED),
            against=dict.fromkeys(rewritten, _PLAIN),
            notes={"format": (_DIRECTION,)},
        )


def _shared(data: BiasData, one: Factored) -> bool:
    """Whether some response was asked about both in this form and in plain text."""
    return any(
        cells_of(data, comparison, readout).asked.any()
        for comparison in comparisons(data, *one, against=_PLAIN)
        for readout in Readout
    )
