"""Interaction: whether position, length and endorsement, all in favour of one response, do more than each by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure, OutcomeCount
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.sentences import of
from evenhand.analysis.wide import OUTCOMES
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.contrast import SCORED
from evenhand.audits.bias.control import changed_id, controls
from evenhand.audits.bias.factorial import Factorial, design, factorial_of
from evenhand.audits.bias.interaction_model import fit_interactions, interaction_measures, joint_test
from evenhand.records import Order, Readout
from evenhand.stats import Refusal, TestResult, sign_flip_test

__all__ = ["SUBSET", "InteractionAudit"]

SUBSET: Final = "order x padding=redundant x endorsement=user"
_NOTHING: Final = (
    "needs a pair with a verdict in both orders without any change, under each change alone for A and for B, and with "
    "everything in favour of A and of B, has none"
)
_SHIFTS: Final = ("joint_shift", "slot_shift", "length_shift", "endorsement_shift", "excess_shift")
_SHARES: Final = (
    "Shifts are of the favoured response's share of the verdicts, from an even one, a tie being half of one each; they "
    "can't pass 50 points, so that large biases must fall short of their sum. See the log-odds for a scale without "
    "such an end."
)
_MARGINAL: Final = (
    "The logistic model describes shares over all pairs: where pairs differ much in how close they are, biases that "
    "simply add up in each pair's log-odds can show small interactions here."
)
_A, _NONE, _B = 2, 1, 0
"""Index of a response on the axes of the design."""
_AB, _BA = 0, 1


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
    complete = np.asarray(_needed(made.verdict).all(axis=1), dtype=np.bool_)
    fit = fit_interactions(made, here)
    measures = [*_shares(made, complete, here), *interaction_measures(fit)]
    if readout in SCORED:
        measures.append(_log_odds(made, here))
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
        tests=(*_test(made, complete, here), *joint_test(fit)),
        table=(
            ("pairs of the control", int(made.pairs.size)),
            ("pairs in the shifts", int(np.count_nonzero(complete))),
            ("presentations with a verdict", int(np.count_nonzero(made.verdict))),
            ("presentations in the logistic model", decided),
        ),
        notes=tuple(_notes(data, control, made, complete)),
    )


def _parts(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Joint, slot, length and endorsement: favouring A minus favouring B; shape (pairs, 4).

    Parameters
    ----------
    values
        Shape (pairs, 3, 3, 2), of A over B. Length and endorsement alone are averaged over the two orders.
    """
    return np.column_stack(
        [
            values[:, _A, _A, _AB] - values[:, _B, _B, _BA],
            values[:, _NONE, _NONE, _AB] - values[:, _NONE, _NONE, _BA],
            (values[:, _A, _NONE] - values[:, _B, _NONE]).mean(axis=1),
            (values[:, _NONE, _A] - values[:, _NONE, _B]).mean(axis=1),
        ]
    )


def _needed(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each presentation that :func:`_parts` takes is known; shape (pairs, 12)."""
    alone = [known[:, i, j] for i, j in ((_NONE, _NONE), (_A, _NONE), (_B, _NONE), (_NONE, _A), (_NONE, _B))]
    return np.column_stack([known[:, _A, _A, _AB], known[:, _B, _B, _BA], *alone])


def _shares(made: Factorial, complete: NDArray[np.bool_], sampler: Sampler) -> Iterator[Measure]:
    """The shifts of the favoured response's share; the favoured one is A and B in turn, so that ``parts`` is halved.

    A standing of -1 to 1 has twice the width of a share: that halves it once more.
    """
    parts = _parts(made.stood[complete].astype(np.float64)) / 4
    columns = [*parts.T, parts[:, 0] - parts[:, 1:].sum(axis=1)]
    for name, values in zip(_SHIFTS, columns, strict=True):
        limit = 0.5 if name != "excess_shift" else 2.0
        yield sampler.mean(name, values, pairs=made.pairs[complete], nothing=_NOTHING, limits=(-limit, limit))


def _log_odds(made: Factorial, sampler: Sampler) -> Measure:
    known = _needed(np.isfinite(made.log_odds)).all(axis=1)
    parts = _parts(made.log_odds[known]) / 2
    return sampler.mean(
        "excess_log_odds",
        parts[:, 0] - parts[:, 1:].sum(axis=1),
        pairs=made.pairs[known],
        nothing=_NOTHING.replace("a verdict", "log-odds"),
    )


def _test(made: Factorial, complete: NDArray[np.bool_], sampler: Sampler) -> tuple[TestResult, ...]:
    """Signs of whole clusters' excess. Doubled, so that it is in whole numbers and the test exact."""
    parts = np.rint(2 * _parts(made.stood[complete].astype(np.float64)))
    excess = parts[:, 0] - parts[:, 1:].sum(axis=1)
    if not excess.any():
        return ()
    test = sign_flip_test(excess, sampler.clusters[made.pairs[complete]], rng=sampler.stream("excess signs"))
    return (replace(test, name=f"{test.name}, excess of the joint shift over the sum of the separate ones"),)


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
    yield _MARGINAL
