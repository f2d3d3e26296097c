"""Strengths from pairwise comparisons: Bradley-Terry, Davidson's ties, and a fit that takes a slot's advantage out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, assert_never

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError, install_hint

__all__ = ["Games", "Model", "Strengths", "fit_strengths", "has_slot", "is_connected", "ranks"]

_LIMIT: Final = 10_000
_TOLERANCE: Final = 1e-8
_WEAK: Final = 1e-3
"""Wins and losses between every two players that stand in for what is missing where the players aren't connected."""
_RIDGE: Final = 1e-6
"""Of the slot fit alone: keeps the strengths of a resample finite in which someone wins everything."""
_MOST_LOG_ODDS: Final = 12.0
"""Of a comparison in the slot fit: beyond, its outcome is as good as certain (6 in a million); the fit has no end."""


class Model(StrEnum):
    """How comparisons become strengths."""

    DAVIDSON = "davidson"
    """Ties have a parameter of their own (Davidson 1970; fitted by evalica's Newman iteration)."""
    BRADLEY_TERRY = "bradley-terry"
    """A tie is half a win for each (fitted by evalica)."""
    SLOT = "slot"
    """Bradley-Terry with one more parameter, the advantage of the slot shown first; a tie is half a win for each."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Games:
    """Comparisons, gathered: how often each pair of players, in each order, ended how.

    Attributes
    ----------
    first, second
        Player codes 0 … n-1 of who was shown first and second; shape (k,).
    wins, losses, ties
        Of the first, as weights (a comparison may count half); shape (k,).
    players
        n.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    wins: NDArray[np.float64]
    losses: NDArray[np.float64]
    ties: NDArray[np.float64]
    players: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strengths:
    """Natural log strengths, centred at 0; shape (players,).

    Attributes
    ----------
    tie
        Davidson's tie parameter; None in other models.
    slot
        Log-odds that the first slot adds; None in other models.
    finite
        Whether the data settle the strengths. If not, their order says who won, and their size nothing; in the slot
        model not even their order is to be relied on.
    """

    log: NDArray[np.float64]
    tie: float | None = None
    slot: float | None = None
    finite: bool = True


def is_connected(games: Games) -> bool:
    """Whether the strengths are finite and unique: from every player a chain of wins (or ties) leads to every other.

    References
    ----------
    Ford, L. R. (1957). Solution of a ranking problem from binary comparisons. Am. Math. Monthly 64 (8), 28-33.

    Examples
    --------
    >>> both = Games(first=np.array([0]), second=np.array([1]), wins=np.array([2.0]), losses=np.array([1.0]),
    ...              ties=np.array([0.0]), players=2)
    >>> is_connected(both)
    True
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    beats = np.concatenate([games.wins + games.ties, games.losses + games.ties])
    winner = np.concatenate([games.first, games.second])
    loser = np.concatenate([games.second, games.first])
    there = beats > 0
    graph = coo_array((beats[there], (winner[there], loser[there])), shape=(games.players, games.players))
    count, _ = connected_components(graph, directed=True, connection="strong")
    return bool(count == 1)


def has_slot(games: Games) -> bool:
    """Whether the first slot's advantage can be told from the players' strengths.

    It can't where the stronger is always shown first, say, or where two players never exchange their slots.

    Examples
    --------
    >>> once = Games(first=np.array([0]), second=np.array([1]), wins=np.array([2.0]), losses=np.array([1.0]),
    ...              ties=np.array([0.0]), players=2)
    >>> has_slot(once)
    False
    """
    played = games.wins + games.losses + games.ties > 0
    return int(np.linalg.matrix_rank(_slot_design(games)[played])) == games.players


def fit_strengths(games: Games, *, model: Model) -> Strengths:
    """Maximum likelihood strengths.

    Where the players aren't connected (see :func:`is_connected`) there is no maximum: a thousandth of a win and of a
    loss between every two players is added, so that the order still says who won; the size says nothing.

    Raises
    ------
    ConfigError
        The library isn't installed.

    References
    ----------
    Bradley & Terry (1952), https://doi.org/10.2307/2334029. Davidson (1970),
    https://doi.org/10.1080/01621459.1970.10481082. Newman (2023), JMLR 24 (238). Slot: Davidson & Beaver (1977),
    https://doi.org/10.2307/2529466.
    """
    finite = model is Model.SLOT or is_connected(games)
    if not finite:
        games = _weakly_connected(games)
    match model:
        case Model.DAVIDSON if not games.ties.any():
            # Its maximum is Bradley-Terry's with no ties at all; evalica 0.4.2 gives equal strengths there instead.
            return Strengths(log=_centred(_evalica("bradley_terry", games)), tie=0.0, finite=finite)
        case Model.DAVIDSON:
            found = _evalica("newman", games)
            return Strengths(log=_centred(found), tie=float(found.v), finite=finite)
        case Model.BRADLEY_TERRY:
            return Strengths(log=_centred(_evalica("bradley_terry", games)), finite=finite)
        case Model.SLOT:
            return _with_slot(games)
        case _:
            assert_never(model)


def ranks(log_strengths: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the strongest; equals share the better rank.

    Examples
    --------
    >>> ranks(np.array([0.0, 2.0, 0.0])).tolist()
    [2, 1, 2]
    """
    rounded = np.round(log_strengths, 6)
    above: NDArray[np.int64] = (rounded[None, :] > rounded[:, None]).sum(axis=1)
    return above + 1


def _weakly_connected(games: Games) -> Games:
    """With a trace of wins and losses between every two players; without it evalica's strengths are not numbers."""
    i, j = np.triu_indices(games.players, k=1)
    trace = np.full(i.size, _WEAK)
    return Games(
        first=np.concatenate([games.first, i]),
        second=np.concatenate([games.second, j]),
        wins=np.concatenate([games.wins, trace]),
        losses=np.concatenate([games.losses, trace]),
        ties=np.concatenate([games.ties, np.zeros(i.size)]),
        players=games.players,
    )


def _evalica(name: str, games: Games) -> Any:  # noqa: ANN401 - the library's own result
    try:
        import evalica
        import pandas as pd
    except ImportError as error:
        raise ConfigError(f"ranking needs evalica: {install_hint('ranking')}") from error
    index = pd.RangeIndex(games.players)
    outcomes = (
        (games.wins, evalica.Winner.X),
        (games.losses, evalica.Winner.Y),
        (games.ties, evalica.Winner.Draw),
    )
    there = [(weights > 0, weights, winner) for weights, winner in outcomes]
    return getattr(evalica, name)(
        np.concatenate([games.first[mask] for mask, _, _ in there]).tolist(),
        np.concatenate([games.second[mask] for mask, _, _ in there]).tolist(),
        [winner for mask, _, winner in there for _ in range(int(mask.sum()))],
        index=index,
        weights=np.concatenate([weights[mask] for mask, weights, _ in there]).tolist(),
        tolerance=_TOLERANCE,
        limit=_LIMIT,
    )


def _centred(found: Any) -> NDArray[np.float64]:  # noqa: ANN401 - the library's own result
    scores = found.scores.sort_index().to_numpy(dtype=np.float64)
    log: NDArray[np.float64] = np.log(np.maximum(scores, np.finfo(np.float64).tiny))
    centred: NDArray[np.float64] = log - log.mean()
    return centred


def _with_slot(games: Games) -> Strengths:
    """Newton's method on the gathered counts; the strengths' mean is fixed at 0 by the penalty."""
    n, design = games.players, _slot_design(games)
    won = games.wins + games.ties / 2
    total = games.wins + games.losses + games.ties
    beta = np.zeros(n + 1)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (won - total * chance) - _RIDGE * beta
        hessian = (design * (total * chance * (1 - chance))[:, None]).T @ design + _RIDGE * np.eye(n + 1)
        step = np.linalg.solve(hessian, gradient)
        # A step far outside the region in which the quadratic holds would run away.
        step *= min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        beta += step
        if np.abs(step).max() < _TOLERANCE:
            break
    certain = bool(np.abs(design @ beta)[total > 0].max(initial=0.0) > _MOST_LOG_ODDS)
    finite = not certain and has_slot(games)
    return Strengths(log=beta[:n] - beta[:n].mean(), slot=float(beta[n]), finite=finite)


def _slot_design(games: Games) -> NDArray[np.float64]:
    """One row a cell: +1 for who is shown first, -1 for who is shown second, and 1 for the slot."""
    rows = np.arange(games.first.size)
    design = np.zeros((rows.size, games.players + 1))
    design[rows, games.first] += 1.0
    design[rows, games.second] -= 1.0
    design[:, games.players] = 1.0
    return design
