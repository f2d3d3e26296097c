"""The headline where answers are missing: none yet, no verdict among them, or many calls failed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.report.format import integer
from evenhand.report.model import Headline
from evenhand.report.numbering import claims
from evenhand.report.scope import Scope
from evenhand.report.trust import NOTHING_YET
from evenhand.store import PlanCounts

__all__ = ["MANY_FAILED", "failed", "failures_first", "finish_step", "mend_step", "nothing_yet"]

MANY_FAILED = 0.05
"""Share of failed calls above which no finding stands in the title.

A convention of this report: long prompts and odd answers fail first, so those that are left are no sample of the whole.
"""


_OUTCOMES = ("figure-outcomes", "table-outcomes")
_NOTHING = "This says nothing about the judge, good or bad."
_OF_THE_REST = "Nothing yet: too many calls failed, and those that failed may be unlike the rest."
_NOT_ASKED_YET = "Nothing yet: too many presentations are still to be asked, and they may be unlike the rest."


def failures_first(found: Headline, counts: PlanCounts) -> Headline:
    """The headline, with failed calls for its title where they are many; what was found of the rest opens the lead.

    Where many calls are pending there is nothing to trust either: pairs are asked in the order of the data, so that
    those that were asked are no sample of the whole.
    """
    if counts.errors <= MANY_FAILED * counts.planned:
        return _less_trusted(found, _NOT_ASKED_YET) if counts.pending > MANY_FAILED * counts.planned else found
    return replace(
        _less_trusted(found, _OF_THE_REST),
        status="incomplete",
        verdict=(
            f"Incomplete: {integer(counts.errors)} of {integer(counts.planned)} presentations failed; "
            "what follows speaks of the rest"
        ),
        lead=found.lead if found.status == "incomplete" else f"{found.verdict}. {found.lead}",
    )


def _less_trusted(found: Headline, why: str) -> Headline:
    """The headline with what there was to trust among its further findings."""
    return replace(
        found,
        trust=claims([why], *_OUTCOMES),
        more=(*(claim for claim in found.trust if claim.text != NOTHING_YET), *found.more),
    )


def nothing_yet(counts: PlanCounts, *, from_log: bool) -> Headline:
    """The headline of a run that has a plan and no answer."""
    return Headline(
        status="incomplete",
        verdict=f"Nothing answered yet: 0 of {integer(counts.planned)} presentations",
        lead=f"{integer(counts.pending)} presentations are still to be asked; no figure can be given.",
        rests_on=_OUTCOMES,
        doubt=claims([_NOTHING], *_OUTCOMES),
        steps=claims([finish_step(from_log=from_log)], *_OUTCOMES),
    )


def finish_step(*, from_log: bool) -> str:
    """How a run that was broken off is finished: an import reads its log again, an audit asks on."""
    return f"{'Import the same log again' if from_log else 'Start the same command again'} to finish the run."


def mend_step(counts: PlanCounts, *, from_log: bool) -> str:
    """What to do about failed calls; a log's judge is asked by others, and importing it again changes nothing."""
    if from_log:
        return (
            f"Have the judge answer what the log gives as failed ({integer(counts.errors)} presentations), and import "
            "the new log."
        )
    return "See the first errors in the run's journal, mend their cause and start the same command again."


def failed(scopes: Sequence[Scope], counts: PlanCounts, *, from_log: bool) -> Headline:
    """The headline where nothing that was answered is a verdict."""
    states: dict[str, int] = {}
    for scope in scopes:
        for count in scope.finding.outcomes:
            if count.count and not count.outcome.is_verdict:
                states[count.outcome.value] = states.get(count.outcome.value, 0) + count.count
    ended = (
        f" Readings ended as: {', '.join(f'{integer(n)} {state}' for state, n in states.items())}." if states else ""
    )
    return Headline(
        status="failed",
        verdict="No verdicts were read",
        lead=(
            f"Of {integer(counts.planned)} presentations planned, {integer(counts.errors)} ended in an error and "
            f"{integer(counts.pending)} are still to be asked; no figure can be given.{ended}"
        ),
        rests_on=_OUTCOMES,
        doubt=claims([_NOTHING], *_OUTCOMES),
        steps=claims(
            [
                mend_step(counts, from_log=from_log)
                if counts.errors
                else finish_step(from_log=from_log)
                if counts.pending
                else "Look at the raw answers: they hold no decision that our patterns know."
            ],
            *_OUTCOMES,
        ),
    )
