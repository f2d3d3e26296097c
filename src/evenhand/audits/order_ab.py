"""Order AB alone of a run whose swaps were chosen: what it can tell, and what it can't."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.analysis.finding import Finding, Measure
from evenhand.analysis.scope import ABSENT, Scope, WideTable
from evenhand.analysis.sentences import SINGLE_ORDER, SWAPPED_SELECTIVELY
from evenhand.audits.readout import outcome_counts
from evenhand.stats import Refusal

__all__ = ["AB_ONLY", "order_ab", "without_swap_figures"]

AB_ONLY = "of order AB alone: BA was asked where a flip was likely; for all pairs see the selective estimates"
"""Why a readout's own finding has no figure that needs both orders."""
_NEEDS_BOTH = (
    "compliance_pairs",
    "flip_rate",
    "inconsistency_rate",
    "swap_consistency",
    "first_position_bias_rate",
    "slot_lock_rate",
    "position_bias_strength",
    "accuracy_ba",
    "accuracy_consistent",
)
"""Measures of a readout that would take the pairs asked in both orders for all of them."""


def order_ab(wide: WideTable) -> WideTable:
    """The table as if order AB alone had been asked: every pair is there, and none was chosen."""
    return replace(wide, scopes=tuple(scope for each in wide.scopes if (scope := _order_ab(each)).asked.any()))


def _order_ab(scope: Scope) -> Scope:
    hidden = {}
    for name in ("outcome", "preference", "compliant", "lead", "log_outcome", "generated"):
        values = getattr(scope, name).copy()
        values[:, 1] = ABSENT
        hidden[name] = values
    scores = {}
    for name in ("log_odds", "mass"):
        values = getattr(scope, name).copy()
        values[:, 1] = np.nan
        scores[name] = values
    return replace(scope, **hidden, **scores)


def without_swap_figures(finding: Finding, scope: Scope) -> Finding:
    """A readout's finding on order AB, with a refusal in place of each figure that needs both orders.

    Parameters
    ----------
    scope
        The readout with both orders, for its counts of outcomes.
    """
    refusal = Refusal(reason=AB_ONLY, n=0)
    return replace(
        finding,
        presentations=int(np.count_nonzero(scope.asked)),
        outcomes=outcome_counts(scope),
        measures=(*finding.measures, *(Measure(name=name, estimate=refusal) for name in _NEEDS_BOTH)),
        notes=(SWAPPED_SELECTIVELY, *(note for note in finding.notes if note != SINGLE_ORDER)),
    )
