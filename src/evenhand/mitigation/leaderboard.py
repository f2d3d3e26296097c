"""What position bias does to a leaderboard: the same verdicts ranked from one order, from both, conflicts as ties.

Every view ranks the same pairs, those with a verdict in both orders, so that a change of ranks is of the order alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import Scope
from evenhand.mitigation.leaderboard_cells import Cells, Comparisons, Numbers, Replicates, View, enter, resample
from evenhand.mitigation.ranking import Model, Strengths, has_slot, ranks
from evenhand.stats import Estimate, Interval, Refusal, TestResult
from evenhand.stats.clusters import cluster_flags

__all__ = ["Leaderboard", "LeaderboardAudit", "RankChange", "Standing", "View", "audit_leaderboard"]

_RANKS: Final = "percentile cluster bootstrap of ranks"
_UNCONNECTED: Final = "some player or group won or lost every comparison: strengths have no finite size"
_AGREE: Final = "all resamples agree: no interval"
_NO_SLOT: Final = (
    "order AB never shows the players in exchanged slots: the slot's advantage can't be told from their strengths"
)
_NO_END: Final = "the judge, or one of the players, is as good as certain: the slot's advantage has no finite size"
_PERCENTILE: Final = "percentile cluster bootstrap"
_MOST_UNDEFINED: Final = 0.05
"""Share of resamples that say nothing of a figure above which it is refused, as everywhere here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One player's place.

    Attributes
    ----------
    rank
        1 is best, with the interval of its ranks over resampled clusters.
    strength
        Natural log strength, centred at 0 over the players.
    points
        Share of its comparisons won, a tie as half a win (the convention of leaderboards).
    comparisons
        Pairs it took part in.
    """

    player: str
    rank: Estimate | Refusal
    strength: Estimate | Refusal
    points: Estimate | Refusal
    comparisons: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """One view's standings, best first.

    Attributes
    ----------
    slot
        Log-odds that the first slot adds, in the view that estimates it.
    agreement
        Kendall's tau-b of its strengths with those of both orders; None for that view itself.
    same_top
        Share of resamples in which it has the same first place as both orders; None likewise.
    refused
        Why the view can't be made; it has no standings then.
    """

    view: View
    standings: tuple[Standing, ...]
    slot: Estimate | Refusal | None = None
    agreement: Estimate | Refusal | None = None
    same_top: float | None = None
    refused: Refusal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChange:
    """A player's rank in a view minus its rank over both orders: above 0, the view ranks it too low.

    Attributes
    ----------
    test
        Of no difference, from the share of resamples on either side of 0; not adjusted over players and views. None
        where the difference is refused.
    """

    view: View
    player: str
    difference: Estimate | Refusal
    test: TestResult | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardAudit:
    """All views of one condition and readout.

    Attributes
    ----------
    pairs, left_out
        Pairs that enter every view, and (reason, pairs) of the others.
    first_shown
        Per player, share of its pairs in which order AB shows it first: where these differ, one order alone favours
        whom it shows first.
    """

    condition: str
    readout: str
    model: Model
    pairs: int
    clusters: int
    left_out: tuple[tuple[str, int], ...]
    boards: tuple[Leaderboard, ...]
    changes: tuple[RankChange, ...]
    first_shown: tuple[tuple[str, float], ...]


def audit_leaderboard(
    scope: Scope,
    *,
    ids: Sequence[str],
    authors: Mapping[str, tuple[str | None, str | None]],
    clusters: NDArray[np.int64],
    rng: np.random.Generator,
    model: Model = Model.DAVIDSON,
    resamples: int = 1000,
    level: float = 0.95,
    progress: Callable[[int, int], None] | None = None,
) -> LeaderboardAudit | Refusal:
    """Rank the authors of the responses by a judge's verdicts, in every view.

    Parameters
    ----------
    scope
        The verdicts of one condition under one readout.
    ids
        Pair ids, indexed by ``scope.pairs``.
    authors
        (author of A, author of B) of each pair id.
    clusters
        Cluster code of each pair of the whole table.
    model
        Of all views but the one that removes the slot.
    progress
        Told (resamples done, resamples in all).

    Returns
    -------
    LeaderboardAudit or Refusal
        Refused with fewer than 2 authors, 10 pairs or 5 clusters.

    References
    ----------
    Percentile ranks as in Chatbot Arena (Chiang et al. 2024, arXiv:2403.04132). Near equal players have rank intervals
    that are too narrow: Xie, Singh & Zhang (2009), https://doi.org/10.1198/jasa.2009.0142.
    """
    data, left_out = enter(scope, ids=ids, authors=authors, clusters=clusters)
    if isinstance(data, Refusal):
        return data
    cells = Cells.of(data)
    totals = cells.totals(data)
    point = {view: cells.fit(totals.sum(axis=0), view, model) for view in View}
    drawn = resample(cells, totals, model=model, rng=rng, resamples=resamples, progress=progress)
    boards = tuple(_board(data, cells, totals, view, point, drawn, level=level) for view in View)
    made = {board.view for board in boards if board.refused is None}
    return LeaderboardAudit(
        condition=scope.condition,
        readout=scope.readout.value,
        model=model,
        pairs=len(data.a),
        clusters=data.clusters,
        left_out=left_out,
        boards=boards,
        changes=tuple(c for c in _changes(data, point, drawn, level=level) if c.view in made),
        first_shown=_first_shown(data),
    )


def _board(
    data: Comparisons,
    cells: Cells,
    totals: Numbers,
    view: View,
    point: Mapping[View, Strengths],
    drawn: Replicates,
    *,
    level: float,
) -> Leaderboard:
    sums = totals.sum(axis=0)
    if view is View.SLOT_REMOVED and not has_slot(cells.games(sums, view)):
        return Leaderboard(view=view, standings=(), refused=Refusal(reason=_NO_SLOT, n=len(data.a)))
    own, places, shares = point[view], ranks(point[view].log), cells.points(sums, view)
    drawn_ranks = drawn.ranks(view)
    strengths = drawn.strengths(view)
    played = np.bincount(np.concatenate([data.a, data.b]), minlength=len(data.players))
    make = _Maker(clusters=data.clusters, level=level)
    standings = [
        Standing(
            player=player,
            rank=make.estimate(float(places[i]), drawn_ranks[:, i], n=int(played[i]), method=_RANKS),
            strength=make.estimate(float(own.log[i]), strengths[:, i], n=int(played[i]))
            if own.finite
            else Refusal(reason=_UNCONNECTED, n=int(played[i])),
            points=make.estimate(float(shares[i]), drawn.points[view][:, i], n=int(played[i])),
            comparisons=int(played[i]),
        )
        for i, player in enumerate(data.players)
    ]
    standings.sort(key=lambda standing: (places[data.players.index(standing.player)], standing.player))
    reference = view is View.SWAPPED
    return Leaderboard(
        view=view,
        standings=tuple(standings),
        slot=_slot(own, drawn, make, n=len(data.a)),
        agreement=None if reference else _agreement(point, drawn, view, make, n=len(data.a)),
        same_top=None if reference else _same_top(drawn, view),
    )


def _slot(own: Strengths, drawn: Replicates, make: _Maker, *, n: int) -> Estimate | Refusal | None:
    if own.slot is None:
        return None
    return make.estimate(own.slot, drawn.slot, n=n) if own.finite else Refusal(reason=_NO_END, n=n)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Maker:
    clusters: int
    level: float

    def estimate(self, value: float, replicates: Numbers, *, n: int, method: str = _PERCENTILE) -> Estimate | Refusal:
        """A percentile interval; none, and flagged, where all resamples agree on a figure that is not a rank.

        Refused where more than 5 % of the resamples say nothing of it, such as of a player in few comparisons.
        """
        finite = replicates[np.isfinite(replicates)]
        lost = 1 - finite.size / replicates.size
        if lost > _MOST_UNDEFINED:
            return Refusal(reason=f"undefined in {lost * 100:.0f} % of the resamples", n=n)
        flags = cluster_flags(self.clusters)
        if lost:
            flags += (f"undefined in {lost * 100:.1f} % of the resamples, which are left out",)
        tail = (1 - self.level) / 2
        whole = method == _RANKS
        low, high = np.quantile(finite, [tail, 1 - tail], method="inverted_cdf" if whole else "linear")
        interval = Interval(low=float(low), high=float(high), level=self.level, method=method)
        if not whole and high - low < 1e-12:
            return Estimate(
                value=value,
                interval=None,
                n=n,
                clusters=self.clusters,
                flags=(*flags, _AGREE),
            )
        return Estimate(value=value, interval=interval, n=n, clusters=self.clusters, flags=flags)


def _agreement(
    point: Mapping[View, Strengths], drawn: Replicates, view: View, make: _Maker, *, n: int
) -> Estimate | Refusal:
    found = _tau(point[view].log[None, :], point[View.SWAPPED].log[None, :])
    value = float(found[0])
    if not np.isfinite(value):
        return Refusal(reason="all players are equal in one of the two", n=n)
    return make.estimate(value, _tau(drawn.log[view], drawn.log[View.SWAPPED]), n=n)


def _tau(first: Numbers, second: Numbers) -> Numbers:
    """Kendall's tau-b of each row, shape (rows,); NaN where a row has nothing but equals."""
    i, j = np.triu_indices(first.shape[1], k=1)
    x, y = (np.sign(np.round(rows[:, i] - rows[:, j], 6)) for rows in (first, second))
    scale = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    tau: Numbers = np.divide((x * y).sum(axis=1), scale, out=np.full(len(x), np.nan), where=scale > 0)
    return tau


def _same_top(drawn: Replicates, view: View) -> float:
    """The same first place, or the same players that share it."""
    own, both = (np.array([ranks(row) for row in drawn.log[each]]) == 1 for each in (view, View.SWAPPED))
    return float(np.mean((own == both).all(axis=1)))


def _changes(
    data: Comparisons, point: Mapping[View, Strengths], drawn: Replicates, *, level: float
) -> list[RankChange]:
    make = _Maker(clusters=data.clusters, level=level)
    reference, reference_drawn = ranks(point[View.SWAPPED].log), drawn.ranks(View.SWAPPED)
    found = []
    for view in View:
        if view is View.SWAPPED:
            continue
        places, apart = ranks(point[view].log), drawn.ranks(view) - reference_drawn
        for i, player in enumerate(data.players):
            difference = make.estimate(float(places[i] - reference[i]), apart[:, i], n=len(data.a), method=_RANKS)
            test = _side_test(apart[:, i], clusters=data.clusters) if isinstance(difference, Estimate) else None
            found.append(RankChange(view=view, player=player, difference=difference, test=test))
    return found


def _side_test(replicates: Numbers, *, clusters: int) -> TestResult:
    """Twice the smaller share of resamples at 0 or beyond it, itself counted among them, so that it is never 0."""
    told = replicates[np.isfinite(replicates)]
    least = min(int(np.count_nonzero(told <= 0)), int(np.count_nonzero(told >= 0)))
    p = min(1.0, 2 * (least + 1) / (told.size + 1))
    name = f"cluster bootstrap of the rank difference, {told.size:,} resamples"
    return TestResult(name=name, p_value=p, log10_p=log10(p), n=clusters)


def _first_shown(data: Comparisons) -> tuple[tuple[str, float], ...]:
    first = np.bincount(data.a, minlength=len(data.players))
    played = first + np.bincount(data.b, minlength=len(data.players))
    return tuple((player, float(first[i] / played[i])) for i, player in enumerate(data.players))
