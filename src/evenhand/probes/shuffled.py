"""What nothing looks like: the probe's whole procedure on shuffled labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.evaluate import RANKING, HeldOut, unpredicted
from evenhand.probes.predictors import SHUFFLED
from evenhand.probes.results import Metric, PredictorKind, PredictorResult
from evenhand.stats import Estimate, Refusal, auprc, auroc, brier, choice_matched_auroc

__all__ = ["refused_control", "shuffle_labels", "shuffled_result"]

Fit = Callable[[NDArray[np.bool_]], NDArray[np.float64]]
"""Label sets of shape (repeats, n) in, held-out probabilities of the same shape out: the whole nested procedure."""

NO_INTERVAL: Final = "no interval over groups: the mean over shuffles"


def shuffle_labels(flips: NDArray[np.bool_], groups: Sequence[str], *, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Labels dealt anew to the pairs, those of one group kept together.

    The groups' labels are laid end to end, the groups in a random order and the labels of each in a random order, and
    dealt to the pairs group by group. So the flip rate stays, labels stay as alike within groups as they are (but where
    the sizes of groups differ, a group can get the labels of two), and nothing binds a pair's labels to its features:
    neither its group nor its place within the group.

    Parameters
    ----------
    flips, groups
        Shape (n,).

    Returns
    -------
    numpy.ndarray
        bool, shape (n,).

    Examples
    --------
    >>> flips = np.array([True, True, False, False, False, False])
    >>> dealt = shuffle_labels(flips, ["a", "a", "b", "b", "c", "c"], rng=np.random.default_rng(0))
    >>> dealt.reshape(3, 2).tolist()
    [[False, False], [False, False], [True, True]]
    """
    code = np.unique(np.asarray(groups), return_inverse=True)[1]
    rows = np.argsort(code, kind="stable")
    rank_of_group = rng.permutation(int(code.max(initial=-1)) + 1)
    source = np.lexsort((rng.random(len(flips)), rank_of_group[code]))
    dealt = np.empty_like(flips)
    dealt[rows] = flips[source]
    return dealt


def shuffled_result(
    fit: Fit,
    flips: NDArray[np.bool_],
    *,
    choices: NDArray[np.int8],
    groups: Sequence[str],
    features: tuple[str, ...],
    repeats: int,
    rng: np.random.Generator,
    unranked: Refusal | None = None,
    observed: Estimate | Refusal | None = None,
) -> PredictorResult:
    """The means of the metrics over shuffles, with their range in words: AUROC belongs near .5.

    Parameters
    ----------
    fit
        What is done with the true labels, done with these.
    repeats
        How many shuffles, at least 1.
    unranked
        Why nothing discriminative may be reported; None where it may.
    observed
        The AUROC on the true labels, to be set against the shuffled ones: a permutation test, which unlike an interval
        over groups knows that folds share training pairs.
    """
    label_sets = np.array([shuffle_labels(flips, groups, rng=rng) for _ in range(repeats)])
    values: dict[Metric, list[float]] = {metric: [] for metric in Metric}
    for labels, probabilities in zip(label_sets, fit(label_sets), strict=True):
        for metric, estimate in (
            (Metric.AUROC, auroc(probabilities, labels)),
            (Metric.AUPRC, auprc(probabilities, labels)),
            (Metric.BRIER, brier(probabilities, labels)),
            (Metric.CHOICE_MATCHED, choice_matched_auroc(probabilities, labels, choices)),
        ):
            if isinstance(estimate, Estimate):
                values[metric].append(estimate.value)
    reason = Refusal(reason="labels are shuffled: there is nothing to calibrate", n=len(flips))
    return PredictorResult(
        name=SHUFFLED,
        kind=PredictorKind.CONTROL,
        features=features,
        selections=(),
        metrics=tuple((m, _mean(m, values[m], n=len(flips), repeats=repeats, unranked=unranked)) for m in Metric),
        calibration=reason,
        shuffles=() if unranked is not None else tuple(values[Metric.AUROC]),
        permutation_p=None if unranked is not None else _permutation_p(observed, values[Metric.AUROC]),
    )


def refused_control(refusal: Refusal, *, features: tuple[str, ...]) -> PredictorResult:
    """The control where the probe itself can't be fitted."""
    return unpredicted(
        HeldOut(name=SHUFFLED, kind=PredictorKind.CONTROL, features=features, probabilities=refusal), refusal
    )


def _mean(
    metric: Metric, values: Sequence[float], *, n: int, repeats: int, unranked: Refusal | None
) -> Estimate | Refusal:
    if unranked is not None and metric in RANKING:
        return unranked
    if not values:
        return Refusal(reason="no shuffle had a positive and a negative to compare", n=n)
    flags = [NO_INTERVAL, f"{len(values)} shuffles, {min(values):.3f} to {max(values):.3f}"]
    if len(values) < repeats:
        flags.append(f"{repeats - len(values)} of {repeats} shuffles had nothing to compare")
    return Estimate(value=float(np.mean(values)), interval=None, n=n, flags=tuple(flags))


def _permutation_p(observed: Estimate | Refusal | None, shuffled: Sequence[float]) -> float | None:
    if not isinstance(observed, Estimate) or not shuffled:
        return None
    # The true labels are one of the deals that chance could have made, hence the ones.
    return (sum(value >= observed.value for value in shuffled) + 1) / (len(shuffled) + 1)
