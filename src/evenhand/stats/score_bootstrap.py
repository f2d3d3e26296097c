"""Several predictors' scores on the same rows, and their paired differences, from the same resamples of clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import (
    FloatArray,
    as_labels,
    as_numbers,
    check_level,
    check_resamples,
    check_same_length,
)
from evenhand.stats.clusters import ClusterCodes, cluster_codes, cluster_flags, refuse_few_clusters
from evenhand.stats.multiplicities import multiplicity_blocks, resampling_units
from evenhand.stats.precision import precision_order
from evenhand.stats.ranking import RANKS_NOTHING, Ranking, rank
from evenhand.stats.resampling import percentile_limits
from evenhand.stats.results import Estimate, Interval, Refusal
from evenhand.stats.sides import no_discordance_interval, perfect_ranking_interval, sides

__all__ = ["SCORES", "RankedDifference", "ScoreBootstrap", "ScoreName", "ScoredPredictor", "bootstrap_scores"]

ScoreName = Literal["auroc", "auprc", "brier", "choice-matched-auroc"]
"""AUROC, average precision, the Brier score, and AUROC within equal choices."""

SCORES: Final[tuple[ScoreName, ...]] = get_args(ScoreName)

NO_VARIATION = "no variation over the resamples: no interval"

# Differences of sums of doubles around 1 that are 0 on paper.
_ZERO = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredPredictor:
    """One score of one predictor."""

    predictor: str
    score: ScoreName
    estimate: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedDifference:
    """``predictor`` minus ``reference`` in one score."""

    predictor: str
    reference: str
    score: ScoreName
    estimate: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreBootstrap:
    """Every score of every predictor, and the differences asked for, each in the order asked for."""

    scores: tuple[ScoredPredictor, ...]
    differences: tuple[RankedDifference, ...]

    def score(self, predictor: str, score: ScoreName) -> Estimate | Refusal:
        """One predictor's figure."""
        return next(s.estimate for s in self.scores if (s.predictor, s.score) == (predictor, score))

    def difference(self, predictor: str, reference: str, score: ScoreName) -> Estimate | Refusal:
        """One difference asked for."""
        wanted = (predictor, reference, score)
        return next(d.estimate for d in self.differences if (d.predictor, d.reference, d.score) == wanted)


def bootstrap_scores(
    predictions: Mapping[str, ArrayLike],
    labels: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    choices: ArrayLike | None = None,
    differences: Sequence[tuple[str, str]] = (),
    scores: Sequence[ScoreName] | None = None,
    rng: np.random.Generator,
    resamples: int = 2000,
    level: float = 0.95,
) -> ScoreBootstrap:
    """AUROC, AUPRC, Brier score and choice-matched AUROC of several predictors, with percentile intervals.

    The clusters are drawn once for all: a replicate of every score, and of every difference, is on the same resample. A
    resample is a weight per cluster, so that a replicate is one weighted pass over rows sorted once: exact, ties
    included.

    Parameters
    ----------
    predictions
        By predictor, shape ``(n,)`` each: probabilities, or any scores where the Brier score isn't asked for.
    labels, clusters, choices
        Shape ``(n,)`` each; labels are 0/1, choices are any values (None: no choice-matched AUROC).
    differences
        Pairs of predictors: the first minus the second, in every score.
    scores
        Which; None is all that the arguments allow.

    Returns
    -------
    ScoreBootstrap
        AUROC and AUPRC are refused unless 5 clusters have a positive and 5 a negative that are compared, the Brier
        score below 5 clusters. Resamples in which a score has no value are left out and counted in its flags. An AUROC
        of 0 or 1 gets the Clopper–Pearson interval on the clusters of the rarer label; the difference of two scores
        that rank alike gets Bonett and Price's for no discordance; a score that ranks nothing, and one that can't
        vary, gets no interval, and its flags say why.

    Raises
    ------
    StatisticsError
        For arrays that don't fit each other, probabilities outside of 0 to 1, or a difference of unknown predictors.

    Notes
    -----
    Renaming clusters changes nothing: they are numbered as they appear. The coverage of these intervals is measured in
    tests/simulation/test_score_bootstrap.py.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> labels = np.arange(80) % 2
    >>> good = np.clip(0.25 + labels / 2 + rng.normal(scale=0.2, size=80), 0, 1)
    >>> result = bootstrap_scores(
    ...     {"good": good, "even": np.full(80, 0.5)},
    ...     labels,
    ...     np.arange(80) // 2,
    ...     differences=[("good", "even")],
    ...     rng=rng,
    ...     resamples=500,
    ... )
    >>> result.difference("good", "even", "brier").interval.high < 0
    True
    >>> result.score("even", "auroc").value, result.score("even", "auroc").interval
    (0.5, None)
    """
    check_level(level)
    check_resamples(resamples)
    wanted = _wanted(scores, matched=choices is not None)
    rows = _Rows.of(labels, clusters, choices)
    for pair in differences:
        for name in pair:
            if name not in predictions:
                msg = f"a difference names {name!r}, which is none of the predictors: {', '.join(predictions)}"
                raise StatisticsError(msg)
    tracks = [_track(name, score, values, rows) for name, values in predictions.items() for score in wanted]
    _resample(tracks, rows, rng=rng, resamples=resamples)
    by_key = {(track.predictor, track.score): track for track in tracks}
    return ScoreBootstrap(
        scores=tuple(
            ScoredPredictor(
                predictor=track.predictor, score=track.score, estimate=track.estimate(level=level, resamples=resamples)
            )
            for track in tracks
        ),
        differences=tuple(
            RankedDifference(
                predictor=first,
                reference=second,
                score=score,
                estimate=_difference(
                    by_key[first, score], by_key[second, score], rows, level=level, resamples=resamples
                ),
            )
            for first, second in differences
            for score in wanted
        ),
    )


def _wanted(scores: Sequence[ScoreName] | None, *, matched: bool) -> tuple[ScoreName, ...]:
    if scores is None:
        return SCORES if matched else tuple(score for score in SCORES if score != "choice-matched-auroc")
    for score in scores:
        if score not in SCORES:
            msg = f"score {score!r}: expected some of {', '.join(SCORES)}"
            raise StatisticsError(msg)
    if "choice-matched-auroc" in scores and not matched:
        msg = "choice-matched AUROC needs choices"
        raise StatisticsError(msg)
    return tuple(scores)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """What every predictor is scored against."""

    labels: NDArray[np.bool_]
    codes: ClusterCodes
    choices: NDArray[Any] | None

    @classmethod
    def of(cls, labels: ArrayLike, clusters: Sequence[Any] | NDArray[Any], choices: ArrayLike | None) -> _Rows:
        label = as_labels("labels", labels)
        codes = cluster_codes(clusters)
        check_same_length(labels=label, clusters=codes.codes)
        # In the order of their first rows, so that no name decides which cluster a draw hits.
        _, first, inverse = np.unique(codes.codes, return_index=True, return_inverse=True)
        place = np.argsort(np.argsort(first))
        return cls(
            labels=label,
            codes=ClusterCodes(codes=place[inverse].astype(np.intp), size=len(first)),
            choices=None if choices is None else np.asarray(choices),
        )


@dataclass(slots=True, kw_only=True, eq=False)
class _Track:
    """One score of one predictor, on the data and over the resamples."""

    predictor: str
    score: ScoreName
    value: float
    refusal: Refusal | None
    ranking: Ranking | None
    """Of an AUROC."""
    smaller: int
    flags: tuple[str, ...]
    rows: _Rows
    replicate: Callable[[FloatArray], FloatArray]
    replicates: FloatArray

    @property
    def ranks_nothing(self) -> bool:
        """Whether all that is compared is tied."""
        return self.ranking is not None and self.ranking.ranks_nothing

    def estimate(self, *, level: float, resamples: int) -> Estimate | Refusal:
        if self.refusal is not None:
            return self.refusal
        if self.ranks_nothing:
            return self._estimated(None, (RANKS_NOTHING,))
        if self.ranking is not None and self.value in (0.0, 1.0):
            return self._estimated(perfect_ranking_interval(self.value, self.smaller, level))
        interval, flags = _percentile(self.replicates, self.rows, level=level, resamples=resamples)
        return self._estimated(interval, flags)

    def _estimated(self, interval: Interval | None, flags: tuple[str, ...] = ()) -> Estimate:
        return _estimate(self.value, interval, self.rows, (*self.flags, *flags))


def _track(predictor: str, score: ScoreName, values: ArrayLike, rows: _Rows) -> _Track:
    scored = as_numbers(f"predictions of {predictor}", values)
    check_same_length(**{f"predictions of {predictor}": scored, "labels": rows.labels})
    n, codes = len(scored), rows.codes
    units = codes.codes
    few = refuse_few_clusters(codes.size, n=n) if n else Refusal(reason="no observations", n=0)
    if score == "brier":
        if ((scored < 0) | (scored > 1)).any():
            msg = f"predictions of {predictor} must lie between 0 and 1 for the Brier score"
            raise StatisticsError(msg)
        squares = (scored - rows.labels) ** 2
        errors, sizes = (np.bincount(units, weights=column, minlength=codes.size) for column in (squares, np.ones(n)))
        return _Track(
            predictor=predictor,
            score=score,
            value=float(squares.mean()) if n else float("nan"),
            refusal=few,
            ranking=None,
            smaller=codes.size,
            flags=cluster_flags(codes.size),
            rows=rows,
            replicate=lambda weights: (weights @ errors) / (weights @ sizes),
            replicates=np.empty(0),
        )
    ranking = rank(scored, rows.labels, rows.choices if score == "choice-matched-auroc" else None)
    both = sides(ranking, codes) if n else None
    order = precision_order(scored, rows.labels) if score == "auprc" else None
    return _Track(
        predictor=predictor,
        score=score,
        value=ranking.value if order is None else order.value,
        refusal=both.refusal(n) if both is not None else few,
        ranking=ranking if order is None else None,
        smaller=both.smaller if both is not None else 0,
        flags=both.flags if both is not None else (),
        rows=rows,
        replicate=(
            (lambda weights: ranking.auroc(weights, units))
            if order is None
            else (lambda weights: order.average_precision(weights, units))
        ),
        replicates=np.empty(0),
    )


def _resample(tracks: Sequence[_Track], rows: _Rows, *, rng: np.random.Generator, resamples: int) -> None:
    """Fill the replicates of all tracks from one pass over the resamples."""
    live = [track for track in tracks if track.refusal is None]
    if not live:
        return
    # Distinct keys: clusters are never pooled, since several predictors share their draws.
    units = resampling_units(rows.codes, [np.arange(len(rows.labels), dtype=np.float64)])
    parts: list[list[FloatArray]] = [[] for _ in live]
    for weights in multiplicity_blocks(units, rng=rng, resamples=resamples):
        for track, part in zip(live, parts, strict=True):
            part.append(track.replicate(weights))
    for track, part in zip(live, parts, strict=True):
        track.replicates = np.concatenate(part)


def _difference(first: _Track, second: _Track, rows: _Rows, *, level: float, resamples: int) -> Estimate | Refusal:
    refusal = first.refusal or second.refusal
    if refusal is not None:
        return refusal
    value = first.value - second.value
    replicates = first.replicates - second.replicates
    if first.ranks_nothing and second.ranks_nothing:
        return _estimate(value, None, rows, (*first.flags, RANKS_NOTHING))
    if first.ranking is not None and second.ranking is not None:
        influence = first.ranking.influence() - second.ranking.influence()
        by_cluster = np.bincount(rows.codes.codes, weights=influence, minlength=rows.codes.size)
        if float(by_cluster @ by_cluster) <= _ZERO**2:
            return _estimate(value, no_discordance_interval(value, first.smaller, level), rows, first.flags)
    interval, flags = _percentile(replicates, rows, level=level, resamples=resamples)
    return _estimate(value, interval, rows, (*first.flags, *flags))


def _estimate(value: float, interval: Interval | None, rows: _Rows, flags: tuple[str, ...]) -> Estimate:
    return Estimate(
        value=value,
        interval=interval,
        n=len(rows.labels),
        count=float(rows.labels.sum()),
        clusters=rows.codes.size,
        flags=flags,
    )


def _percentile(
    replicates: FloatArray, rows: _Rows, *, level: float, resamples: int
) -> tuple[Interval | None, tuple[str, ...]]:
    """The interval between two quantiles of the replicates that have a value, and what must be said of it."""
    usable = replicates[~np.isnan(replicates)]
    lost = resamples - len(usable)
    flags = (f"{lost} of {resamples} resamples had nothing to compare",) if lost else ()
    if len(usable) == 0 or float(np.ptp(usable)) <= _ZERO:
        return None, (*flags, NO_VARIATION)
    low, high = percentile_limits(usable, level=level)
    text = f"percentile cluster bootstrap, {rows.codes.size} clusters, {resamples:,} resamples"
    return Interval(low=low, high=high, level=level, method=text), flags
