"""The length-controlled win rate: what it would be if both responses had the same length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.mitigation.fractional_logit import fit_many, logistic
from evenhand.mitigation.judged import Floats
from evenhand.stats import Estimate, Interval, Refusal
from evenhand.stats.clusters import cluster_codes, cluster_flags, refuse_few_clusters
from evenhand.stats.resampling import percentile_limits

__all__ = ["FEWEST_COMPARISONS", "LengthControlled", "length_controlled_win_rate"]

FEWEST_COMPARISONS: Final = 30
"""Ten for each of the model's three coefficients (Peduzzi et al. 1996, doi:10.1016/S0895-4356(96)00236-3)."""

_BLOCK: Final = 1 << 21
_MOST_LOST: Final = 0.05
"""Of the resamples, the share that may be without a fit before no interval is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthControlled:
    """A win rate before and after length is taken out. Shares, not percent.

    Attributes
    ----------
    raw, controlled
        The win rate as it is, and with the length term set to 0.
    shift
        ``controlled - raw``.
    length
        Coefficient of tanh(length difference / its standard deviation): above 0, longer responses are preferred.
    label
        The labels' own win rate, over the comparisons that have a label; None where none has.
    raw_error, controlled_error
        Win rate minus the labels', on the labelled comparisons.
    with_difficulty
        Whether the model had a term for how difficult each instruction is.
    coefficients
        (name, value) on the logit scale.
    """

    comparisons: int
    raw: Estimate
    controlled: Estimate
    shift: Estimate
    length: Estimate
    label: Estimate | None
    raw_error: Estimate | None
    controlled_error: Estimate | None
    with_difficulty: bool
    coefficients: tuple[tuple[str, float], ...]


def length_controlled_win_rate(
    preference: ArrayLike,
    length_difference: ArrayLike,
    clusters: NDArray[np.int64],
    *,
    rng: np.random.Generator,
    difficulty: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    resamples: int = 2000,
    level: float = 0.95,
) -> LengthControlled | Refusal:
    """Fit a logistic model of preference on length, and predict with the length term at 0.

    ``logit P(system preferred) = theta + phi tanh(d / sd(d)) + psi gamma``, with ``d`` its length minus the other's and
    ``gamma`` the instruction's difficulty where it is given. The controlled win rate is the mean of
    ``logistic(theta + psi gamma)`` over the comparisons.

    Parameters
    ----------
    preference
        Shape (n,), between 0 and 1: how far the system is preferred over the other; a tie is one half.
    length_difference
        Shape (n,), in characters.
    clusters
        Shape (n,): questions. They are resampled whole, and the model is fitted anew in each resample.
    difficulty
        Shape (n,), on the logit scale. AlpacaEval estimates it from all systems of its leaderboard together.
    labels
        Shape (n,): preference of gold or human labels, NaN where there is none.

    Returns
    -------
    LengthControlled or Refusal
        Refused below 30 comparisons or 5 clusters, where no length differs, and where the model has no maximum.

    Raises
    ------
    StatisticsError
        A preference is outside 0 to 1, or shapes differ.

    References
    ----------
    Dubois, Galambosi, Liang and Hashimoto (2024), "Length-Controlled AlpacaEval", arXiv:2404.04475. Two parts of theirs
    are not here: their length coefficient is drawn towards that of two "gamed" baselines, whose annotations it takes,
    and the penalty is chosen by cross-validation.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> longer = rng.normal(300, 400, 500)
    >>> wins = rng.uniform(size=500) < logistic(1.5 * np.tanh(longer / longer.std(ddof=1)))
    >>> found = length_controlled_win_rate(wins, longer, np.arange(500), rng=rng, resamples=200)
    >>> round(found.raw.value, 2), round(found.controlled.value, 2)
    (0.62, 0.48)
    """
    y, d = (np.asarray(values, dtype=np.float64) for values in (preference, length_difference))
    gamma = None if difficulty is None else np.asarray(difficulty, dtype=np.float64)
    label = np.full(len(y), np.nan) if labels is None else np.asarray(labels, dtype=np.float64)
    if not y.shape == d.shape == label.shape == np.shape(clusters) or (gamma is not None and gamma.shape != y.shape):
        raise StatisticsError("preference, length_difference, clusters, difficulty and labels must have one shape (n,)")
    if ((y < 0) | (y > 1)).any() or not (np.isfinite(y).all() and np.isfinite(d).all()):
        raise StatisticsError("preferences must lie between 0 and 1, and lengths be finite")
    refusal = _refused(y, d, clusters)
    if refusal is not None:
        return refusal
    columns = [np.ones(len(y)), np.tanh(d / d.std(ddof=1))]
    x = np.column_stack(columns if gamma is None else [*columns, gamma])
    figures = _figures(y, x, label, np.ones((1, len(y))))[0]
    if not np.isfinite(figures[:4]).all():
        return Refusal(reason="the model has no maximum: length or difficulty separates the preferences", n=len(y))
    replicates = _replicates(y, x, label, clusters, rng=rng, resamples=resamples)
    beta = fit_many(y, x, np.ones((1, len(y))))[0]
    labelled = int(np.isfinite(label).sum())

    def estimate(index: int, n: int = len(y)) -> Estimate:
        return _estimate(float(figures[index]), replicates[:, index], n=n, clusters=clusters, level=level)

    return LengthControlled(
        comparisons=len(y),
        raw=estimate(0),
        controlled=estimate(1),
        shift=estimate(2),
        length=estimate(3),
        label=estimate(4, labelled) if labelled else None,
        raw_error=estimate(5, labelled) if labelled else None,
        controlled_error=estimate(6, labelled) if labelled else None,
        with_difficulty=gamma is not None,
        coefficients=tuple(zip(("system", "length", "difficulty"), map(float, beta), strict=False)),
    )


def _refused(y: Floats, d: Floats, clusters: NDArray[np.int64]) -> Refusal | None:
    if len(y) < FEWEST_COMPARISONS:
        return Refusal(reason=f"needs at least {FEWEST_COMPARISONS} comparisons, has {len(y)}", n=len(y))
    if d.std() == 0:
        return Refusal(
            reason="both responses differ in length by the same everywhere: nothing to control for", n=len(y)
        )
    return refuse_few_clusters(len(np.unique(clusters)), n=len(y))


def _figures(y: Floats, x: Floats, label: Floats, weights: Floats) -> Floats:
    """Per set of weights: raw, controlled, shift, length coefficient, labels' rate, and the two errors."""
    beta = fit_many(y, x, weights)
    level_field = x.copy()
    level_field[:, 1] = 0.0
    predicted = logistic(beta @ level_field.T)
    total = weights.sum(axis=1)
    raw, controlled = weights @ y / total, (weights * predicted).sum(axis=1) / total
    known = np.where(np.isfinite(label), weights, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_labelled = 1 / known.sum(axis=1)
        labels = known @ np.nan_to_num(label) * of_labelled
        raw_error = known @ y * of_labelled - labels
        controlled_error = (known * predicted).sum(axis=1) * of_labelled - labels
    return np.column_stack([raw, controlled, controlled - raw, beta[:, 1], labels, raw_error, controlled_error])


def _replicates(
    y: Floats, x: Floats, label: Floats, clusters: NDArray[np.int64], *, rng: np.random.Generator, resamples: int
) -> Floats:
    codes = cluster_codes(np.unique(clusters, return_inverse=True)[1])
    step = max(1, _BLOCK // len(y))
    parts = []
    for start in range(0, resamples, step):
        draws = rng.multinomial(codes.size, np.full(codes.size, 1 / codes.size), size=min(step, resamples - start))
        parts.append(_figures(y, x, label, draws[:, codes.codes].astype(np.float64)))
    return np.concatenate(parts)


def _estimate(value: float, replicates: Floats, *, n: int, clusters: NDArray[np.int64], level: float) -> Estimate:
    count = len(np.unique(clusters))
    usable = replicates[np.isfinite(replicates)]
    lost = len(replicates) - len(usable)
    flags = cluster_flags(count)
    if lost:
        flags = (*flags, f"{lost} of {len(replicates)} resamples had no fit")
    if lost > _MOST_LOST * len(replicates) or np.ptp(usable) == 0:
        return Estimate(value=value, interval=None, n=n, clusters=count, flags=(*flags, "no interval"))
    low, high = percentile_limits(usable, level=level)
    method = f"percentile cluster bootstrap, {count} clusters, {len(replicates):,} resamples"
    interval = Interval(low=low, high=high, level=level, method=method)
    return Estimate(value=value, interval=interval, n=n, clusters=count, flags=flags)
