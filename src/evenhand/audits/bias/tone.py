"""Tone: whether the judge prefers the same response when it sounds sure of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.analysis.finding import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.contrast import contrast_findings
from evenhand.audits.bias.control import comparisons
from evenhand.audits.bias.levels import Factored, level_findings, plan_levels

__all__ = ["ToneAudit"]

_ASSERTIVE: Final[Factored] = ("tone", "assertive")
_HEDGED: Final[Factored] = ("tone", "hedged")
_SAME_RESPONSE: Final = (
    "Both sides are rewrites of the same response, so that what any frame adds, such as length, is there both times."
)


@dataclass(frozen=True, slots=True)
class ToneAudit:
    """An assertive frame against a hedged one around the same response, and each against the response as it is."""

    name: str = "tone"
    question: str = "Does the judge prefer a response because it sounds assertive rather than hedged?"
    needs: str = (
        "Verdicts without any change and with response A, then response B, made assertive and made hedged, on the same "
        "pairs in the same orders."
    )

    def plan(self, supplied: frozenset[Factored]) -> tuple[Changes, ...]:
        """Both tones, and the user's own, for A and for B."""
        return plan_levels((_ASSERTIVE, _HEDGED), supplied)

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """Assertive against hedged, then each tone against the control."""
        between = contrast_findings(
            data, sampler, comparisons(data, *_ASSERTIVE, against=_HEDGED), audit=self.name, notes=(_SAME_RESPONSE,)
        )
        each = level_findings(data, sampler, audit=self.name, factors=("tone",), expected=(_ASSERTIVE, _HEDGED))
        return (*between, *each)
