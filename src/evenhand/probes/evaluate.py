"""From held-out predictions to figures: what may be said of them, with intervals over question groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.predictors import COMBINED, NO_SIGNAL, PROBE, WITH_FEATURES
from evenhand.probes.results import Difference, Metric, PredictorKind, PredictorResult, Selection
from evenhand.stats import (
    Estimate,
    Refusal,
    ReliabilityCurve,
    ScoreBootstrap,
    bootstrap_scores,
    choice_matched_auroc,
    cluster_rate,
    reliability_curve,
)

__all__ = [
    "FLIP_RATES",
    "POOLING_GAP",
    "RANKING",
    "Evaluation",
    "HeldOut",
    "evaluate",
    "moved_by_pooling",
    "unpredicted",
    "unranked",
]

FLIP_RATES: Final = (0.05, 0.95)
"""Outside of these flip rates nothing discriminative is reported ("Will the Judge Flip?", 2026)."""

RANKING: Final = (Metric.AUROC, Metric.AUPRC, Metric.CHOICE_MATCHED)
"""Metrics of how flips are told apart from the rest; the Brier score is of the probabilities themselves."""

POOLING_GAP: Final = 0.1
"""Between the AUROC of all folds pooled and that within folds: from here on pooled differences say little."""

# Enough in each bin to be worth a point: ten bins, fewer below this many pairs a bin.
_BINS: Final = 10
_PAIRS_A_BIN: Final = 20

# Probabilities this close are equal.
_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HeldOut:
    """A predictor's probabilities of pairs that it wasn't fitted on.

    Attributes
    ----------
    probabilities
        float64, shape (n,); or why there are none.
    """

    name: str
    kind: PredictorKind
    features: tuple[str, ...]
    probabilities: NDArray[np.float64] | Refusal
    selections: tuple[Selection, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All figures of some predictors on the same pairs."""

    flip_rate: Estimate | Refusal
    predictors: tuple[PredictorResult, ...]
    differences: tuple[Difference, ...]

    def predictor(self, name: str) -> PredictorResult:
        """A predictor's result by its name."""
        return next(each for each in self.predictors if each.name == name)


def evaluate(
    held_out: Sequence[HeldOut],
    *,
    flips: NDArray[np.bool_],
    choices: NDArray[np.int8],
    groups: Sequence[str],
    folds: NDArray[np.int64] | None = None,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    compare: bool = True,
) -> Evaluation:
    """Flip rate, metrics, calibration and paired differences, all from the same resamples of the groups.

    Parameters
    ----------
    held_out
        Predictors with unique names, each with n probabilities.
    flips, choices, groups
        Of the n evaluated pairs.
    folds
        The outer fold of each pair; None where all are predicted by one fit, as in a transfer.
    compare
        Whether differences are wanted: each predictor minus no signal in Brier score; the probe minus each baseline and
        each predictor beyond, and the probe with features minus the combined features, in every metric.

    Returns
    -------
    Evaluation
        Nothing discriminative where the flip rate is outside of :data:`FLIP_RATES`, and none of a predictor that gives
        all pairs of a fold the same probability: it ranks nothing, and only the folds' rates differ. No choice-matched
        AUROC of one that does so for all pairs of a fold with the same choice, as the choice itself does.
    """
    flip_rate = cluster_rate(flips, None, groups, rng=rng, resamples=resamples, level=level)
    no_ranking = unranked(flips)
    predicted = {each.name: each.probabilities for each in held_out if not isinstance(each.probabilities, Refusal)}
    pairs = _compared(held_out) if compare else ()
    bootstrap = bootstrap_scores(
        predicted,
        flips,
        groups,
        choices=choices,
        differences=[pair for pair in pairs if all(name in predicted for name in pair)],
        scores=(Metric.BRIER.value,) if no_ranking else None,
        rng=rng,
        resamples=resamples,
        level=level,
    )
    fold = np.zeros(len(flips), dtype=np.int64) if folds is None else folds
    where = "every pair" if folds is None else "every pair of a fold"
    figures = _Figures(
        unranked=no_ranking,
        refusals={each.name: _ranks_nothing(each, fold, where=where) for each in held_out},
        matched_refusals={
            each.name: _ranks_nothing(each, _cells(fold, choices), where=f"{where} with the same choice in AB")
            for each in held_out
        },
        bootstrap=bootstrap,
    )
    results = {each.name: _result(each, figures, flips=flips, folds=folds) for each in held_out}
    return Evaluation(
        flip_rate=flip_rate,
        predictors=tuple(results.values()),
        differences=tuple(
            Difference(predictor=first, reference=second, metric=metric, estimate=estimate)
            for first, second in pairs
            if first in predicted and second in predicted
            for metric in ((Metric.BRIER,) if second == NO_SIGNAL else tuple(Metric))
            for estimate in (
                _marked(figures.difference(first, second, metric), metric, results[first], results[second]),
            )
        ),
    )


def moved_by_pooling(result: PredictorResult) -> bool:
    """Whether ranking all folds together moves a predictor's AUROC by :data:`POOLING_GAP` or more."""
    within, pooled = result.within_folds, dict(result.metrics).get(Metric.AUROC)
    if not isinstance(within, Estimate) or not isinstance(pooled, Estimate):
        return False
    return abs(within.value - pooled.value) >= POOLING_GAP


def _marked(estimate: Estimate | Refusal, metric: Metric, *of: PredictorResult) -> Estimate | Refusal:
    """The difference, flagged where pooling moves the ranking of one of the two."""
    if metric not in RANKING or isinstance(estimate, Refusal) or not any(moved_by_pooling(each) for each in of):
        return estimate
    flag = f"not comparable: pooling the folds moves the AUROC of one of the two by {POOLING_GAP:g} or more"
    return replace(estimate, flags=(*estimate.flags, flag))


def unpredicted(held_out: HeldOut, refusal: Refusal) -> PredictorResult:
    """The result of a predictor without predictions: refused in every metric, with the reason."""
    return PredictorResult(
        name=held_out.name,
        kind=held_out.kind,
        features=held_out.features,
        selections=held_out.selections,
        metrics=tuple((metric, refusal) for metric in Metric),
        calibration=refusal,
        notes=held_out.notes,
    )


def unranked(flips: NDArray[np.bool_]) -> Refusal | None:
    """Why nothing discriminative may be reported at this flip rate; None where it may."""
    low, high = FLIP_RATES
    rate = float(flips.mean()) if len(flips) else 0.0
    if low <= rate <= high:
        return None
    reason = f"the flip rate is {rate:.3f}: nothing discriminative is reported outside of {low:g} to {high:g}"
    return Refusal(reason=reason, n=len(flips))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Figures:
    """Metrics and differences as they may be reported."""

    unranked: Refusal | None
    refusals: dict[str, Refusal | None]
    matched_refusals: dict[str, Refusal | None]
    """Of the choice-matched AUROC, beside the refusals of every ranking."""
    bootstrap: ScoreBootstrap

    def metric(self, name: str, metric: Metric) -> Estimate | Refusal:
        return self._refused(metric, name) or self.bootstrap.score(name, metric.value)

    def difference(self, first: str, second: str, metric: Metric) -> Estimate | Refusal:
        return self._refused(metric, first, second) or self.bootstrap.difference(first, second, metric.value)

    def _refused(self, metric: Metric, *names: str) -> Refusal | None:
        if metric not in RANKING:
            return None
        kinds = (self.refusals, self.matched_refusals) if metric is Metric.CHOICE_MATCHED else (self.refusals,)
        found = (refusals[name] for refusals in kinds for name in names)
        return self.unranked or next((refusal for refusal in found if refusal), None)


def _cells(fold: NDArray[np.int64], choices: NDArray[np.int8]) -> NDArray[np.int64]:
    """Which pairs are in the same fold and made the same choice."""
    found = np.unique(np.column_stack([fold, choices]), axis=0, return_inverse=True)[1]
    return np.asarray(found, dtype=np.int64).reshape(-1)


def _ranks_nothing(held_out: HeldOut, cells: NDArray[np.int64], *, where: str) -> Refusal | None:
    """Refuse to rank where all pairs of a cell, such as a fold, have one probability.

    Folds with many flips are held out from training sets with few: between folds, such a predictor ranks backwards.
    """
    probabilities = held_out.probabilities
    if isinstance(probabilities, Refusal):
        return probabilities
    if any(np.ptp(probabilities[cells == each]) > _ROUNDING for each in np.unique(cells)):
        return None
    return Refusal(reason=f"ranks nothing: {where} has the same probability", n=len(probabilities))


def _compared(held_out: Sequence[HeldOut]) -> tuple[tuple[str, str], ...]:
    kinds = {each.name: each.kind for each in held_out}
    pairs: list[tuple[str, str]] = []
    if NO_SIGNAL in kinds:
        pairs += [(name, NO_SIGNAL) for name in kinds if name != NO_SIGNAL]
    if PROBE in kinds:
        others = (PredictorKind.BASELINE, PredictorKind.BEYOND)
        pairs += [(PROBE, name) for name, kind in kinds.items() if kind in others]
    if WITH_FEATURES in kinds and COMBINED in kinds:
        pairs.append((WITH_FEATURES, COMBINED))
    return tuple(pairs)


def _result(
    held_out: HeldOut, figures: _Figures, *, flips: NDArray[np.bool_], folds: NDArray[np.int64] | None
) -> PredictorResult:
    probabilities = held_out.probabilities
    if isinstance(probabilities, Refusal):
        return unpredicted(held_out, probabilities)
    metrics = tuple((metric, figures.metric(held_out.name, metric)) for metric in Metric)
    ranked = isinstance(dict(metrics)[Metric.AUROC], Estimate)
    return PredictorResult(
        name=held_out.name,
        kind=held_out.kind,
        features=held_out.features,
        selections=held_out.selections,
        metrics=metrics,
        calibration=_calibration(probabilities, flips),
        # The same statistic as among pairs of the same choice, with folds for choices.
        within_folds=choice_matched_auroc(probabilities, flips, folds) if folds is not None and ranked else None,
        notes=held_out.notes,
    )


def _calibration(probabilities: NDArray[np.float64], flips: NDArray[np.bool_]) -> ReliabilityCurve | Refusal:
    bins = int(np.clip(len(flips) // _PAIRS_A_BIN, 1, _BINS))
    return reliability_curve(probabilities, flips, bins=bins, strategy="quantile")
