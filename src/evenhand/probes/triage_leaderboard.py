"""What selective swapping does to the result: win rates and their order against swapping every pair.

A swapped pair counts for the response that both orders prefer, and half for each where they disagree. A pair that isn't
swapped counts for the response that order AB prefers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import DataError
from evenhand.probes.data import ProbeData
from evenhand.records import Preference
from evenhand.stats import Estimate, Interval, Refusal, bootstrap_of_sums, cluster_difference, cluster_mean

__all__ = [
    "AuthorRow",
    "Authorship",
    "LeaderboardError",
    "Standing",
    "author_rows",
    "authorship",
    "leaderboard_errors",
    "share_for_a",
]

FloatArray = NDArray[np.float64]

_BLOCK = 1 << 22
"""Comparisons of authors held at once: 32 MiB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Authorship:
    """Who wrote the responses.

    Attributes
    ----------
    names
        Authors, ascending.
    a, b
        Index of the author of each pair's response; -1 where unknown. Shape (n,).
    """

    names: tuple[str, ...]
    a: NDArray[np.int64]
    b: NDArray[np.int64]

    @property
    def compared(self) -> NDArray[np.bool_]:
        """Pairs of two known, different authors."""
        return np.asarray((self.a >= 0) & (self.b >= 0) & (self.a != self.b))


def authorship(author_a: Sequence[str | None], author_b: Sequence[str | None]) -> Authorship:
    """Number the authors of pairs, given in the order of the pairs."""
    names = tuple(sorted({name for name in (*author_a, *author_b) if name}))
    index = {name: number for number, name in enumerate(names)}

    def codes(authors: Sequence[str | None]) -> NDArray[np.int64]:
        return np.array([index.get(name or "", -1) for name in authors], dtype=np.int64)

    return Authorship(names=names, a=codes(author_a), b=codes(author_b))


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardError:
    """What one way of judging changes against judging every pair in both orders.

    Attributes
    ----------
    policy
        In words.
    swapped
        Share of the pairs.
    largest_error, mean_error
        Absolute error of the authors' win rates.
    kendall
        Kendall's tau-b of the two orders of the authors: 1 where they agree.
    win_rate_a
        Win rate of the responses named A, less the same under full swapping: the aggregate that there is without
        authors.
    accuracy
        Agreement with gold (half where tied), less the same under full swapping.
    """

    policy: str
    swapped: float
    largest_error: Estimate | Refusal
    mean_error: Estimate | Refusal
    kendall: Estimate | Refusal
    win_rate_a: Estimate | Refusal
    accuracy: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorRow:
    """An author's win rate under full swapping, under a policy, and from order AB alone.

    Attributes
    ----------
    error
        Policy less full swapping.
    """

    author: str
    pairs: int
    full: float
    policy: float
    order_ab: float
    error: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Standing:
    """A way of judging: its words, and which pairs it swaps, or with what chance each, shape (n,)."""

    policy: str
    swapped: NDArray[np.bool_] | FloatArray


def share_for_a(data: ProbeData, swapped: NDArray[np.bool_] | FloatArray) -> FloatArray:
    """What each pair counts for its response A: 1, 0, or one half where it was swapped and flipped.

    Where pairs are swapped by chance, their expectation.
    """
    wins: FloatArray = (data.choice_ab == 0).astype(np.float64)
    return np.where(data.flips, wins + np.asarray(swapped, dtype=np.float64) * (0.5 - wins), wins)


def leaderboard_errors(
    data: ProbeData,
    standings: Sequence[Standing],
    *,
    authors: Authorship,
    gold: Sequence[Preference | None],
    seed: int,
    level: float = 0.95,
    resamples: int = 2000,
) -> tuple[LeaderboardError, ...]:
    """The errors of every way of judging, with intervals over question groups.

    Without two known authors there is no leaderboard: only the aggregates are given, and the reason.

    Raises
    ------
    DataError
        Authors, gold or swapped pairs of another number than the data.
    """
    n = len(data)
    if any(len(rows) != n for rows in (authors.a, authors.b, gold, *(s.swapped for s in standings))):
        raise DataError(f"authors, gold preferences and chosen pairs must each have {n} rows")
    full = share_for_a(data, np.ones(n, dtype=np.bool_))
    made = []
    for standing in standings:
        own = share_for_a(data, standing.swapped)

        board = _Board(data, own, full, authors=authors, seed=seed, level=level, resamples=resamples)
        made.append(
            LeaderboardError(
                policy=standing.policy,
                swapped=float(standing.swapped.mean()) if n else 0.0,
                largest_error=board.error(_largest),
                mean_error=board.error(_mean_size),
                kendall=board.order(),
                win_rate_a=_mean(own - full, data.groups, level=level),
                accuracy=_accuracy(own - full, data.groups, gold, level=level),
            )
        )
    return tuple(made)


def author_rows(
    data: ProbeData, swapped: NDArray[np.bool_], authors: Authorship, *, level: float = 0.95
) -> tuple[AuthorRow, ...]:
    """Win rates by author, best first under full swapping; empty without two known authors."""
    games = _games(authors)
    ways = (np.ones(len(data), dtype=np.bool_), swapped, np.zeros(len(data), dtype=np.bool_))
    full, own, alone = (_wins(share_for_a(data, way), authors) for way in ways)
    rng = np.random.default_rng(0)  # the robust interval draws nothing
    rows = []
    for i, name in enumerate(authors.names):
        played = float(games[i].sum())
        if played:
            row = AuthorRow(
                author=name,
                pairs=int(played),
                full=float(full[i].sum() / played),
                policy=float(own[i].sum() / played),
                order_ab=float(alone[i].sum() / played),
                error=cluster_difference(own[i], games[i], full[i], games[i], data.groups, rng=rng, level=level),
            )
            rows.append(row)
    return tuple(sorted(rows, key=lambda row: (-row.full, row.author)))


def _wins(share: FloatArray, authors: Authorship) -> list[FloatArray]:
    """What each pair counts for each author; 0 where it compares nobody."""
    kept = authors.compared
    return [
        np.where(kept & (authors.a == i), share, 0.0) + np.where(kept & (authors.b == i), 1.0 - share, 0.0)
        for i in range(len(authors.names))
    ]


def _games(authors: Authorship) -> list[FloatArray]:
    kept = authors.compared
    return [(kept & ((authors.a == i) | (authors.b == i))).astype(np.float64) for i in range(len(authors.names))]


_Summary = Callable[[FloatArray], FloatArray]
"""From errors of win rates, shape (m, authors), NaN for an author without a game, to figures of shape (m,)."""


class _Board:
    """Win rates under a way of judging and under full swapping, and their resamples."""

    def __init__(
        self,
        data: ProbeData,
        own: FloatArray,
        full: FloatArray,
        *,
        authors: Authorship,
        seed: int,
        level: float,
        resamples: int,
    ) -> None:
        kept = authors.compared
        self._columns = [c[kept] for c in (*_wins(own, authors), *_wins(full, authors), *_games(authors))]
        self._groups = [group for group, keep in zip(data.groups, kept.tolist(), strict=True) if keep]
        self._count = len(authors.names)
        self._seed, self._level, self._resamples = seed, level, resamples
        self._refusal = None if kept.any() else Refusal(reason="no pair has two known, different authors", n=len(data))

    def _rates(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        games = sums[:, 2 * self._count :]
        with np.errstate(invalid="ignore"):  # an author without a game in a resample has no win rate
            return sums[:, : self._count] / games, sums[:, self._count : 2 * self._count] / games

    def _bootstrap(self, figure: Callable[[FloatArray], FloatArray], *, level: float) -> Estimate | Refusal:
        return bootstrap_of_sums(
            self._columns,
            self._groups,
            figure,
            rng=np.random.default_rng(self._seed),  # the same resamples for every way of judging
            level=level,
            resamples=self._resamples,
        )

    def order(self) -> Estimate | Refusal:
        """Kendall's tau-b of the two orders of the authors."""
        return self._refusal or self._bootstrap(lambda sums: _kendall(*self._rates(sums)), level=self._level)

    def error(self, summary: _Summary) -> Estimate | Refusal:
        """The largest or the mean absolute error, and how far from it the one over all such questions may be.

        Percentiles of an absolute error would lie above it, for noise never makes it smaller than nothing. But no such
        summary differs from the true one by more than that summary of the errors' own deviations, which the bootstrap
        tells.
        """
        if self._refusal is not None:
            return self._refusal
        sums = np.array([[column.sum() for column in self._columns]])
        own, full = self._rates(sums)
        errors = own - full

        def deviation(resampled: FloatArray) -> FloatArray:
            first, second = self._rates(resampled)
            return summary(np.abs(first - second - errors))

        # One-sided at the level: its upper end is that of a two-sided interval at twice the level less 1.
        found = self._bootstrap(deviation, level=max(2 * self._level - 1, 1e-6))
        if isinstance(found, Refusal):
            return found
        value = float(summary(np.abs(errors))[0])
        if found.interval is None:
            return replace(found, value=value)
        reach = found.interval.high
        method = f"{found.interval.method.replace('percentile', 'deviation')}"
        interval = Interval(low=max(0.0, value - reach), high=min(1.0, value + reach), level=self._level, method=method)
        return replace(found, value=value, interval=interval)


def _largest(errors: FloatArray) -> FloatArray:
    return np.asarray(np.nanmax(errors, axis=1))


def _mean_size(errors: FloatArray) -> FloatArray:
    return np.asarray(np.nanmean(errors, axis=1))


def _kendall(own: FloatArray, full: FloatArray) -> FloatArray:
    """Tau-b of the two orders, over authors that have games; NaN where either ties all of them."""
    step = max(1, _BLOCK // max(1, own.shape[1] ** 2))
    taus = []
    for start in range(0, len(own), step):
        x, y = own[start : start + step], full[start : start + step]
        first = np.nan_to_num(np.sign(x[:, :, None] - x[:, None, :]))
        second = np.nan_to_num(np.sign(y[:, :, None] - y[:, None, :]))
        within = (first * second).sum(axis=(1, 2))
        scale = np.sqrt((first**2).sum(axis=(1, 2)) * (second**2).sum(axis=(1, 2)))
        with np.errstate(invalid="ignore", divide="ignore"):
            taus.append(np.where(scale > 0, within / scale, np.nan))
    return np.concatenate(taus)


def _mean(values: FloatArray, groups: Sequence[str], *, level: float) -> Estimate | Refusal:
    return cluster_mean(values, groups, rng=np.random.default_rng(0), level=level)  # the robust interval draws nothing


def _accuracy(
    difference: FloatArray, groups: Sequence[str], gold: Sequence[Preference | None], *, level: float
) -> Estimate | Refusal:
    """A pair's share for A is its agreement with gold where gold is A, and one less it where gold is B."""
    sign = np.array([1.0 if g is Preference.A else -1.0 if g is Preference.B else 0.0 for g in gold])
    known = np.flatnonzero(sign)
    if not known.size:
        return Refusal(reason="no pair has a decided gold preference", n=0)
    return _mean((sign * difference)[known], [groups[i] for i in known.tolist()], level=level)
