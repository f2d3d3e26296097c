"""How the figures of a triage were made, and what its words mean."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.probes.triage_report import TriageReport
from evenhand.report.format import integer
from evenhand.stats import Refusal

__all__ = ["triage_methods", "triage_terms"]

_SCORES = {
    "probe": "a logistic regression on the judge’s residual stream just before its verdict",
    "combined": "a logistic regression on stated confidence, margin, lengths and choice",
    "absolute-margin": "a logistic regression on the margin between the two labels, whichever way it points",
    "confidence": "the judge’s own stated confidence, least first",
    "small-margin": "the margin between the two labels, smallest first",
    "random": "a seeded random order: chance",
}


def triage_methods(report: TriageReport) -> tuple[str, ...]:
    """How scores, budgets and promises were made and tested, a sentence or two each."""
    return tuple(_sentences(report))


def _sentences(report: TriageReport) -> Iterator[str]:
    asked = report.question
    yield (
        "Every score is known after order AB alone; higher means riskier. The run judged all pairs in both orders, so "
        "that each flip a policy misses can be counted."
    )
    yield (
        "A budget swaps the riskiest share of the pairs, rounded up, equal scores in a seeded random order. It "
        "promises nothing about the flips."
    )
    if asked.alphas:
        how = (
            "by conformal risk control (Angelopoulos et al. 2022, arXiv:2208.02814), in expectation over the "
            "calibration and new questions"
            if asked.delta is None
            else "by testing thresholds from the safest one upward (Angelopoulos et al. 2021, arXiv:2110.01052), with "
            f"probability {(1 - asked.delta) * 100:g} % over the calibration"
        )
        yield (
            f"A promise swaps every pair that scores at least a threshold, calibrated {how}. It was tested on "
            f"questions that had no part in it, in {integer(asked.splits)} random splits."
        )
    yield (
        f"Shares of missed flips and errors have intervals at {asked.level * 100:g} % over question groups, pairs of "
        f"one question together ({integer(asked.resamples)} resamples where they are resampled, seed {asked.seed}). "
        "Differences are paired."
    )
    if not isinstance(report.times, Refusal):
        yield "Net time counts the judge’s measured seconds, and what writing, reading and scoring activations adds."


def triage_terms(report: TriageReport) -> tuple[tuple[str, str], ...]:
    """The words of the tables, and the scores that have a row."""
    usable = [score.name for score in report.scores if score.refusal is None]
    return (
        ("flip", "The preferences in orders AB and BA are both decided and differ."),
        ("swapped", "Judged in both orders."),
        ("saved", "Judgments that are not asked, of two a pair."),
        ("missed", "Flips of pairs that are not swapped, of all flips: nobody sees them."),
        ("promise", "The largest share of the flips that a policy may miss, on questions drawn as these were."),
        *((name, f"Score: {_SCORES[name]}.") for name in usable if name in _SCORES),
    )
