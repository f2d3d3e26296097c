"""Recalibration of label probabilities: temperature, slot bias and isotonic maps, fitted on other questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.errors import ConfigError, install_hint
from evenhand.mitigation.calibration_scores import CalibrationScores, calibration_scores
from evenhand.mitigation.folds import FOLDS, cluster_folds, refuse_few_labels
from evenhand.mitigation.fractional_logit import fit_many, logistic
from evenhand.mitigation.judged import TIE, A, Floats, JudgedPairs, preferred
from evenhand.mitigation.order import Mitigated
from evenhand.stats import Refusal
from evenhand.stats.regression import Regression, logit

__all__ = ["FEWEST_FOR_ISOTONIC", "Recalibrated", "Recalibration", "recalibrate"]

FEWEST_FOR_ISOTONIC: Final = 500
"""Labelled pairs, each of which gives two presentations: below about 1,000 cases an isotonic map overfits
(Niculescu-Mizil and Caruana 2005, doi:10.1145/1102351.1102430)."""

_Map = Callable[[Floats], Floats]
"""From log-odds of the first slot to its probability."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibrated:
    """One map, measured out of its own questions.

    Attributes
    ----------
    method
        ``temperature``, ``slot bias`` (with a temperature) or ``isotonic``.
    scores
        Of single presentations, before and after.
    one_order, both_orders
        Verdicts by the recalibrated probability: of one order drawn at random, and averaged over both; None for the
        temperature, which turns no verdict, and where no pair was asked in both orders.
    """

    method: str
    scores: CalibrationScores
    one_order: Mitigated | None
    both_orders: Mitigated | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalibration:
    """All maps of a judge.

    Attributes
    ----------
    regression
        Logistic regression of "the first slot is right" on the log-odds of the first slot, over all labelled
        presentations: its intercept is the slot bias (below 0: the judge favours the first slot), its slope the inverse
        temperature.
    refused
        (method, reason).
    """

    judge: str
    labelled: int
    maps: tuple[Recalibrated, ...]
    regression: Regression | Refusal
    refused: tuple[tuple[str, Refusal], ...] = ()


def recalibrate(pairs: JudgedPairs, *, sampler: Sampler) -> Recalibration | Refusal:
    """Fit and measure the maps, cross-fitted by cluster.

    The slot bias is an intercept in slot terms: a judge without position bias has none, whichever response is called
    A. It is what contextual calibration subtracts, here from labelled pairs and not from a content-free input.

    Raises
    ------
    ConfigError
        scikit-learn is missing where the isotonic map could be fitted.

    Returns
    -------
    Recalibration or Refusal
        Refused without log-odds, and with fewer than 50 pairs that have them and a label for one response.

    References
    ----------
    Platt (1999), "Probabilistic outputs for support vector machines", for the map and its smoothed targets; Guo et al.
    (2017), arXiv:1706.04599, for the temperature; Zhao et al. (2021), arXiv:2102.09690, for contextual calibration.
    """
    known = np.isfinite(pairs.log_odds)
    usable = known & (pairs.labelled & (pairs.gold != TIE))[:, None]
    if not known.any():
        return Refusal(reason="needs log-odds of the labels: read the first token", n=0)
    some = np.flatnonzero(usable.any(axis=1))
    refusal = refuse_few_labels(sampler.clusters[some], what="to recalibrate")
    if refusal is not None:
        return refusal
    data = _Presentations.of(pairs, usable, sampler)
    if data.right.all() or not data.right.any():
        return Refusal(reason="the same slot is right in every presentation: nothing to fit", n=len(some))
    everything = _Presentations.of(pairs, known, sampler)
    fold = cluster_folds(everything.clusters, rng=sampler.stream("recalibration, folds"))
    labelled = usable[everything.pair, everything.order]
    maps, refused = [], []
    for method, fit in _METHODS.items():
        if method == "isotonic" and len(some) < FEWEST_FOR_ISOTONIC:
            reason = f"needs at least {FEWEST_FOR_ISOTONIC} labelled pairs, has {len(some)}"
            refused.append((method, Refusal(reason=reason, n=len(some))))
            continue
        after = np.empty(len(everything.log_odds))
        for k in range(FOLDS):
            train, held = labelled & (fold != k), fold == k
            after[held] = fit(everything.log_odds[train], everything.right[train])(everything.log_odds[held])
        maps.append(_measured(method, after, everything, labelled, pairs, sampler))
    return Recalibration(
        judge=pairs.judge,
        labelled=len(some),
        maps=tuple(maps),
        regression=logit(
            data.right, data.log_odds, data.clusters, names=("log-odds of the first slot",), level=sampler.level
        ),
        refused=tuple(refused),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Presentations:
    """Presentations in slot terms; ``pair`` and ``order`` are their places in the judged pairs.

    ``right`` is of no meaning where the label prefers neither response.
    """

    pair: NDArray[np.int64]
    order: NDArray[np.int64]
    log_odds: Floats
    right: NDArray[np.bool_]
    clusters: NDArray[np.int64]

    @classmethod
    def of(cls, pairs: JudgedPairs, usable: NDArray[np.bool_], sampler: Sampler) -> _Presentations:
        pair, order = np.nonzero(usable)
        sign = np.where(order == 0, 1.0, -1.0)
        return cls(
            pair=pair,
            order=order,
            log_odds=sign * pairs.log_odds[pair, order],
            right=(pairs.gold[pair] == A) == (order == 0),
            clusters=sampler.clusters[pair],
        )


def _measured(
    method: str,
    after: Floats,
    data: _Presentations,
    labelled: NDArray[np.bool_],
    pairs: JudgedPairs,
    sampler: Sampler,
) -> Recalibrated:
    scores = calibration_scores(
        logistic(data.log_odds[labelled]),
        after[labelled],
        data.right[labelled],
        pairs=data.pair[labelled],
        sampler=sampler.within(*sampler.scope, method),
    )
    if method == "temperature" or not pairs.asked.all(axis=1).any():
        return Recalibrated(method=method, scores=scores, one_order=None, both_orders=None)
    # Of response A, as an advantage over one half. Pairs whose label is a tie have a verdict too: nothing was missing.
    advantage = np.full((len(pairs), 2), np.nan)
    advantage[data.pair, data.order] = (after - 0.5) * np.where(data.order == 0, 1.0, -1.0)
    single = np.where(np.isfinite(advantage).all(axis=1)[:, None], advantage, np.nan)
    how = "The label probabilities go through a map that was fitted on the labelled pairs of other questions ({})."
    tokens = pairs.tokens.sum(axis=1)
    return Recalibrated(
        method=method,
        scores=scores,
        one_order=Mitigated(
            name=f"recalibrated ({method}), one order",
            how=how.format(f"{method}; one order, drawn at random"),
            preference=preferred(single),
            presentations=np.ones(len(pairs)),
            tokens=tokens / 2,
            order_free=False,
        ),
        both_orders=Mitigated(
            name=f"recalibrated ({method}), both orders",
            how=how.format(f"{method}; averaged over both orders"),
            preference=preferred(single.sum(axis=1))[:, None],
            presentations=np.full(len(pairs), 2.0),
            tokens=tokens,
            order_free=True,
        ),
    )


def _temperature(x: Floats, right: NDArray[np.bool_]) -> _Map:
    beta = _platt(x[:, None], right)
    return lambda new: logistic(new * beta[0])


def _slot_bias(x: Floats, right: NDArray[np.bool_]) -> _Map:
    beta = _platt(np.column_stack([np.ones(len(x)), x]), right)
    return lambda new: logistic(beta[0] + new * beta[1])


def _platt(x: Floats, right: NDArray[np.bool_]) -> Floats:
    """Platt's smoothed targets keep the maximum finite where the log-odds separate right from wrong."""
    positive = int(right.sum())
    negative = len(right) - positive
    target = np.where(right, (positive + 1) / (positive + 2), 1 / (negative + 2))
    beta = fit_many(target, x, np.ones((1, len(right))))[0]
    # Without a maximum (all log-odds equal): leave the probabilities as they are.
    return beta if bool(np.isfinite(beta).all()) else np.asarray(np.eye(x.shape[1])[-1], dtype=np.float64)


def _isotonic(x: Floats, right: NDArray[np.bool_]) -> _Map:
    try:
        from sklearn.isotonic import IsotonicRegression
    except ImportError as error:
        raise ConfigError(f"the isotonic map needs scikit-learn: {install_hint('probes')}") from error
    model = IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(x, right.astype(np.float64))
    # Blocks of one kind would claim certainty; no share of n cases is known better than Laplace's (k + 1) / (n + 2).
    edge = 1 / (len(x) + 2)
    return lambda new: np.clip(model.predict(new), edge, 1 - edge)


_METHODS: Final[dict[str, Callable[[Floats, NDArray[np.bool_]], _Map]]] = {
    "temperature": _temperature,
    "slot bias": _slot_bias,
    "isotonic": _isotonic,
}
