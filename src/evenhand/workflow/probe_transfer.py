"""Predictors of flips fitted on all of one set, frozen, and judged on another that had no part in fitting them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import ConfigError, DataError
from evenhand.probes.boosted import boosted_transfer
from evenhand.probes.data import ProbeData
from evenhand.probes.evaluate import HeldOut, evaluate
from evenhand.probes.predictors import NO_SIGNAL, PREDICTORS, Method, Predictor, predictors
from evenhand.probes.results import ProbeReport
from evenhand.probes.saved import SavedProbe
from evenhand.probes.saved_card import TrainedOn, check_subject, subject_notes
from evenhand.probes.transfer import apply_frozen, freeze, no_signal, unfittable
from evenhand.stats import Refusal
from evenhand.workflow.probe_data import pair_compliance
from evenhand.workflow.probe_freeze import freezing
from evenhand.workflow.probe_settings import FitSettings
from evenhand.workflow.probe_table import predictions_table

if TYPE_CHECKING:
    import polars as pl

    from evenhand.workflow.probe_fit import FitProgress

__all__ = ["ProbeTransfer", "transfer_probes", "transfer_saved"]

_BOOTSTRAP: Final = 1
"""The stream of random numbers of the intervals, as in a fit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeTransfer:
    """What was found on the other set, and the predictions that it was found from.

    Attributes
    ----------
    predictions
        One row a pair of the other set; the columns of :class:`evenhand.workflow.probe_fit.ProbeFit` but for the fold.
    frozen
        The predictors that can be saved.
    """

    report: ProbeReport
    predictions: pl.DataFrame
    frozen: tuple[SavedProbe, ...]


def transfer_probes(
    train: ProbeData,
    apply: ProbeData,
    *,
    settings: FitSettings | None = None,
    allow_overlap: bool = False,
    created: str = "",
    progress: FitProgress | None = None,
) -> ProbeTransfer:
    """Fit every predictor on all of ``train``, freeze it with its standardisation, and judge it on ``apply``.

    Parameters
    ----------
    settings
        As in :func:`freeze_predictors`; ``resamples`` and ``level`` of the intervals over groups of ``apply``.
    allow_overlap
        Whether both sets may have question groups in common. Figures on these aren't those of a transfer.

    Raises
    ------
    ConfigError
        Another judge, prompt or readout, a place that only ``train`` has, or groups in common.
    DataError
        A set without usable pairs.
    """
    settings = settings or FitSettings()
    _check_sets(train, apply)
    trained = TrainedOn.of(train)
    notes = _overlap_notes(trained, apply, allowed=allow_overlap)
    notes += subject_notes(train.subject, apply.subject)
    how = freezing(settings, created=created)
    wanted = predictors(train, without=settings.without)
    held: list[HeldOut] = []
    frozen: list[SavedProbe] = []
    seconds: list[tuple[str, float]] = []
    for done, each in enumerate(wanted):
        _tell(progress, each.name, done, len(wanted) + 1)
        began = perf_counter()
        made = freeze(each, train, how=how)
        if isinstance(made, SavedProbe):
            frozen.append(made)
            held.append(replace(apply_frozen(made, apply), notes=each.notes))
        elif each.method is Method.TREES and unfittable(each, train, folds=how.folds) is None:
            held.append(_trees(each, train, apply, settings))
        else:
            held.append(_unfitted(each, made))
        seconds.append((f"{each.name}: fit and apply", perf_counter() - began))
    _tell(progress, "intervals", len(wanted), len(wanted) + 1)
    made_of = _judge(held, apply, trained, settings=settings, notes=notes, seconds=seconds)
    _tell(progress, "", len(wanted) + 1, len(wanted) + 1)
    return replace(made_of, frozen=tuple(frozen))


def transfer_saved(
    probes: Sequence[SavedProbe],
    apply: ProbeData,
    *,
    settings: FitSettings | None = None,
    allow_overlap: bool = False,
) -> ProbeTransfer:
    """Judge saved predictors on another set, beside the flip rate of the set that they were trained on.

    Parameters
    ----------
    probes
        Of one training set, with unlike names.
    settings
        Only ``seed``, ``resamples`` and ``level`` are used.

    Raises
    ------
    ConfigError
        No probe, two of one name or of different training sets, another judge or prompt than theirs, a layer that
        wasn't collected, or groups in common with the training set.
    DataError
        A set without usable pairs.
    """
    settings = settings or FitSettings()
    probes = sorted(probes, key=lambda each: _rank(each.name))
    first = _alike(probes)
    for each in probes:
        each.check(apply.subject)
    if not len(apply):
        raise DataError(f"{apply.spec or 'the set'} has no usable pair")
    trained = first.card.trained_on
    notes = _overlap_notes(trained, apply, allowed=allow_overlap)
    notes += tuple(dict.fromkeys(note for each in probes for note in each.notes(apply.subject)))
    held = [apply_frozen(each, apply) for each in probes]
    if NO_SIGNAL not in {each.name for each in probes} and 0 < trained.flip_rate < 1:
        held.append(apply_frozen(no_signal(like=first.card), apply))
    return replace(_judge(held, apply, trained, settings=settings, notes=notes, seconds=()), frozen=tuple(probes))


def _tell(progress: FitProgress | None, what: str, done: int, total: int) -> None:
    if progress is not None:
        progress(what, done, total)


def _check_sets(train: ProbeData, apply: ProbeData) -> None:
    for data in (train, apply):
        if not len(data):
            raise DataError(f"{data.spec or 'a set'} has no usable pair")
    check_subject(train.subject, apply.subject, name=f"of {train.spec or 'the training set'}")
    absent = sorted(set(train.activations) - set(apply.activations))
    if absent:
        both = sorted({place.layer for place in set(train.activations) & set(apply.activations)})
        layers = ",".join(map(str, both))
        raise ConfigError(
            f"{', '.join(place.name for place in absent)} collected for {train.spec or 'the training set'} but not for "
            f"{apply.spec or 'the other set'}: collect there too"
            + (f", or fit only layers that both have (--layers {layers})" if layers else "")
        )


def _overlap_notes(trained: TrainedOn, apply: ProbeData, *, allowed: bool) -> tuple[str, ...]:
    shared = trained.overlap(apply)
    groups = len(set(apply.groups))
    if not shared.groups:
        if not shared.pairs:
            return ()
        return (f"{shared.pairs:,} pair ids occur in both sets, under other question groups: taken for other pairs",)
    said = f"{shared.groups:,} of {groups:,} question groups ({shared.pairs:,} pairs)"
    if not allowed:
        raise ConfigError(
            f"{said} of {apply.spec or 'the set'} are in the training set {trained.spec or ''} too, where the "
            "predictors have seen them: that is no transfer; take other questions (or --allow-overlap, which notes it)"
        )
    return (f"{said} are in the training set too: figures on them are not those of a transfer",)


def _rank(name: str) -> int:
    """The report's order; names that none of our predictors has come last."""
    return PREDICTORS.index(name) if name in PREDICTORS else len(PREDICTORS)


def _alike(probes: Sequence[SavedProbe]) -> SavedProbe:
    if not probes:
        raise ConfigError("no saved probe to apply: give at least one")
    names = [each.name for each in probes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"two saved probes are named {twice!r}: apply them one by one")
    first = probes[0]
    for each in probes:
        if each.card.trained_on != first.card.trained_on:
            raise ConfigError(
                f"probes {first.name} and {each.name} were trained on different sets: apply them one by one"
            )
    return first


def _trees(predictor: Predictor, train: ProbeData, apply: ProbeData, settings: FitSettings) -> HeldOut:
    """Trees are fitted here and kept nowhere; their columns on the other set are those of the same features."""
    there = next(each for each in predictors(apply) if each.name == predictor.name)
    if there.features != predictor.features:
        missing = ", ".join(name for name in predictor.features if name not in there.features)
        return _unfitted(predictor, Refusal(reason=f"pairs of the other set lack {missing}", n=len(apply)))
    (known,), (other,) = predictor.build(), there.build()
    made = boosted_transfer(
        known.features, train.flips, train.groups, other.features, folds=settings.outer_folds, seed=settings.seed
    )
    return HeldOut(
        name=predictor.name,
        kind=predictor.kind,
        features=predictor.features,
        probabilities=made.probabilities,
        selections=made.selections,
        notes=predictor.notes,
    )


def _unfitted(predictor: Predictor, refusal: Refusal) -> HeldOut:
    return HeldOut(
        name=predictor.name,
        kind=predictor.kind,
        features=predictor.features,
        probabilities=refusal,
        notes=predictor.notes,
    )


def _judge(
    held: Sequence[HeldOut],
    apply: ProbeData,
    trained: TrainedOn,
    *,
    settings: FitSettings,
    notes: tuple[str, ...],
    seconds: Sequence[tuple[str, float]],
) -> ProbeTransfer:
    began = perf_counter()
    evaluation = evaluate(
        held,
        flips=apply.flips,
        choices=apply.choice_ab,
        groups=apply.groups,
        rng=np.random.default_rng([settings.seed, _BOOTSTRAP]),
        resamples=settings.resamples,
        level=settings.level,
    )
    report = ProbeReport(
        task="transfer",
        subject=apply.subject,
        data=apply.spec,
        sha256=apply.sha256,
        trained_on=(trained.spec, trained.pairs),
        pairs=len(apply),
        groups=len(set(apply.groups)),
        retention=apply.retention,
        flip_rate=evaluation.flip_rate,
        compliance=pair_compliance(apply, level=settings.level),
        predictors=evaluation.predictors,
        differences=evaluation.differences,
        outer_folds=0,
        inner_folds=settings.outer_folds,
        seed=settings.seed,
        resamples=settings.resamples,
        level=settings.level,
        notes=notes,
        seconds=(*seconds, ("intervals", perf_counter() - began)),
    )
    return ProbeTransfer(report=report, predictions=predictions_table(apply, held), frozen=())
