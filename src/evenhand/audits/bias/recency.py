"""Recency: whether the later turn of a conversation weighs more than the earlier one.

:mod:`evenhand.perturbations.recency` makes two conversations of each pair that differ by the order of their turns
alone. Under ``late:A`` the second turn holds A's better answer and B's worse one, under ``late:B`` it is the first. The
two are compared with each other; the pair as it is, a conversation of one turn, is no control.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import PairFacts, Scope
from evenhand.analysis.sentences import of
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.contrast import SCORED, changed_outcomes, unasked, what_was_not_compared
from evenhand.audits.bias.contrast_measures import Counts, by_slot, log_odds, turned, turned_test
from evenhand.audits.bias.control import Cells, Comparison, Side, cells_of, changed_id, controls
from evenhand.audits.bias.levels import Factored, plan_levels
from evenhand.audits.bias.noise import repeats_of
from evenhand.records import Change, Preference, Readout
from evenhand.stats import Estimate

__all__ = ["LEAST_ACCURACY", "SUBSET", "RecencyAudit"]

SUBSET: Final = "recency=late:A against recency=late:B"
LEAST_ACCURACY: Final = 0.6
"""What the control's accuracy must be above, its whole interval, before a small net shift says that turns weigh alike.
A judge that looks at the last turn alone is right about it as often as it is right at all. At an accuracy of .6 its
net shift is 2 (.6 - .5) = .2, four times the usual tolerance of .05; at .52 it is .04, within the tolerance."""
_LATE: Final[Factored] = ("recency", "late")
_A, _B = (tuple(Preference).index(target) for target in (Preference.A, Preference.B))
_REACH: Final = (
    "A judge that looks at the last turn alone prefers the late side about as often as it tells better from worse at "
    "all: read the share of verdicts for the late side between .5 and the control's accuracy, not between .5 and 1."
)
_BLIND: Final = (
    f"The control's accuracy isn't shown to be above {100 * LEAST_ACCURACY:.0f} %: a judge that hardly tells better "
    "from worse has a small net shift even where it looks at the last turn alone: a small one doesn't rule recency out."
)
_TWO: Final = (
    "With the change means that A's better answer comes late, without it that B's does: a verdict that turned toward "
    "the target went to A under the first and not under the second. Chance turns verdicts both ways: it makes no net "
    "shift."
)


@dataclass(frozen=True, slots=True)
class RecencyAudit:
    """Verdicts on two conversations of even worth, the one with its better answer late and the other early."""

    name: str = "recency"
    question: str = "Does the judge prefer the conversation whose better answer comes last?"
    needs: str = (
        "Pairs of at least two questions with a gold side each, and verdicts on both orders of the turns, on the same "
        "pairs in the same orders of the responses."
    )

    def plan(self, supplied: frozenset[Factored]) -> tuple[Changes, ...]:  # noqa: ARG002 - of whole pairs: no rewrites
        """Both orders of the turns."""
        return plan_levels((_LATE,), frozenset())

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """The two orders of the turns against each other, for each control and readout."""
        found = [
            _finding(data, comparison, readout, sampler)
            for comparison in _comparisons(data)
            for readout in Readout
            if data.wide.find(comparison.control, readout) is not None
        ]
        return tuple(found) or (unasked(self.name, "recency=late:A and recency=late:B"),)


def _comparisons(data: BiasData) -> Iterator[Comparison]:
    factor, level = _LATE
    for control in controls(data):
        late = [
            changed_id(data, control.id, (Change(factor=factor, level=level, target=target),))
            for target in (Preference.A, Preference.B)
        ]
        if late[0] is not None and late[1] is not None:
            side = Side(target=Preference.A, changed=late[0], baseline=late[1])
            yield Comparison(subset=SUBSET, control=control.id, sides=(side,))


def _finding(data: BiasData, comparison: Comparison, readout: Readout, sampler: Sampler) -> Finding:
    cells = cells_of(data, comparison, readout)
    facts = data.wide.facts
    counts = Counts(
        cells=cells,
        repeats=repeats_of(data, comparison.control, readout, cells.pairs),
        gold=facts.gold[cells.pairs],
        sampler=sampler.within(FindingKind.BIAS, "recency", SUBSET, comparison.control, readout),
        both_targets=False,  # late:A and late:B are compared with each other
    )
    decided = cells.compared & (cells.before != 0) & (cells.after != 0)
    measures = [_late(counts, decided), *turned(counts), *by_slot(counts)]
    accuracy = _control_accuracy(data.wide.find(comparison.control, readout), facts, cells, counts.sampler)
    if readout in SCORED:
        measures.append(log_odds(counts))
    compared = int(np.count_nonzero(cells.compared))
    return Finding(
        kind=FindingKind.BIAS,
        audit="recency",
        condition=comparison.control,
        readout=readout,
        subset=SUBSET,
        pairs=int(np.count_nonzero(cells.compared.any(axis=(1, 2)))),
        presentations=2 * compared,
        outcomes=changed_outcomes(data, comparison, readout),
        measures=(*measures, accuracy),
        tests=turned_test(counts),
        table=_table(cells, decided),
        notes=tuple(_notes(data, comparison, readout, cells, decided, accuracy)),
    )


def _with_late(cells: Cells) -> NDArray[np.int64]:
    """Of the two verdicts of each cell, how many went to the side that was late: A with the change, B without it."""
    late: NDArray[np.int64] = (cells.after == 1).astype(np.int64) + (cells.before == -1)
    return late


def _late(counts: Counts, decided: NDArray[np.bool_]) -> Measure:
    return counts.sampler.rate(
        "late_rate",
        np.where(decided, _with_late(counts.cells), 0).sum(axis=(1, 2)),
        2 * decided.sum(axis=(1, 2), dtype=np.int64),
        pairs=counts.pairs,
        nothing="needs a pair decided under both orders of the turns in the same order of the responses, has none",
    )


def _control_accuracy(scope: Scope | None, facts: PairFacts, cells: Cells, sampler: Sampler) -> Measure:
    """Accuracy of the control on the pairs that are compared, both orders together."""
    nothing = "needs a control verdict on a compared pair with a gold side, has none"
    pairs = cells.pairs[cells.compared.any(axis=(1, 2))]
    if scope is None:
        return sampler.rate("control_accuracy", pairs * 0, pairs * 0, pairs=pairs, nothing=nothing)
    shared, rows, _ = np.intersect1d(scope.pairs, pairs, assume_unique=True, return_indices=True)
    gold = facts.gold[shared][:, None]
    enters = scope.verdict[rows] & ((gold == _A) | (gold == _B))
    right = enters & (scope.preference[rows] == gold)
    return sampler.rate("control_accuracy", right.sum(axis=1), enters.sum(axis=1), pairs=shared, nothing=nothing)


def _table(cells: Cells, decided: NDArray[np.bool_]) -> tuple[tuple[str, int], ...]:
    late = _with_late(cells)
    rows = {
        "presentations asked under both orders of the turns": cells.asked,
        "verdict both times": cells.compared,
        "decided both times": decided,
        "late side both times": decided & (late == 2),
        "early side both times": decided & (late == 0),
        "same response both times": decided & (late == 1),
    }
    return tuple((name, int(np.count_nonzero(where))) for name, where in rows.items())


def _notes(
    data: BiasData,
    comparison: Comparison,
    readout: Readout,
    cells: Cells,
    decided: NDArray[np.bool_],
    accuracy: Measure,
) -> Iterator[str]:
    yield _REACH
    known = accuracy.estimate.interval if isinstance(accuracy.estimate, Estimate) else None
    if known is None or known.low < LEAST_ACCURACY:
        yield _BLIND
    yield _TWO
    yield from what_was_not_compared(data, comparison, readout, cells)
    compared, kept = int(np.count_nonzero(cells.compared)), int(np.count_nonzero(decided))
    if kept < compared:
        share = of(compared - kept, compared, "compared presentations")
        yield f"Not in the share for the late side: {share} with a tie in one of the two verdicts or both."
