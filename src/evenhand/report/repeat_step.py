"""How many pairs to ask again, what that would tell and what it costs; or that more pairs come first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from evenhand.records import Readout
from evenhand.report.format import integer, is_shown, percent
from evenhand.report.phrases import told_readouts, too_few_clusters
from evenhand.report.scope import Scope
from evenhand.report.trust import NEGLIGIBLE
from evenhand.stats import Estimate, clopper_pearson
from evenhand.store import PlanCounts

__all__ = ["Repeats", "repeat_step", "repeats_of"]

_FEW: Final = 30
"""Clusters below which intervals are flagged (evenhand.stats): the same few asked again say less than others would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """A control that would tell order from noise.

    Attributes
    ----------
    pairs
        How many to ask again.
    below
        The noise that is shown not to be exceeded where none of them changes: the high end of its 95 % interval.
    calls
        About how many calls that is.
    flips
        The flip rate that the noise is to be told from; None where none is known or it is negligible.
    enough
        Whether the run's pairs are enough for that; else ``pairs`` is all of them.
    exact
        Whether ``below`` is sure to come out so. Where pairs share clusters, or some are undecided, those that are
        drawn to be asked again may hold a few clusters less than the same share of all would.
    clusters
        The fewest that entered a flip rate: fewer than the pairs where these share questions, where some are undecided,
        or where texts were asked for of a part only.
    """

    pairs: int
    below: float
    calls: int
    flips: float | None
    enough: bool
    exact: bool
    clusters: int


def repeats_of(scopes: Sequence[Scope]) -> Repeats | None:
    """The fewest repeats that can show a noise below half the flip rate or what is negligible.

    None without pairs, and where every flip rate is refused for want of clusters: that of the repeats would be too.

    Where none of k clusters changed, the noise is at most ``1 - .025 ** (1 / k)`` (Clopper and Pearson's limit, which a
    report would print). Several pairs of one cluster count as one, so that more pairs are asked.

    Examples
    --------
    72 pairs show a noise below 5 %: the upper limit of 0 of 72 is 4.99 %.

    >>> round(1 - 0.025 ** (1 / 72), 4), round(1 - 0.025 ** (1 / 71), 4)
    (0.0499, 0.0506)
    """
    told = [s for s in scopes if s.readout in told_readouts(scopes)]
    pairs = max((s.finding.pairs for s in told), default=0)
    if not pairs or too_few_clusters([s.flips for s in told]):
        return None
    known = [e for s in told if isinstance(e := s.flips, Estimate) and is_shown(e)]
    clusters = min((e.clusters for e in known if e.clusters), default=pairs)
    clusters = min(clusters, pairs)
    most = max((e.value for e in known), default=0.0)
    limit = max(NEGLIGIBLE, most / 2)
    needed = math.ceil(math.log(0.025) / math.log(1 - limit))
    enough = clusters >= max(needed, _FEW)
    asked = min(pairs, math.ceil(needed * pairs / clusters)) if enough else pairs
    return Repeats(
        pairs=asked,
        below=clopper_pearson(0, needed if enough else clusters).high,
        calls=asked * _ways(scopes),
        flips=most if most / 2 > NEGLIGIBLE else None,
        enough=enough,
        exact=clusters == pairs,
        clusters=clusters,
    )


def _ways(scopes: Sequence[Scope]) -> int:
    """In how many ways a pair is asked again: under each condition, with and without what is put into its mouth."""
    own = (Readout.PREFILLED, Readout.CONSTRAINED)
    return len({(s.condition, s.readout if s.readout in own else None) for s in scopes})


def repeat_step(scopes: Sequence[Scope], counts: PlanCounts, *, from_log: bool, more_pairs: bool) -> list[str]:
    """The step that would tell order from noise; nothing where an earlier step asks for more pairs anyway.

    Parameters
    ----------
    more_pairs
        Whether a step before this one says to judge more pairs.
    """
    found = repeats_of(scopes)
    if found is None:
        return []
    if not found.enough:
        if more_pairs:
            return []
        entered = "" if found.exact else f" ({integer(found.clusters)} clusters of them entered the flip rate)"
        return [
            f"Judge more pairs before asking any again: noise that could hide in {integer(found.pairs)} pairs{entered} "
            f"is up to {percent(found.below)}, even if none of them changed."
        ]
    below = f"{'' if found.exact else 'about '}{percent(found.below)}"
    half = "" if found.flips is None else f", less than half the {percent(found.flips)} that flip"
    if from_log:
        return [
            f"To tell order from noise, have the same judge answer {integer(found.pairs)} pairs again in the same "
            f"order: if none changes, noise is below {below}{half}."
        ]
    return [
        f"Add --repeat {found.pairs} to tell order from noise: about {integer(found.calls)} calls more than the "
        f"{integer(counts.planned)} of this run; if none changes, noise is below {below}{half}."
    ]
