"""Register: whether the judge holds an informal or a non-native style against a response."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from evenhand.analysis.finding import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.levels import Factored, level_findings, plan_levels

__all__ = ["RegisterAudit"]

_RULES: Final[tuple[Factored, ...]] = (("register", "informal"),)
_NEGATIVE: Final = "A net shift below 0 says that the judge turns away from a response in this style."


@dataclass(frozen=True, slots=True)
class RegisterAudit:
    """The same response in another register: informal by rule, non-native where the user supplies the rewrites."""

    name: str = "register"
    question: str = (
        "Does the judge turn away from a response because of its style, such as informal or non-native English?"
    )
    needs: str = (
        "Verdicts without any change and with response A, then response B, in the other style, on the same pairs in "
        "the same orders; rewrites from the user for every style but the informal one."
    )

    def plan(self, supplied: frozenset[Factored]) -> tuple[Changes, ...]:
        """The informal style, and the styles that the user supplied, for A and for B."""
        return plan_levels(_RULES, supplied)

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """Each style against the control."""
        return level_findings(
            data,
            sampler,
            audit=self.name,
            factors=("register",),
            expected=_RULES,
            notes={"register": (_NEGATIVE,)},
        )
