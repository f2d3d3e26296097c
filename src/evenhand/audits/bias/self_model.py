"""Judge and author with pair effects: the regression of what two judges make of the same presentation.

What a pair is, its quality above all, moves every judge. In the difference of two judges' choices it cancels; what is
left is what one of them has and the other has not: a lean to a slot, to length, to gold, or to its own family.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenhand.audits.bias.judges_compared import ComparedJudges
from evenhand.stats import Refusal, Regression, logit, ols

__all__ = ["SelfFit", "fit_self", "own_term"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SelfFit:
    """Both fits and what went in.

    Attributes
    ----------
    linear
        In shares of choices.
    odds
        In log odds: a conditional logistic fit, for which only presentations count that two judges decided differently.
    adjusted
        What each judge has a term of its own for, beside its slot.
    rows
        Presentations that two judges decided, once a pair of judges.
    left_out
        Pairs that two judges decided and that lack the length or the gold side which others have.
    """

    linear: Regression | Refusal
    odds: Regression | Refusal
    adjusted: tuple[str, ...]
    rows: int
    left_out: int = 0


def own_term(judge: str) -> str:
    """Name of a judge's own-family term."""
    return f"own family, {judge}"


def fit_self(compared: ComparedJudges, clusters: NDArray[np.int64], *, level: float) -> SelfFit:
    """Fit every judge's own-family term together.

    Parameters
    ----------
    clusters
        Of each pair, shape (pairs,).

    Notes
    -----
    For judges j and k and a presentation with pair effect μ, ``P_j(A) = 1/2 + μ + Σ terms_j``. A row is the difference
    of their choices; a judge's terms enter with plus for j and minus for k. The first judge's terms for slot, length
    and gold are left out, for only differences between judges can be told. Rows of one pair of responses, and of one
    question, are of one cluster. Two judges are not compared on pairs that both of their families wrote for, or the one
    family of both: a judge's own-family term then rests on judges of neither family alone. In log odds the same holds
    of the presentations that they decided differently, given that they did: the conditional likelihood, summed over
    pairs of judges.

    References
    ----------
    Chamberlain (1980), doi:10.2307/2297110 (conditional logit); Varin, Reid and Firth (2011), Statistica Sinica 21,
    5-42 (composite likelihood).
    """
    seen = np.count_nonzero(compared.chose.any(axis=2), axis=0) >= 2
    common, usable = _common(compared, seen)
    adjusted = tuple(name for name in common if name != "slot")
    left_out = int(np.count_nonzero(seen & ~usable))
    names, layers = _terms(compared, common, usable)
    pieces = list(_differences(compared, layers, usable)) if names else []
    if not pieces:
        refusal = Refusal(reason="no presentation was decided by two judges, one of neither family", n=0)
        return SelfFit(linear=refusal, odds=refusal, adjusted=adjusted, rows=0, left_out=left_out)
    y = np.concatenate([piece.difference for piece in pieces])
    x = np.concatenate([piece.terms for piece in pieces])
    cluster = clusters[np.concatenate([piece.pairs for piece in pieces])]
    apart = y != 0
    odds = (
        logit(y[apart] > 0, x[apart], cluster[apart], names=names, intercept=False, level=level)
        if apart.any()
        else Refusal(reason="no presentation was decided differently by two judges", n=len(y))
    )
    linear = ols(y, x, cluster, names=names, intercept=False, level=level)
    return SelfFit(linear=linear, odds=odds, adjusted=adjusted, rows=len(y), left_out=left_out)


def _common(
    compared: ComparedJudges, seen: NDArray[np.bool_]
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.bool_]]:
    """What every judge has a term for, shape (pairs, 2) each, and the pairs that have all of it."""
    shape = (len(seen), 2)
    common: dict[str, NDArray[np.float64]] = {"slot": np.broadcast_to(np.array([0.5, -0.5]), shape)}
    usable = seen.copy()
    for name, values in (("length", compared.length), ("gold", compared.gold)):
        known = ~np.isnan(values)
        if np.nan_to_num(values)[seen].any():
            common[name] = np.broadcast_to(np.nan_to_num(values)[:, None], shape)
            usable &= known
    return common, usable


def _terms(
    compared: ComparedJudges, common: dict[str, NDArray[np.float64]], usable: NDArray[np.bool_]
) -> tuple[list[str], NDArray[np.float64]]:
    """Names of the terms, and each judge's value of each; shape (judges, pairs, 2, terms)."""
    judges, pairs = compared.own.shape
    names: list[str] = []
    columns: list[NDArray[np.float64]] = []
    for j, judge in enumerate(compared.judges):
        if compared.own[j][usable].any():
            names.append(own_term(judge.name))
            columns.append(
                _of_judge(j, np.broadcast_to(compared.own[j][:, None].astype(np.float64), (pairs, 2)), judges)
            )
    for j, judge in enumerate(compared.judges):
        if j > 0:
            for name, values in common.items():
                names.append(f"{name}, {judge.name}")
                columns.append(_of_judge(j, values, judges))
    layers = np.stack(columns, axis=-1) if columns else np.empty((judges, pairs, 2, 0))
    return names, layers


def _of_judge(judge: int, values: NDArray[np.float64], judges: int) -> NDArray[np.float64]:
    column = np.zeros((judges, *values.shape))
    column[judge] = values
    return column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    pairs: NDArray[np.int64]
    difference: NDArray[np.float64]
    terms: NDArray[np.float64]


def _differences(compared: ComparedJudges, layers: NDArray[np.float64], usable: NDArray[np.bool_]) -> Iterator[_Rows]:
    for j, k in combinations(range(len(compared.judges)), 2):
        stranger = usable & ((compared.own[j] == 0) | (compared.own[k] == 0))
        both = (compared.chose[j] != 0) & (compared.chose[k] != 0) & stranger[:, None]
        row, order = np.nonzero(both)
        if row.size:
            yield _Rows(
                pairs=row,
                difference=(compared.chose[j][row, order] - compared.chose[k][row, order]) / 2.0,
                terms=layers[j][row, order] - layers[k][row, order],
            )
