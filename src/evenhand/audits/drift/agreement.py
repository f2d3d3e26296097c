"""Old and new verdicts in the same order: how many agree, which changed, and how many change without any drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import OUTCOMES, TIE, Codes, Scope
from evenhand.records import Order
from evenhand.stats import Estimate, Refusal

__all__ = ["Agreement", "ChangeKind", "ChangedVerdict", "agreement", "changed_verdicts"]

NO_REPEATS = "neither run repeated a presentation in its own order (evenhand audit --repeat): noise was not measured"


class ChangeKind(StrEnum):
    """How a presentation's verdict changed, the gravest first."""

    TURNED = "other response"
    """Decided in both runs, for the other response."""
    LOST = "verdict lost"
    GAINED = "verdict gained"
    TIE = "tie or decided"
    """A tie in one of the runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Verdicts of the two runs on the same presentations.

    Attributes
    ----------
    agreement
        Among presentations with a verdict in both runs, share with the same preference (or a tie) in both.
    turned
        Among presentations decided in both runs, share with the other preference.
    repeat_old, repeat_new
        Repeat flip rate of each run on the shared pairs: what asking the same judge again changes.
    turned_beyond_repeat
        On repeated pairs, order AB: share turned between the runs minus share turned within a run. Above 0 the runs
        differ by more than noise.
    """

    agreement: Estimate | Refusal
    turned: Estimate | Refusal
    repeat_old: Estimate | Refusal
    repeat_new: Estimate | Refusal
    turned_beyond_repeat: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedVerdict:
    """One presentation whose outcome isn't the same in both runs."""

    pair_id: str
    order: Order
    old: str
    new: str
    kind: ChangeKind


def agreement(
    old: Scope,
    new: Scope,
    i: NDArray[np.intp],
    j: NDArray[np.intp],
    *,
    pairs: NDArray[np.int64],
    sampler: Sampler,
) -> Agreement:
    """Compare the two scopes' preferences, order by order.

    Parameters
    ----------
    i, j
        Rows of the shared pairs in either scope, shape (n,).
    pairs
        Their index in the whole table.
    """
    apart = old.preference[i] != new.preference[j]
    verdict = old.verdict[i] & new.verdict[j]
    decided = old.decided[i] & new.decided[j]
    turned = decided & apart
    return Agreement(
        agreement=sampler.rate(
            "agreement",
            (verdict & ~apart).sum(axis=1),
            verdict.sum(axis=1),
            pairs=pairs,
            nothing="needs a presentation with a verdict in both runs, has none",
        ).estimate,
        turned=sampler.rate(
            "turned",
            turned.sum(axis=1),
            decided.sum(axis=1),
            pairs=pairs,
            nothing="needs a presentation decided in both runs, has none",
        ).estimate,
        repeat_old=_repeats(old, i, pairs=pairs, sampler=sampler, which="old"),
        repeat_new=_repeats(new, j, pairs=pairs, sampler=sampler, which="new"),
        turned_beyond_repeat=_beyond(
            turned[:, 0],
            decided[:, 0],
            changed=old.repeat_changed[i] + new.repeat_changed[j],
            compared=old.repeat_compared[i] + new.repeat_compared[j],
            pairs=pairs,
            sampler=sampler,
        ),
    )


def _repeats(
    scope: Scope, rows: NDArray[np.intp], *, pairs: NDArray[np.int64], sampler: Sampler, which: str
) -> Estimate | Refusal:
    return sampler.rate(
        "repeat_flip_rate",
        scope.repeat_changed[rows],
        scope.repeat_compared[rows],
        pairs=pairs,
        nothing=f"the {which} run has no presentation decided both times in the same order",
        stream=f"repeat, {which}",
    ).estimate


def _beyond(
    turned: NDArray[np.bool_],
    decided: NDArray[np.bool_],
    *,
    changed: NDArray[np.int64],
    compared: NDArray[np.int64],
    pairs: NDArray[np.int64],
    sampler: Sampler,
) -> Estimate | Refusal:
    if not compared.any():
        return Refusal(reason=NO_REPEATS, n=0)
    both = decided & (compared > 0)
    return sampler.difference(
        "turned_beyond_repeat",
        ((turned & both).astype(np.int64), both.astype(np.int64)),
        (np.where(both, changed, 0), np.where(both, compared, 0)),
        pairs=pairs,
        nothing="needs a repeated pair that is decided in order AB in both runs, has none",
    ).estimate


def changed_verdicts(
    old: Scope, new: Scope, i: NDArray[np.intp], j: NDArray[np.intp], *, ids: Sequence[str]
) -> tuple[ChangedVerdict, ...]:
    """Every presentation asked in both runs whose outcome differs, the gravest kind first, then by pair id.

    A state that became another state (refused, now truncated) is no change of a verdict and isn't listed.
    """
    before, after = old.outcome[i], new.outcome[j]
    had, has = old.verdict[i], new.verdict[j]
    asked = old.asked[i] & new.asked[j]
    found = np.argwhere(asked & (before != after) & (had | has))
    orders = tuple(Order)
    made = [
        ChangedVerdict(
            pair_id=ids[row],
            order=orders[column],
            old=_name(before, row, column),
            new=_name(after, row, column),
            kind=_kind(before[row, column], after[row, column], had[row, column], has[row, column]),
        )
        for row, column in found.tolist()
    ]
    rank = {kind: place for place, kind in enumerate(ChangeKind)}
    return tuple(sorted(made, key=lambda each: (rank[each.kind], each.pair_id, each.order)))


def _name(codes: Codes, row: int, column: int) -> str:
    return str(OUTCOMES[int(codes[row, column])])


def _kind(before: int, after: int, had: bool, has: bool) -> ChangeKind:
    if had and has:
        return ChangeKind.TIE if TIE in (before, after) else ChangeKind.TURNED
    return ChangeKind.LOST if had else ChangeKind.GAINED
