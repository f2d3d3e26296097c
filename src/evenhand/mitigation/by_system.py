"""Length control for every two systems whose responses a judge compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.fractional_logit import logistic
from evenhand.mitigation.judged import NONE, TIE, A, Floats, JudgedPairs
from evenhand.mitigation.length_control import LengthControlled, length_controlled_win_rate
from evenhand.stats import Refusal

__all__ = ["SystemComparison", "length_control_by_systems", "preference_for_a"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemComparison:
    """One system against another, by one judge.

    Attributes
    ----------
    left_out
        Comparisons of the two without a verdict in every order that was asked.
    """

    judge: str
    system: str
    other: str
    found: LengthControlled | Refusal
    left_out: int


def length_control_by_systems(pairs: JudgedPairs, *, sampler: Sampler) -> tuple[SystemComparison, ...] | Refusal:
    """Length-controlled win rates of every two systems, the first by name in the alphabet being "the system".

    A comparison counts as far as its system is preferred: by the labels' probabilities where the readout gives them,
    else 1, 1/2 for a tie, 0; averaged over the orders asked, so that no slot is favoured.

    Returns
    -------
    tuple of SystemComparison, or Refusal
        Refused where no pair says who wrote its two responses, or the texts aren't kept.
    """
    if not np.isfinite(pairs.length_a).any():
        return Refusal(reason="needs the texts of the responses, which this run doesn't keep", n=0)
    places: dict[tuple[str, str], list[int]] = {}
    for row, (a, b) in enumerate(pairs.authors):
        if a is not None and b is not None and a != b and pairs.asked[row].any():
            places.setdefault((min(a, b), max(a, b)), []).append(row)
    if not places:
        return Refusal(reason="no pair says which systems wrote its two responses (author_a, author_b)", n=0)
    for_a, label_a = preference_for_a(pairs), _of_codes(pairs.gold)
    difference = pairs.length_a - pairs.length_b
    found = []
    for (system, other), listed in sorted(places.items()):
        rows = np.array(listed)
        is_a = np.array([pairs.authors[row][0] == system for row in listed])
        usable = np.isfinite(for_a[rows]) & np.isfinite(difference[rows])
        rows, is_a = rows[usable], is_a[usable]
        label = np.where(is_a, label_a[rows], 1 - label_a[rows])
        own = sampler.within(*sampler.scope, system, other)
        found.append(
            SystemComparison(
                judge=pairs.judge,
                system=system,
                other=other,
                found=length_controlled_win_rate(
                    np.where(is_a, for_a[rows], 1 - for_a[rows]),
                    np.where(is_a, difference[rows], -difference[rows]),
                    sampler.clusters[rows],
                    labels=label,
                    rng=own.stream("length control"),
                    resamples=sampler.resamples,
                    level=sampler.level,
                ),
                left_out=int((~usable).sum()),
            )
        )
    return tuple(found)


def preference_for_a(pairs: JudgedPairs) -> Floats:
    """How far A is preferred, 0 to 1, shape (n,): the mean over the orders asked; NaN where one of them has no verdict.

    Examples
    --------
    >>> from evenhand.mitigation.examples import judged
    >>> preference_for_a(judged(["AA", "AB", "BT", "A.", "A-"], gold=".....")).tolist()
    [1.0, 0.5, 0.25, 1.0, nan]
    """
    by_order = np.where(
        np.isfinite(pairs.log_odds), logistic(np.nan_to_num(pairs.log_odds)), _of_codes(pairs.preference)
    )
    has = pairs.asked & (pairs.preference != NONE)
    complete = (has == pairs.asked).all(axis=1) & pairs.asked.any(axis=1)
    total = np.where(has, np.nan_to_num(by_order), 0.0).sum(axis=1)
    return np.where(complete, total / np.maximum(pairs.asked.sum(axis=1), 1), np.nan)


def _of_codes(codes: np.ndarray) -> Floats:
    value = np.where(codes == A, 1.0, np.where(codes == TIE, 0.5, 0.0))
    return np.where(codes == NONE, np.nan, value)
