"""Fit every predictor of flips by nested cross-validation, judge their held-out predictions, and say what was seen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import StatisticsError
from evenhand.probes.boosted import require_boosting
from evenhand.probes.data import ProbeData
from evenhand.probes.evaluate import Evaluation, HeldOut, evaluate, unranked
from evenhand.probes.fitting import Folding, held_out
from evenhand.probes.folds import grouped_folds
from evenhand.probes.learning_curve import FRACTIONS, learning_predictions
from evenhand.probes.nested_cv import nested_predictions_of
from evenhand.probes.predictors import (
    COMBINED,
    PROBE,
    SHUFFLED,
    TREES,
    Method,
    Predictor,
    predictors,
)
from evenhand.probes.results import LearningPoint, Metric, PredictorResult, ProbeReport
from evenhand.probes.shuffled import refused_control, shuffled_result
from evenhand.records import Readout
from evenhand.stats import Refusal
from evenhand.workflow.probe_data import pair_compliance
from evenhand.workflow.probe_settings import FitSettings
from evenhand.workflow.probe_table import predictions_table

if TYPE_CHECKING:
    import polars as pl

__all__ = ["FitProgress", "FitSettings", "ProbeFit", "fit_probes"]

# Streams of random numbers, each apart from the others of the same seed.
_BOOTSTRAP: Final = 1
_SHUFFLES: Final = 2

_GROUPS_A_FOLD: Final = 2
"""Fewer question groups than this for each outer fold say nothing, and leave inner folds empty."""

_LABEL_GROUPS: Final = 5
"""Groups with a flip, and without, below which nothing is fitted: as for an interval."""

_T = TypeVar("_T")

_POOLED: Final = (
    "Ranking all folds' predictions together, as in “Will the Judge Flip?” (2026), costs weak predictors more than "
    "strong ones (Parker et al. 2007, doi:10.1186/1471-2105-8-326), and differences between them inherit that: where a "
    "predictor's AUROC within folds is another, compare that too."
)

_ASK_P: Final = "Whether there is any signal is better asked of the shuffled labels' p."

_FIXED: Final = (
    "Intervals hold the predictions fixed, as there: they leave out what other training pairs would have "
    "changed. Simulated at 120 to 500 pairs, cross-validated AUROCs vary 1.3 to 1.6 times as much as they say, and 95 "
    "% intervals hold the procedure's mean in .81 to .87 of the sets."
)

FitProgress = Callable[[str, int, int], None]
"""Told what is being fitted, how many steps are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeFit:
    """What was found, and the predictions that it was found from.

    Attributes
    ----------
    predictions
        One row a pair, in the order of the data: ``pair_id``, ``group``, ``fold``, ``flip``, ``choice_ab``, the raw
        ``confidence`` (null where there is none), ``margin`` and ``length_difference``, and a column of held-out
        probabilities for each predictor that has them, named by :func:`evenhand.probes.predictors.probability_column`.
    """

    report: ProbeReport
    predictions: pl.DataFrame


def fit_probes(
    data: ProbeData, *, settings: FitSettings | None = None, progress: FitProgress | None = None
) -> ProbeFit:
    """Cross-validate the probe, the baselines and what goes beyond, and evaluate them on the same pairs.

    Parameters
    ----------
    data
        Of one judge; for several judges on the same pairs, restrict each by :meth:`ProbeData.rows` first: folds follow
        from the groups' names and the seed, so that they are then the same.
    settings
        None for the paper's.

    Raises
    ------
    StatisticsError
        Fewer question groups than 2 for each outer fold.
    ConfigError
        scikit-learn isn't installed and the boosted trees weren't left out.

    Notes
    -----
    With fewer than 5 groups with a flip, or without one, nothing is fitted: every predictor but the flip rate itself
    is refused with that reason.

    Examples
    --------
    A direction that tells flips, planted in a residual stream of 4:

    >>> from evenhand.probes import Place, ProbeData, ProbeSubject, Retention
    >>> from evenhand.records import Readout
    >>> rng, n = np.random.default_rng(0), 200
    >>> flips = rng.random(n) < 0.4
    >>> data = ProbeData(
    ...     subject=ProbeSubject(
    ...         model="planted", revision=None, dtype="float32", prompt="three-line", prompt_hash="0", labels="A/B",
    ...         readout=Readout.GENERATED, blocks=2, size=4,
    ...     ),
    ...     pair_ids=tuple(f"p{i}" for i in range(n)),
    ...     groups=tuple(f"q{i // 2}" for i in range(n)),
    ...     flips=flips,
    ...     choice_ab=rng.integers(0, 2, n).astype(np.int8),
    ...     confidence=rng.uniform(0, 100, n),
    ...     margin=rng.normal(size=n),
    ...     length_difference=rng.normal(size=n),
    ...     activations={Place.parse("before-verdict@1"): rng.normal(flips[:, None], size=(n, 4)).astype(np.float32)},
    ...     retention=Retention(planned=n, usable=n),
    ... )
    >>> without = ("boosted-trees", "shuffled-labels")
    >>> fit = fit_probes(data, settings=FitSettings(without=without, learning_curve=False, resamples=200))
    >>> auroc = fit.report.predictor("probe").metric(Metric.AUROC)
    >>> auroc.interval.low > 0.5
    True
    """
    settings = settings or FitSettings()
    _check_size(data, settings)
    wanted = _wanted(data, settings)
    outer = grouped_folds(data.groups, folds=settings.outer_folds, seed=settings.seed)
    folding = Folding(
        groups=data.groups,
        outer=outer,
        inner_folds=settings.inner_folds,
        seed=settings.seed,
        penalties=settings.penalties,
    )
    run = _Run(data=data, settings=settings, folding=folding, clock=_Clock(_steps(wanted, settings), progress))
    found = [run.clock.timed(each.name, partial(held_out, each, data.flips, folding)) for each in wanted]
    evaluation = run.clock.timed("intervals", lambda: run.evaluate(found, stream=_BOOTSTRAP))
    results = evaluation.predictors
    if settings.shuffled:
        results += (run.clock.timed(SHUFFLED, lambda: _shuffled(wanted, evaluation, run)),)
    return ProbeFit(
        report=ProbeReport(
            task="fit",
            subject=data.subject,
            data=data.spec,
            sha256=data.sha256,
            pairs=len(data),
            groups=len(set(data.groups)),
            retention=data.retention,
            flip_rate=evaluation.flip_rate,
            compliance=pair_compliance(data, level=settings.level),
            predictors=results,
            differences=evaluation.differences,
            learning_curve=_learning_curve(wanted, found, run) if settings.learning_curve else (),
            outer_folds=settings.outer_folds,
            inner_folds=settings.inner_folds,
            seed=settings.seed,
            resamples=settings.resamples,
            level=settings.level,
            notes=_notes(settings, results),
            seconds=tuple(run.clock.seconds),
        ),
        predictions=predictions_table(data, found, folds=outer),
    )


def _check_size(data: ProbeData, settings: FitSettings) -> None:
    groups, least = len(set(data.groups)), _GROUPS_A_FOLD * settings.outer_folds
    if groups < max(least, settings.outer_folds + settings.inner_folds):
        raise StatisticsError(
            f"{len(data):,} usable pairs in {groups:,} question groups, and cross-validation needs at least {least}: "
            f"{_remedy(data)}"
        )


def _remedy(data: ProbeData) -> str:
    """What became of the pairs, and what would leave more of them: more pairs where most can be used."""
    kept, why = data.retention, data.retention.why()
    if why is None or not kept.few:
        return "collect more pairs"
    lost = f"{kept.usable:,} of {kept.planned:,} pairs can be used, most are lost: {why}"
    if why.startswith("not asked yet"):
        return f"{lost}; finish the collection first: the same evenhand probe collect goes on"
    if data.subject.readout is Readout.GENERATED:
        return (
            f"{lost}; collect with another readout (--readout first-token, with a prompt that asks for one character), "
            "or with another prompt or judge"
        )
    return f"{lost}; collect with another prompt, label set or judge"


def _wanted(data: ProbeData, settings: FitSettings) -> tuple[Predictor, ...]:
    """The predictors, all that learn refused where there is too little of a label to learn from."""
    wanted = predictors(data, without=settings.without)
    if any(each.name == TREES and each.refusal is None for each in wanted):
        require_boosting()
    few = _few_of_a_label(data)
    if few is None:
        return wanted
    return tuple(each if each.method is Method.RATE else replace(each, refusal=few) for each in wanted)


def _few_of_a_label(data: ProbeData) -> str | None:
    for wanted, what in ((True, "a flip"), (False, "a pair that doesn't flip")):
        count = len({group for group, flip in zip(data.groups, data.flips, strict=True) if bool(flip) is wanted})
        if count < _LABEL_GROUPS:
            return f"too little to learn from: needs at least {_LABEL_GROUPS} question groups with {what}, has {count}"
    return None


class _Clock:
    """Times each step and tells the listener of it."""

    def __init__(self, steps: int, listener: FitProgress | None) -> None:
        self.seconds: list[tuple[str, float]] = []
        self._steps = steps
        self._listener = listener

    def timed(self, name: str, work: Callable[[], _T]) -> _T:
        if self._listener is not None:
            self._listener(name, len(self.seconds), self._steps)
        start = perf_counter()
        result = work()
        self.seconds.append((name, perf_counter() - start))
        return result


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Run:
    """What every step needs."""

    data: ProbeData
    settings: FitSettings
    folding: Folding
    clock: _Clock

    def rng(self, stream: int) -> np.random.Generator:
        return np.random.default_rng([self.settings.seed, stream])

    def evaluate(self, found: Sequence[HeldOut], *, stream: int, compare: bool = True) -> Evaluation:
        return evaluate(
            found,
            flips=self.data.flips,
            choices=self.data.choice_ab,
            groups=self.data.groups,
            folds=self.folding.outer,
            rng=self.rng(stream),
            resamples=self.settings.resamples,
            level=self.settings.level,
            compare=compare,
        )


def _steps(wanted: Sequence[Predictor], settings: FitSettings) -> int:
    shares = len(FRACTIONS) * len(_learners(wanted)) if settings.learning_curve else 0
    return len(wanted) + 1 + settings.shuffled + shares


def _shuffled(wanted: Sequence[Predictor], evaluation: Evaluation, run: _Run) -> PredictorResult:
    data, folding = run.data, run.folding
    probe = next(each for each in wanted if each.name == PROBE)
    if probe.refusal is not None:
        return refused_control(Refusal(reason=probe.refusal, n=len(data)), features=probe.features)

    def fit(label_sets: NDArray[np.bool_]) -> NDArray[np.float64]:
        fitted = nested_predictions_of(
            probe.build(),
            label_sets,
            data.groups,
            outer=folding.outer,
            inner_folds=folding.inner_folds,
            seed=folding.seed,
            penalties=folding.penalties,
        )
        return np.array([each.probabilities for each in fitted])

    return shuffled_result(
        fit,
        data.flips,
        choices=data.choice_ab,
        groups=data.groups,
        features=probe.features,
        repeats=run.settings.shuffles,
        rng=run.rng(_SHUFFLES),
        unranked=unranked(data.flips),
        observed=evaluation.predictor(PROBE).metric(Metric.AUROC),
    )


def _learners(wanted: Sequence[Predictor]) -> tuple[Predictor, ...]:
    return tuple(each for each in wanted if each.name in (PROBE, COMBINED) and each.refusal is None)


def _learning_curve(wanted: Sequence[Predictor], found: Sequence[HeldOut], run: _Run) -> tuple[LearningPoint, ...]:
    """Each share of the groups, and all of them: the predictions that there are already."""
    data, folding = run.data, run.folding
    everything = float(np.mean([np.count_nonzero(folding.outer != fold) for fold in np.unique(folding.outer)]))
    points: list[tuple[str, float, HeldOut]] = []
    for learner in _learners(wanted):
        full = next(each for each in found if each.name == learner.name)
        for fraction in FRACTIONS:
            name = f"{learner.name}, {fraction:.3g} of the groups"
            part = run.clock.timed(
                name,
                partial(
                    learning_predictions,
                    learner.build(),
                    data.flips,
                    data.groups,
                    outer=folding.outer,
                    fraction=fraction,
                    inner_folds=folding.inner_folds,
                    seed=folding.seed,
                    penalties=folding.penalties,
                ),
            )
            points.append((learner.name, part.pairs, replace(full, name=name, probabilities=part.probabilities)))
        points.append((learner.name, everything, full))
    # The same stream as the predictors' own, so that the last point repeats their figures.
    evaluation = run.evaluate([point for _, _, point in points], stream=_BOOTSTRAP, compare=False)
    return tuple(
        LearningPoint(predictor=name, pairs=pairs, metrics=evaluation.predictor(point.name).metrics)
        for name, pairs, point in points
    )


def _notes(settings: FitSettings, results: Sequence[PredictorResult]) -> tuple[str, ...]:
    left_out = (f"left out, as asked: {', '.join(settings.without)}",) if settings.without else ()
    tested = any(each.permutation_p is not None for each in results)
    return (*left_out, _POOLED, f"{_FIXED} {_ASK_P}" if tested else _FIXED)
