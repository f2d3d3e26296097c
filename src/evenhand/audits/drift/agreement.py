"""Old and new verdicts in the same order: how many agree, which changed, and how many change without any drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import OUTCOMES, TIE, Codes, Scope
from evenhand.records import Order
from evenhand.stats import Estimate, Refusal

__all__ = ["Agreement", "ChangeKind", "ChangedVerdict", "agreement", "changed_verdicts"]

NO_REPEATS = "neither run repeated a presentation in its own order (evenhand audit --repeat): noise was not measured"
ONE_REPEATED = "only the {which} run repeated presentations: the noise of both is needed (evenhand audit --repeat)"


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
        On pairs that both runs repeated, order AB: share turned between the runs minus the mean of the two runs' shares
        turned within. Above 0 the runs differ by more than noise.
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
            changed=np.stack([old.repeat_changed[i], new.repeat_changed[j]], axis=1),
            compared=np.stack([old.repeat_compared[i], new.repeat_compared[j]], axis=1),
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
    """Turned between the runs minus the mean of turned within either, each pair weighing the same in both.

    With chances p and q of preferring A in the two runs, a pair turns between them with p(1 - q) + q(1 - p), and within
    them with 2p(1 - p) and 2q(1 - q). The first less the mean of the others is (p - q)². Less one of them alone it is
    (q - p)(1 - 2p), which may well be below 0 where the judges differ: so one run's repeats are not enough.

    Parameters
    ----------
    changed, compared
        Repeats that differ from the first answer, and all; shape (n, 2): of the old run, of the new one.
    """
    of_old, of_new = (bool(compared[:, run].any()) for run in (0, 1))
    if not (of_old or of_new):
        return Refusal(reason=NO_REPEATS, n=0)
    if not (of_old and of_new):
        return Refusal(reason=ONE_REPEATED.format(which="old" if of_old else "new"), n=0)
    both = decided & (compared > 0).all(axis=1)
    within = np.divide(changed, compared, out=np.zeros(compared.shape), where=compared > 0).mean(axis=1)
    ones = both.astype(np.int64)
    return sampler.difference(
        "turned_beyond_repeat",
        ((turned & both).astype(np.int64), ones),
        (np.where(both, within, 0.0), ones),
        pairs=pairs,
        nothing="needs a pair that both runs repeated and decided in order AB, has none",
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
