"""What a triage found: every score under every budget and promise, and what follows for a leaderboard."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.probes.data import ProbeSubject, Retention
from evenhand.probes.policy import SwapPolicy
from evenhand.probes.triage_budget import BudgetPoint
from evenhand.probes.triage_guarantee import Guarantee
from evenhand.probes.triage_leaderboard import AuthorRow, LeaderboardError
from evenhand.probes.triage_question import TriageQuestion
from evenhand.probes.triage_scores import ScoreKind
from evenhand.probes.triage_time import NetTime
from evenhand.stats import Refusal

__all__ = ["ScoreFacts", "TriageReport"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreFacts:
    """A score in the report: where it comes from, or why it isn't there."""

    name: str
    kind: str
    refusal: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageReport:
    """What selective swapping would do on pairs that were judged in both orders.

    Attributes
    ----------
    flips
        Among the pairs.
    budgets, guarantees
        Of every score; ``guarantees`` by score, a refusal where there is none.
    leaderboard
        Order AB alone first, then policies of the score asked for, and the same budgets by confidence and by chance.
    closely
        The policy that is looked at closely: the one asked for, or a budget of 30 %.
    authors
        Under that policy; empty without authors.
    times
        Of the score asked for; a refusal where the run doesn't tell its seconds.
    policy
        What ``--save`` writes; None where nothing was asked for.
    policy_swaps
        Share of the pairs that the saved policy swaps: under a promise of those it was calibrated on, under a budget of
        all. None without one.
    use
        The words with which the saved policy is used; None without one.
    unranked
        Why no score can be said to find flips better than chance, at this flip rate; None where one can.
    led
        Share of the pairs where the judge led with a label in both orders, under a first-token readout (the pair
        compliance); None where it isn't known.
    """

    subject: ProbeSubject
    data: str
    sha256: str
    pairs: int
    groups: int
    flips: int
    largest_group: int
    retention: Retention
    question: TriageQuestion
    scores: tuple[ScoreFacts, ...]
    budgets: tuple[BudgetPoint, ...]
    guarantees: tuple[tuple[str, tuple[Guarantee, ...] | Refusal], ...]
    leaderboard: tuple[LeaderboardError, ...]
    closely: str
    authors: tuple[AuthorRow, ...]
    times: tuple[NetTime, ...] | Refusal
    policy: SwapPolicy | None = None
    policy_swaps: float | None = None
    use: str | None = None
    unranked: str | None = None
    led: float | None = None
    notes: tuple[str, ...] = ()

    @property
    def in_sample(self) -> bool:
        """Whether the score asked for was fitted on these questions, so that nothing can be said of it here."""
        return any(s.name == self.question.score and s.kind == ScoreKind.OVERLAPPING.value for s in self.scores)

    @property
    def saving(self) -> float | None:
        """Share of the judgments that the policy asked for saves; None without one, or where nothing can be promised.

        Under a budget as many as it says; under a promise the mean over the splits. None for a probe that was fitted on
        these questions.
        """
        if self.in_sample:
            return None
        if self.question.budget is not None:
            return self.point(self.question.score, self.question.budget).saved
        if self.question.max_missed is None:
            return None
        found = self.guarantee(self.question.score)
        return None if isinstance(found, Refusal) else (1 - found[0].mean_swapped) / 2

    def point(self, score: str, budget: float) -> BudgetPoint:
        """A score under a budget."""
        return next(p for p in self.budgets if p.score == score and p.budget == budget)

    def guarantee(self, score: str) -> tuple[Guarantee, ...] | Refusal:
        """A score's promises."""
        return dict(self.guarantees)[score]
