"""AUROC, choice-matched AUROC, their cluster bootstrap and the paired difference of two of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, assert_never

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.stats.arrays import FloatArray, check_level, check_resamples, check_same_length
from evenhand.stats.clusters import ClusterCodes, cluster_codes
from evenhand.stats.multiplicities import multiplicity_blocks, resampling_units
from evenhand.stats.proportions import student_quantile
from evenhand.stats.ranking import RANKS_NOTHING, Ranking, rank
from evenhand.stats.resampling import IntervalMethod, bca_limits, percentile_limits
from evenhand.stats.results import Estimate, Interval, Refusal
from evenhand.stats.sides import no_discordance_interval, perfect_ranking_interval, sides

__all__ = ["auroc", "auroc_difference", "bootstrap_auroc", "choice_matched_auroc"]

NO_INTERVAL = ("no interval was made",)


def auroc(scores: ArrayLike, labels: ArrayLike) -> Estimate | Refusal:
    """Area under the ROC curve: chance that a positive outscores a negative, ties half.

    Parameters
    ----------
    scores, labels
        Shape ``(n,)``; labels are 0/1.

    Returns
    -------
    Estimate or Refusal
        Without an interval; ``count`` is the number of positives. Refused unless both labels occur.

    Examples
    --------
    >>> auroc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]).value
    0.75
    """
    return _point(rank(scores, labels), what="AUROC")


def choice_matched_auroc(scores: ArrayLike, labels: ArrayLike, choices: ArrayLike) -> Estimate | Refusal:
    """AUROC over those pairs of a positive and a negative whose choice is the same.

    A score that only knows the choice in the first order can't rank within a choice: it gets .5 here.
    Strata weigh by their pairs of observations.

    Examples
    --------
    >>> choice_matched_auroc([1, 1, 2, 2], [0, 1, 0, 1], ["A", "A", "B", "B"]).value
    0.5
    """
    return _point(rank(scores, labels, choices), what="choice-matched AUROC")


def bootstrap_auroc(
    scores: ArrayLike,
    labels: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    choices: ArrayLike | None = None,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    method: IntervalMethod = "bca",
) -> Estimate | Refusal:
    """AUROC with an interval over clusters; choice-matched where choices are given.

    Scores are sorted once. A resample of clusters is a weight per row, so each replicate is one weighted pass over
    sorted rows: exact, ties included.

    Parameters
    ----------
    scores, labels, clusters, choices
        Shape ``(n,)`` each.
    method
        ``percentile`` and ``bca`` (acceleration from DeLong's influence values) resample clusters; ``robust`` is
        DeLong's variance summed over clusters, on the logit scale, with Student's t.

    Returns
    -------
    Estimate or Refusal
        An AUROC of 0 or 1 gets the Clopper–Pearson interval on the smaller of the numbers of clusters with a
        positive and with a negative. A score that ties all that is compared gets none: its .5 holds on any data, and
        the flags say so. Refused unless 5 clusters have a positive and 5 a negative.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(40) % 2
    >>> estimate = bootstrap_auroc(labels + rng.normal(size=40), labels, np.arange(40) // 2, rng=rng)
    >>> estimate.interval.low < estimate.value < estimate.interval.high
    True
    """
    check_level(level)
    check_resamples(resamples)
    ranking = rank(scores, labels, choices)
    codes = cluster_codes(clusters)
    check_same_length(scores=np.empty(ranking.rows), clusters=codes.codes)
    what = "AUROC" if choices is None else "choice-matched AUROC"
    point = _point(ranking, what=what)
    if isinstance(point, Refusal):
        return point
    both = sides(ranking, codes)
    refusal = both.refusal(ranking.rows)
    if refusal is not None:
        return refusal
    influence = _by_cluster(ranking.influence(), codes, both.size)
    value = point.value
    flags = both.flags
    interval: Interval | None = None
    if ranking.ranks_nothing:
        flags += (RANKS_NOTHING,)
    elif value in (0.0, 1.0):
        interval = perfect_ranking_interval(value, both.smaller, level)
    elif method == "robust":
        interval = _logit_interval(value, influence, df=both.smaller - 1, level=level)
    else:
        replicates, lost = _replicates([scores], labels, choices, codes, rng=rng, resamples=resamples)
        flags += lost
        interval = _bootstrap_interval(replicates, value, influence, level=level, method=method, resamples=resamples)
    return Estimate(value=value, interval=interval, n=ranking.rows, count=point.count, clusters=both.size, flags=flags)


def auroc_difference(
    scores_1: ArrayLike,
    scores_2: ArrayLike,
    labels: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    choices: ArrayLike | None = None,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
    method: IntervalMethod = "percentile",
) -> Estimate | Refusal:
    """AUROC of score 1 minus that of score 2 on the same rows, both recomputed in each resample of the clusters.

    Parameters and refusals as in :func:`bootstrap_auroc`. Where both scores rank alike, nothing varies: the interval is
    then Bonett and Price's for no discordant pair among the clusters of the rarer label. Where neither ranks anything,
    their difference is 0 on any data: it gets no interval, and the flags say so.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(40) % 2
    >>> noise = rng.normal(size=(2, 40))
    >>> difference = auroc_difference(labels * 3 + noise[0], noise[1], labels, range(40), rng=rng)
    >>> difference.interval.low > 0
    True
    """
    check_level(level)
    check_resamples(resamples)
    first, second = rank(scores_1, labels, choices), rank(scores_2, labels, choices)
    codes = cluster_codes(clusters)
    check_same_length(scores_1=np.empty(first.rows), scores_2=np.empty(second.rows), clusters=codes.codes)
    point = _point(first, what="AUROC")
    if isinstance(point, Refusal):
        return point
    both = sides(first, codes)
    refusal = both.refusal(first.rows)
    if refusal is not None:
        return refusal
    value = first.value - second.value
    influence = _by_cluster(first.influence() - second.influence(), codes, both.size)
    flags = both.flags
    interval: Interval | None = None
    if first.ranks_nothing and second.ranks_nothing:
        flags += (RANKS_NOTHING,)
    elif float(influence @ influence) <= 1e-24:
        interval = no_discordance_interval(value, both.smaller, level)
    elif method == "robust":
        half = student_quantile(level, both.smaller - 1) * _cluster_error(influence)
        text = f"cluster-robust DeLong, t with {both.smaller - 1} df"
        interval = Interval(low=max(-1.0, value - half), high=min(1.0, value + half), level=level, method=text)
    else:
        replicates, lost = _replicates([scores_1, scores_2], labels, choices, codes, rng=rng, resamples=resamples)
        flags += lost
        interval = _bootstrap_interval(replicates, value, influence, level=level, method=method, resamples=resamples)
    return Estimate(value=value, interval=interval, n=first.rows, count=point.count, clusters=both.size, flags=flags)


def _point(ranking: Ranking, *, what: str) -> Estimate | Refusal:
    n, positives = ranking.rows, ranking.positives
    if not ranking.strata:
        where = "" if 0 < positives < n else f"; has {positives} positive and {n - positives} negative"
        return Refusal(reason=f"{what} needs a positive and a negative to compare{where}", n=n)
    return Estimate(value=ranking.value, interval=None, n=n, count=float(positives), flags=NO_INTERVAL)


def _replicates(
    scores: Sequence[ArrayLike],
    labels: ArrayLike,
    choices: ArrayLike | None,
    codes: ClusterCodes,
    *,
    rng: np.random.Generator,
    resamples: int,
) -> tuple[FloatArray, tuple[str, ...]]:
    """Replicates of the AUROC of one score, or of the difference for two; and a flag for resamples without a value."""
    columns = [np.asarray(column, dtype=np.float64) for column in (*scores, labels)]
    choice = None if choices is None else np.unique(np.asarray(choices), return_inverse=True)[1]
    units = resampling_units(codes, columns if choice is None else [*columns, choice.astype(np.float64)])
    rows = slice(None) if units.representatives is None else units.representatives
    label, matched = columns[-1][rows], None if choice is None else choice[rows]
    rankings = [rank(score[rows], label, matched) for score in columns[:-1]]
    parts = []
    for weights in multiplicity_blocks(units, rng=rng, resamples=resamples):
        first, *others = (ranking.auroc(weights, units.unit_of_row) for ranking in rankings)
        parts.append(first - others[0] if others else first)
    replicates = np.concatenate(parts)
    usable = replicates[~np.isnan(replicates)]
    lost = resamples - len(usable)
    return usable, ((f"{lost} of {resamples} resamples had nothing to compare",) if lost else ())


def _by_cluster(influence: FloatArray, codes: ClusterCodes, size: int) -> FloatArray:
    sums: FloatArray = np.asarray(np.bincount(codes.codes, weights=influence, minlength=codes.size), dtype=np.float64)
    present = np.bincount(codes.codes, minlength=codes.size) > 0
    return sums[present] if size < codes.size else sums


def _cluster_error(influence: FloatArray) -> float:
    return math.sqrt(float(influence @ influence) * len(influence) / (len(influence) - 1))


def _logit_interval(value: float, influence: FloatArray, *, df: int, level: float) -> Interval:
    # The rarer label limits what is known of the variance; docs/decisions/0003 has the coverage that settled it.
    centre = math.log(value / (1 - value))
    half = student_quantile(level, df) * _cluster_error(influence) / (value * (1 - value))
    return Interval(
        low=1 / (1 + math.exp(half - centre)),
        high=1 / (1 + math.exp(-half - centre)),
        level=level,
        method=f"cluster-robust DeLong on the logit scale, t with {df} df",
    )


def _bootstrap_interval(
    replicates: FloatArray,
    value: float,
    influence: FloatArray,
    *,
    level: float,
    method: IntervalMethod,
    resamples: int,
) -> Interval:
    match method:
        case "percentile":
            low, high = percentile_limits(replicates, level=level)
            name = "percentile"
        case "bca":
            # Leaving one cluster out moves the estimate against its influence.
            copies = np.ones(len(influence), dtype=np.int64)
            low, high = bca_limits(replicates, value=value, left_out=-influence, copies=copies, level=level)
            name = "BCa"
        case "robust":
            msg = "robust intervals don't resample"
            raise AssertionError(msg)
        case _:
            assert_never(method)
    text = f"{name} cluster bootstrap, {len(influence)} clusters, {resamples:,} resamples"
    return Interval(low=low, high=high, level=level, method=text)
