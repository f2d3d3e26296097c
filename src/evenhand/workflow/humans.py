"""From runs and a file of human labels to what people make of the judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.analysis.unit import ClusterBy
from evenhand.analysis.wide import widen
from evenhand.audits.humans.agreement import human_agreement, judge_agreement
from evenhand.audits.humans.beside import LabelledScope
from evenhand.audits.humans.comparison import HumanComparison, JudgedByPeople
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.audits.humans.over_time import Period, agreement_over_time
from evenhand.audits.humans.win_rate import win_rates
from evenhand.datasets.labels import Labels, read_labels
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout
from evenhand.workflow.human_scopes import labelled_scope
from evenhand.workflow.readout_choice import TEXT_FIRST
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_verdicts import RunVerdicts, count_sentences, read_run

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["HumanRun", "JudgedByPeople", "compare_with_humans"]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanRun(HumanComparison):
    """What people make of the judges; see :class:`evenhand.audits.humans.comparison.HumanComparison`."""

    def study(self) -> Study:
        """It all as a report has it."""
        from evenhand.report.studies.humans import humans_study

        return humans_study(self)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Loaded:
    run: RunVerdicts
    scope: LabelledScope

    @property
    def pairs(self) -> LabelledPairs:
        return self.scope.pairs

    @property
    def sampler(self) -> Sampler:
        return self.scope.sampler


def compare_with_humans(
    runs: str | Path | AuditRun | Sequence[str | Path | AuditRun],
    labels: str | Path,
    *,
    condition: str | None = None,
    readout: Readout | str | None = None,
    period: Period | str = Period.MONTH,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> HumanRun:
    """Agreement of judges with human labels, over time, and prediction-powered win rates.

    Parameters
    ----------
    runs
        Directories of runs on the labelled pairs: several judges, or one judge at several times.
    labels
        A file of human labels (see :func:`evenhand.datasets.labels.read_labels`).
    condition, readout
        None: the first condition without changes; what the judge wrote, where it wrote.
    period
        ``day``, ``week`` or ``month``: how dated labels are gathered.

    Raises
    ------
    ConfigError
        A condition, readout or period that there isn't.
    DataError
        The labels can't be read, or none is of a judged pair.
    StoreError
        A run can't be read.
    """
    given = [runs] if isinstance(runs, str | Path | AuditRun) else list(runs)
    if not given:
        raise ConfigError("no run to compare with people: name at least one run directory")
    if period not in list(Period):
        raise ConfigError(f"period is {period!r}: expected {', '.join(Period)}")
    if readout is not None and readout not in list(Readout):
        raise ConfigError(f"readout {readout!r}: expected {', '.join(Readout)}")
    read = [read_run(run) for run in given]
    found = read_labels(labels, {pair.id for run in read for pair in run.pairs})
    loaded = [
        _load(
            run,
            found,
            condition=condition,
            readout=None if readout is None else Readout(readout),
            seed=seed,
            resamples=resamples,
            level=level,
            cluster=cluster,
        )
        for run in read
    ]
    first = loaded[0]
    return HumanRun(
        judges=tuple(
            _judged(each, number=number, period=Period(period), seed=seed) for number, each in enumerate(loaded)
        ),
        people=human_agreement(first.pairs, first.sampler, resamples=resamples),
        labels=found,
        labelled=sum(bool(own) for own in first.pairs.labels),
        resampled_by=first.scope.unit,
        resamples=resamples,
        level=level,
        seed=seed,
        notes=tuple(note for each in loaded for note in _notes(each)),
    )


def _judged(loaded: _Loaded, *, number: int, period: Period, seed: int) -> JudgedByPeople:
    return JudgedByPeople(
        run=str(loaded.run.directory),
        created=loaded.run.manifest.created,
        condition=loaded.scope.condition,
        readout=loaded.scope.readout,
        agreement=judge_agreement(loaded.pairs, loaded.sampler),
        over_time=agreement_over_time(loaded.pairs, loaded.sampler, period=period),
        win_rates=win_rates(
            loaded.pairs,
            clusters=loaded.sampler.clusters,
            rng=np.random.default_rng([seed, number]),
            resamples=loaded.sampler.resamples,
            level=loaded.sampler.level,
        ),
    )


def _load(
    run: RunVerdicts,
    labels: Labels,
    *,
    condition: str | None,
    readout: Readout | None,
    seed: int,
    resamples: int,
    level: float,
    cluster: ClusterBy,
) -> _Loaded:
    controls = [each.id for each in run.controls]
    if condition is not None and condition not in controls:
        known = ", ".join(map(repr, controls[:12]))
        raise ConfigError(f"{run.directory}: has no condition {condition!r}; it has {known}")
    chosen = condition or controls[0]
    if readout is not None and readout not in run.readouts:
        raise ConfigError(f"{run.directory}: has no readout {readout.value}; it has {', '.join(run.readouts)}")
    how = readout or next((each for each in TEXT_FIRST if each in run.readouts), None)
    if how is None:
        raise ConfigError(f"{run.directory}: no readout was asked of all pairs: compare people with a run that has one")
    wide = widen(run.table)
    scope = wide.find(chosen, how)
    if scope is None:
        raise DataError(
            f"no answer was read under condition {chosen!r} and readout {how.value}",
            path=run.directory,
            remedy="finish the run, or name another with --condition and --readout",
        )
    made = labelled_scope(
        wide,
        scope,
        labels,
        judge=run.manifest.judge.model or run.manifest.judge.spec,
        asked=run.measured,
        authors={pair.id: (pair.author_a, pair.author_b) for pair in run.pairs},
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
    )
    return _Loaded(run=run, scope=made)


def _notes(loaded: _Loaded) -> Iterator[str]:
    yield from count_sentences(loaded.run.counts, which=f"run {loaded.run.directory}")
    name = f"{loaded.pairs.judge} ({loaded.run.directory})"
    match loaded.pairs.asked:
        case "both":
            pass
        case "single":
            yield (
                f"{name}: each pair was shown in one order. Its verdict holds what that order did to it, and nothing "
                "tells how much that is."
            )
        case "AB":
            yield (
                f"{name}: order BA was asked of chosen pairs, which are no sample of all. Every figure is of order AB, "
                "and holds what that order did to it."
            )
        case "none":
            yield f"{name}: {NO_SLOTS}. A pair's verdict is what its two scores make."
        case _:
            assert_never(loaded.pairs.asked)
