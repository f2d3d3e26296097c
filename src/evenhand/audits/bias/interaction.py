"""Interaction: whether position, length and endorsement, all in favour of one response, do more than each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure, OutcomeCount
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import OUTCOMES
from evenhand.analysis.sentences import of
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.compounding import complete_pairs, excess_log_odds, excess_test, share_shifts
from evenhand.audits.bias.contrast import SCORED
from evenhand.audits.bias.control import changed_id, controls
from evenhand.audits.bias.factorial import Factorial, design, factorial_of
from evenhand.audits.bias.interaction_model import (
    fit_interactions,
    informative_pairs,
    interaction_measures,
    joint_test,
)
from evenhand.records import Order, Readout
from evenhand.stats import Refusal, Regression, TestResult

__all__ = ["SUBSET", "InteractionAudit"]

SUBSET: Final = "order x padding=redundant x endorsement=user"
_SHARES: Final = (
    "Shifts are of the favoured response's share of the verdicts, from an even one, a tie being half of one each; they "
    "can't pass 50 points, so that large biases must fall short of their sum. See the log-odds for a scale without "
    "such an end."
)


@dataclass(frozen=True, slots=True)
class InteractionAudit:
    """Factorial design order x length x endorsement."""

    name: str = "interaction"
    question: str = "Do the biases for position, length and endorsement compound when they favour the same response?"
    needs: str = (
        "Verdicts in both orders on the same pairs with response A, B or neither padded, and A, B or neither endorsed "
        "by the user, in all nine combinations."
    )

    def plan(self, supplied: frozenset[tuple[str, str]]) -> tuple[Changes, ...]:  # noqa: ARG002 - the rules' design
        """The eight changed conditions."""
        return design()

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """A finding for each control and readout."""
        found = [
            _finding(data, control.id, readout, made, sampler)
            for control in controls(data)
            for readout in Readout
            if (made := factorial_of(data, control.id, readout)) is not None
        ]
        return tuple(found) or (_unasked(self.name),)


def _unasked(audit: str) -> Finding:
    reason = (
        "needs verdicts under padding=redundant and endorsement=user together and their control, has none: ask for the "
        "audit when the judge is run"
    )
    return Finding(
        kind=FindingKind.BIAS,
        audit=audit,
        subset=SUBSET,
        measures=(Measure(name="excess_shift", estimate=Refusal(reason=reason)),),
    )


def _finding(data: BiasData, control: str, readout: Readout, made: Factorial, sampler: Sampler) -> Finding:
    here = sampler.within(FindingKind.BIAS, "interaction", SUBSET, control, readout)
    complete = complete_pairs(made)
    fit = fit_interactions(made, here)
    measures = [*share_shifts(made, here), *interaction_measures(fit)]
    if readout in SCORED:
        measures.append(excess_log_odds(made, here))
    decided = int(np.count_nonzero(made.verdict & (made.stood != 0)))
    return Finding(
        kind=FindingKind.BIAS,
        audit="interaction",
        condition=control,
        readout=readout,
        subset=SUBSET,
        pairs=int(np.count_nonzero(complete)),
        presentations=int(np.count_nonzero(made.verdict)),
        outcomes=_outcomes(data, control, readout),
        measures=tuple(measures),
        tests=_tests(made, fit, here),
        table=(
            ("pairs of the control", int(made.pairs.size)),
            ("pairs in the shifts", int(np.count_nonzero(complete))),
            ("presentations with a verdict", int(np.count_nonzero(made.verdict))),
            ("decided presentations", decided),
            ("pairs in the logistic model", informative_pairs(made)),
        ),
        notes=tuple(_notes(data, control, made, complete)),
    )


def _tests(made: Factorial, fit: Regression | Refusal, sampler: Sampler) -> tuple[TestResult, ...]:
    """Of the excess, and then of all interactions of the model; the second alone would be taken for the first."""
    excess = excess_test(made, sampler)
    return (*excess, *joint_test(fit)) if excess else ()


def _outcomes(data: BiasData, control: str, readout: Readout) -> tuple[OutcomeCount, ...]:
    """States of the presentations of the eight changed conditions."""
    names = [changed_id(data, control, changes) for changes in design()]
    scopes = [data.wide.find(name, readout) for name in names if name is not None]
    return tuple(
        OutcomeCount(
            order=order,
            outcome=outcome,
            count=sum(int(np.count_nonzero(s.outcome[:, column] == code)) for s in scopes if s is not None),
        )
        for column, order in enumerate(Order)
        for code, outcome in enumerate(OUTCOMES)
    )


def _notes(data: BiasData, control: str, made: Factorial, complete: NDArray[np.bool_]) -> Iterator[str]:
    lost = int(np.count_nonzero(~complete))
    if lost:
        yield (
            f"Not in the shifts: {of(lost, int(made.pairs.size), 'pairs')} without a verdict in every presentation "
            "that they compare."
        )
    ties = int(np.count_nonzero(made.verdict & (made.stood == 0)))
    if ties:
        verdicts = int(np.count_nonzero(made.verdict))
        yield f"Not in the logistic model: {of(ties, verdicts, 'presentations with a verdict')} that ended in a tie."
    if made.missing:
        yield f"Cells of the design without any verdict: {', '.join(made.missing)}."
    for changes in design():
        name = changed_id(data, control, changes)
        for reason, pairs in data.left_out.get(name or "", ()):
            yield f"Left out of {' + '.join(change.name for change in changes)}: {pairs:,} pairs ({reason})."
    yield _SHARES
    told = of(informative_pairs(made), int(made.pairs.size), "pairs")
    yield (
        "The logistic model compares presentations of one pair that ended in different preferences; n counts them. "
        f"{told} have any. Its interactions take each change to do the same to every pair's log-odds; of a judge that "
        "hardly wavers (coefficients beyond about 3) they say little."
    )
