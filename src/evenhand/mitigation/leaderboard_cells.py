"""A judge's verdicts as comparisons of players, in every view of a leaderboard, and their resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import Scope
from evenhand.mitigation.ranking import Games, Model, Strengths, fit_strengths, ranks
from evenhand.records import Preference
from evenhand.stats import Refusal

__all__ = ["Cells", "Comparisons", "Numbers", "Replicates", "View", "enter", "resample"]

_FEWEST_PLAYERS: Final = 2
_FEWEST_CLUSTERS: Final = 5
_FEWEST_PAIRS: Final = 10
_BLOCK: Final = 50
"""Resamples whose sums are held at once."""
_A, _B, _TIE = (tuple(Preference).index(p) for p in (Preference.A, Preference.B, Preference.TIE))

Numbers: TypeAlias = NDArray[np.float64]


class View(StrEnum):
    """Which verdicts a leaderboard is made of."""

    AB_ONLY = "AB only"
    BA_ONLY = "BA only"
    SWAPPED = "both orders"
    """Each order counts half."""
    TIE_ON_CONFLICT = "conflicts as ties"
    """One verdict a pair: what both orders prefer, else a tie."""
    SLOT_REMOVED = "AB only, slot removed"
    """One order, with the first slot's advantage estimated and taken out."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Comparisons:
    """Pairs that enter: player codes, preferences per order (columns AB, BA), and clusters 0 … C-1."""

    players: tuple[str, ...]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    preference: NDArray[np.int8]
    cluster: NDArray[np.int64]
    clusters: int


def enter(
    scope: Scope,
    *,
    ids: Sequence[str],
    authors: Mapping[str, tuple[str | None, str | None]],
    clusters: NDArray[np.int64],
) -> tuple[Comparisons | Refusal, tuple[tuple[str, int], ...]]:
    """The pairs that enter, or why there are too few; and (reason, pairs) of those left out.

    See :func:`evenhand.mitigation.leaderboard.audit_leaderboard` for the parameters.
    """
    names = [authors.get(ids[int(pair)], (None, None)) for pair in scope.pairs]
    known = np.array([a is not None and b is not None for a, b in names], dtype=bool)
    apart = np.array([a != b for a, b in names], dtype=bool)
    verdicts = scope.verdict_both
    enters = known & apart & verdicts
    left_out = (
        ("an author isn't known", int(np.count_nonzero(~known))),
        ("both responses are by one author", int(np.count_nonzero(known & ~apart))),
        ("no verdict in both orders", int(np.count_nonzero(known & apart & ~verdicts))),
    )
    chosen = [(str(a), str(b)) for (a, b), enter in zip(names, enters, strict=True) if enter]
    players = tuple(sorted({name for pair in chosen for name in pair}))
    n = len(chosen)
    if len(players) < _FEWEST_PLAYERS:
        reason = f"needs pairs with verdicts in both orders by at least 2 different authors, has {len(players)}"
        return Refusal(reason=reason, n=n), left_out
    codes = {name: code for code, name in enumerate(players)}
    own, cluster = np.unique(clusters[scope.pairs[enters]], return_inverse=True)
    if n < _FEWEST_PAIRS:
        return Refusal(reason=f"needs at least {_FEWEST_PAIRS} pairs, has {n}", n=n), left_out
    if len(own) < _FEWEST_CLUSTERS:
        return Refusal(reason=f"needs at least {_FEWEST_CLUSTERS} clusters, has {len(own)}", n=n), left_out
    return (
        Comparisons(
            players=players,
            a=np.array([codes[a] for a, _ in chosen], dtype=np.int64),
            b=np.array([codes[b] for _, b in chosen], dtype=np.int64),
            preference=scope.preference[enters],
            cluster=cluster.astype(np.int64),
            clusters=len(own),
        ),
        tuple((reason, count) for reason, count in left_out if count),
    )


_SOURCES: Final = (View.AB_ONLY, View.BA_ONLY, View.SWAPPED, View.TIE_ON_CONFLICT)
"""Views with counts of their own; the slot is removed from those of order AB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """Distinct (author of A, author of B); columns of the totals are view x cell x (A wins, B wins, ties)."""

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    of_pair: NDArray[np.int64]
    players: int

    @classmethod
    def of(cls, data: Comparisons) -> Cells:
        """The distinct pairs of authors."""
        n = len(data.players)
        distinct, of_pair = np.unique(data.a * n + data.b, return_inverse=True)
        return cls(a=distinct // n, b=distinct % n, of_pair=of_pair.astype(np.int64), players=n)

    def totals(self, data: Comparisons) -> Numbers:
        """Shape (clusters, views * cells * 3)."""
        size = len(self.a)
        totals = np.zeros((data.clusters, len(_SOURCES), size, 3))
        ab, ba = data.preference[:, 0], data.preference[:, 1]
        agreed = np.where(ab == ba, ab, _TIE)
        for view, parts in enumerate([((ab, 1.0),), ((ba, 1.0),), ((ab, 0.5), (ba, 0.5)), ((agreed, 1.0),)]):
            for preference, weight in parts:
                for column, code in enumerate((_A, _B, _TIE)):
                    of = preference == code
                    np.add.at(totals, (data.cluster[of], view, self.of_pair[of], column), weight)
        return totals.reshape(data.clusters, -1)

    def games(self, sums: Numbers, view: View) -> Games:
        """A view's comparisons from sums over clusters, shape (views * cells * 3,)."""
        source = View.AB_ONLY if view is View.SLOT_REMOVED else view
        wins, losses, ties = sums.reshape(len(_SOURCES), len(self.a), 3)[_SOURCES.index(source)].T
        return Games(first=self.a, second=self.b, wins=wins, losses=losses, ties=ties, players=self.players)

    def fit(self, sums: Numbers, view: View, model: Model) -> Strengths:
        """A view's strengths."""
        return fit_strengths(self.games(sums, view), model=Model.SLOT if view is View.SLOT_REMOVED else model)

    def points(self, sums: Numbers, view: View) -> Numbers:
        """Share won, ties as half, shape (players,); NaN for who has no comparison."""
        games = self.games(sums, view)
        total = games.wins + games.losses + games.ties
        won, played = np.zeros(self.players), np.zeros(self.players)
        np.add.at(won, self.a, games.wins + games.ties / 2)
        np.add.at(won, self.b, games.losses + games.ties / 2)
        np.add.at(played, self.a, total)
        np.add.at(played, self.b, total)
        share: Numbers = np.divide(won, played, out=np.full(self.players, np.nan), where=played > 0)
        return share


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Replicates:
    """Replicates per view.

    Attributes
    ----------
    log, points
        Log strengths, and points, which are NaN for who is in no comparison of a resample; (resamples, players).
    slot
        Shape (resamples,).
    finite
        See :class:`Strengths`; shape (resamples,).
    """

    log: Mapping[View, Numbers]
    points: Mapping[View, Numbers]
    slot: Numbers
    finite: Mapping[View, NDArray[np.bool_]]

    def ranks(self, view: View) -> Numbers:
        """Of each resample, shape (resamples, players); NaN where the resample says nothing of a player."""
        found = np.array([ranks(row) for row in self.log[view]], dtype=np.float64)
        told = np.isfinite(self.points[view])
        if view is View.SLOT_REMOVED:
            told &= self.finite[view][:, None]
        return np.where(told, found, np.nan)

    def strengths(self, view: View) -> Numbers:
        """As ``log``; NaN where they have no finite size."""
        told = np.isfinite(self.points[view]) & self.finite[view][:, None]
        return np.where(told, self.log[view], np.nan)


def resample(
    cells: Cells,
    totals: Numbers,
    *,
    model: Model,
    rng: np.random.Generator,
    resamples: int,
    progress: Callable[[int, int], None] | None,
) -> Replicates:
    """All views from the same resamples, so that their differences are paired."""
    count = len(totals)
    log: dict[View, list[Numbers]] = {view: [] for view in View}
    points: dict[View, list[Numbers]] = {view: [] for view in View}
    finite: dict[View, list[bool]] = {view: [] for view in View}
    slots: list[float] = []
    for start in range(0, resamples, _BLOCK):
        drawn = rng.multinomial(count, np.full(count, 1 / count), size=min(_BLOCK, resamples - start))
        for sums in drawn @ totals:
            for view in View:
                found = cells.fit(sums, view, model)
                log[view].append(found.log)
                points[view].append(cells.points(sums, view))
                finite[view].append(found.finite)
                if found.slot is not None:
                    slots.append(found.slot if found.finite else np.nan)
        if progress is not None:
            progress(min(start + _BLOCK, resamples), resamples)
    return Replicates(
        log={view: np.array(rows) for view, rows in log.items()},
        points={view: np.array(rows) for view, rows in points.items()},
        slot=np.array(slots),
        finite={view: np.array(rows, dtype=bool) for view, rows in finite.items()},
    )
