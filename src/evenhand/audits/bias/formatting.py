"""Formatting: whether the judge prefers the same words in another dress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.analysis.finding import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.control import asked_levels
from evenhand.audits.bias.levels import Factored, level_findings, plan_levels

__all__ = ["FormattingAudit"]

_PLAIN: Final[Factored] = ("format", "plain")
_DRESSED: Final[tuple[Factored, ...]] = (("format", "bullets"), ("format", "markdown"), ("format", "code"))


@dataclass(frozen=True, slots=True)
class FormattingAudit:
    """Bullets, Markdown and code blocks against the plain text of the same response, and that against its own form."""

    name: str = "formatting"
    question: str = "Does the judge prefer a response because of its formatting, the words being the same?"
    needs: str = (
        "Verdicts without any change and with response A, then response B, made plain and put in each format, on the "
        "same pairs in the same orders."
    )

    def plan(self, supplied: frozenset[Factored]) -> tuple[Changes, ...]:
        """Plain text first, then each format and the user's own, for A and for B."""
        return plan_levels((_PLAIN, *_DRESSED), supplied)

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """Each format against plain; plain against the control, which is the response in the form it came in."""
        dressed = [one for one in asked_levels(data) if one[0] == "format" and one != _PLAIN]
        return level_findings(
            data,
            sampler,
            audit=self.name,
            factors=("format",),
            expected=(_PLAIN, *_DRESSED),
            against=dict.fromkeys(dressed, _PLAIN),
        )
