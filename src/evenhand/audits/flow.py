"""From what a judge led with to what it concluded, and what each pair chose in both orders: counts alone."""

from __future__ import annotations

import numpy as np

from evenhand.analysis.displays import Flow, FlowCell, Lead, SwapTable
from evenhand.analysis.scope import ABSENT, FIRST, OUTCOMES, SECOND, TIE, Booleans, Scope
from evenhand.records import Order, Readout

__all__ = ["flow_of", "swap_table_of"]

_LEADS = tuple(Lead)
_OF_OUTCOME = {FIRST: Lead.FIRST, SECOND: Lead.SECOND, TIE: Lead.TIE}


def flow_of(scope: Scope, *, sampled: bool = False) -> Flow | None:
    """Count a generated readout's presentations by first token and outcome; None where no first token is known.

    Examples
    --------
    >>> from evenhand.analysis.wide import widen
    >>> from evenhand.records import Outcome, Verdict, verdict_table
    >>> row = dict(pair_id="p", group="g", source="s", gold=None, condition="c", readout=Readout.GENERATED, repeat=0,
    ...            compliant=True, lead=Outcome.FIRST)
    >>> rows = [Verdict(**row, order=Order.AB, outcome=Outcome.FIRST),
    ...         Verdict(**row, order=Order.BA, outcome=Outcome.SECOND)]
    >>> flow = flow_of(widen(verdict_table(rows)).scopes[0])
    >>> flow.led, flow.diverged
    (2, 1)
    """
    if scope.readout is not Readout.GENERATED or not (scope.asked & (scope.compliant != ABSENT)).any():
        return None
    lead = np.full(scope.outcome.shape, _LEADS.index(Lead.UNKNOWN), dtype=np.int64)
    lead[scope.compliant == 0] = _LEADS.index(Lead.OTHER)
    for code, name in _OF_OUTCOME.items():
        lead[(scope.compliant == 1) & (scope.lead == code)] = _LEADS.index(name)
    shape = (len(tuple(Order)), len(_LEADS), len(OUTCOMES))
    counts = np.zeros(shape, dtype=np.int64)
    for column in range(shape[0]):
        asked = scope.asked[:, column]
        cell = lead[asked, column] * shape[2] + scope.outcome[asked, column]
        counts[column] = np.bincount(cell, minlength=shape[1] * shape[2]).reshape(shape[1:])
    return Flow(
        condition=scope.condition,
        readout=scope.readout,
        cells=tuple(
            FlowCell(order=order, lead=name, conclusion=outcome, count=int(counts[o, i, j]))
            for o, order in enumerate(Order)
            for i, name in enumerate(_LEADS)
            for j, outcome in enumerate(OUTCOMES)
            if counts[o, i, j]
        ),
        sampled=sampled,
    )


def swap_table_of(scope: Scope, *, sampled: bool = False) -> SwapTable | None:
    """Count a scope's pairs by their two verdicts; None where no pair was asked in both orders."""
    if scope.single_order:
        return None
    ab, ba = scope.outcome[:, 0], scope.outcome[:, 1]
    both = scope.asked.all(axis=1)

    def count(which: Booleans | np.bool_) -> int:
        return int(np.count_nonzero(which))

    return SwapTable(
        condition=scope.condition,
        readout=scope.readout,
        both_a=count((ab == FIRST) & (ba == SECOND)),
        both_b=count((ab == SECOND) & (ba == FIRST)),
        first_twice=count((ab == FIRST) & (ba == FIRST)),
        second_twice=count((ab == SECOND) & (ba == SECOND)),
        with_tie=count(scope.verdict_both & ((ab == TIE) | (ba == TIE))),
        undecided=count(both & ~scope.verdict_both),
        one_order=count(~both),
        sampled=sampled,
    )
