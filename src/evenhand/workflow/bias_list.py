"""The bias audits there are: what each asks, what it needs, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.bias.registry import BIAS_AUDITS, SELF_PREFERENCE
from evenhand.records import Order

__all__ = ["ListedAudit", "listed_audits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAudit:
    """One audit, for people who choose.

    Attributes
    ----------
    name, question, needs
        As the audit says.
    conditions
        Changed conditions that it asks for without any rewrites of the user's.
    presentations
        Per pair, label set and way of asking, beside the control's: two for each changed condition.
    runs
        How many runs it needs.
    """

    name: str
    question: str
    needs: str
    conditions: int
    presentations: int
    runs: int = 1

    @property
    def asks(self) -> str:
        """What it asks of a pair, in words."""
        if not self.presentations:
            return "nothing" if self.runs == 1 else f"nothing, but needs the runs of {self.runs} judges or more"
        return f"{self.presentations} presentations of each pair ({self.conditions} changed conditions in both orders)"


def listed_audits() -> tuple[ListedAudit, ...]:
    """Every audit, that of several judges last.

    Examples
    --------
    >>> [audit.presentations for audit in listed_audits() if audit.name == "rationale"]
    [0]
    """
    listed = []
    for name, audit in BIAS_AUDITS.items():
        planned = [changes for changes in audit.plan(frozenset()) if changes]
        listed.append(
            ListedAudit(
                name=name,
                question=audit.question,
                needs=audit.needs,
                conditions=len(planned),
                presentations=len(Order) * len(planned),
            )
        )
    return (*listed, _SELF_PREFERENCE)


_SELF_PREFERENCE = ListedAudit(
    name=SELF_PREFERENCE,
    question="Does a judge prefer what it wrote itself, or what its family wrote?",
    needs=(
        "Runs of several judges on the same pairs, whose responses have known authors, some of them among the judges; "
        "blind, so that no prompt names an author."
    ),
    conditions=0,
    presentations=0,
    runs=2,
)
