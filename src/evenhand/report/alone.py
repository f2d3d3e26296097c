"""The first sentences of a log whose judge saw one response at a time: no order, no slots, and what is left to say."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.records import Outcome
from evenhand.report.format import integer
from evenhand.report.model import Claim, Headline
from evenhand.report.numbering import claims
from evenhand.report.phrases import listed, range_text, state_sentence, told_readouts
from evenhand.report.scope import Scope
from evenhand.report.several import decided
from evenhand.report.trust import NOTHING_YET, measures_of
from evenhand.store import PlanCounts

__all__ = ["alone"]

_OUTCOMES = ("table-outcomes", "table-summary")


def alone(scopes: Sequence[Scope], counts: PlanCounts) -> Headline:
    """Say what pairs of scores show: preferences, ties, agreement with gold; nothing of position.

    Parameters
    ----------
    scopes
        For which :func:`evenhand.report.scope.judged_alone` holds.
    """
    told = told_readouts(scopes)
    own = [s for s in scopes if s.readout in told]
    states = [state_sentence(scopes, readout) for readout in told]
    return Headline(
        status="described",
        verdict="Each response was judged by itself: position bias can't arise, and isn't measured",
        lead=_lead(own, scopes),
        rests_on=_OUTCOMES,
        trust=_right(own, scopes) or claims([NOTHING_YET], *_OUTCOMES),
        doubt=(
            *_gaps(counts),
            *claims(
                [
                    "How the judge would compare two responses that it sees together: no figure here speaks of order "
                    "or slots."
                ],
                "notes",
            ),
            *claims(filter(None, states), *_OUTCOMES),
        ),
        steps=claims(
            ["To measure position bias, let the judge compare the two responses of each pair, in both orders."], "notes"
        ),
    )


def _lead(own: Sequence[Scope], scopes: Sequence[Scope]) -> str:
    counts = [c for s in own for c in s.finding.outcomes]
    everything = sum(c.count for c in counts)
    slots = (Outcome.FIRST, Outcome.SECOND)
    preferred = sum(c.count for c in counts if c.outcome in slots)
    ties = sum(c.count for c in counts if c.outcome is Outcome.TIE)
    parts = [f"{integer(preferred)} have a preferred response"]
    parts += [f"{integer(ties)} are ties"] if ties else []
    parts += [f"{integer(everything - preferred - ties)} have no verdict"] if everything > preferred + ties else []
    made = f"Of {integer(everything)} pairs that were made of its scores, {listed(parts)}."
    text = range_text(own, [s.finding.measure("accuracy_alone") for s in own], scopes=scopes)
    return f"{made} The preference is the gold one on {text} of those with a verdict and gold." if text else made


def _right(own: Sequence[Scope], scopes: Sequence[Scope]) -> tuple[Claim, ...]:
    """Agreement with gold where it is clear of chance."""
    kept = decided([(s, s.finding.measure("accuracy_alone")) for s in own], lambda interval: interval.low > 0.5)
    if not kept:
        return ()
    text = range_text([s for s, _ in kept], [e for _, e in kept], scopes=scopes)
    return claims(
        [f"The preference by score is the gold one on {text} of pairs with a verdict and gold: above chance."],
        measures_of(own[0], scopes),
    )


def _gaps(counts: PlanCounts) -> tuple[Claim, ...]:
    if not counts.errors:
        return ()
    return claims(
        [f"{integer(counts.errors)} of {integer(counts.planned)} entries failed; the figures are of the rest."],
        *_OUTCOMES,
    )
