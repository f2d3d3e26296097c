"""From runs to leaderboards of the authors of the responses, and what position bias did to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import WideTable
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.analysis.wide import widen
from evenhand.errors import ConfigError, DataError
from evenhand.mitigation.leaderboard import audit_leaderboard
from evenhand.mitigation.ranking import Model
from evenhand.mitigation.rankings import RankedScope, Rankings
from evenhand.records import Readout
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_verdicts import RunVerdicts, count_sentences, read_run

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["RankProgress", "RankRun", "RankedScope", "rank_authors"]

RankProgress = Callable[[str, int, int], None]
"""Told what is being ranked, how many resamples are done, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRun(Rankings):
    """What was ranked, and how; see :class:`evenhand.mitigation.rankings.Rankings`."""

    def study(self) -> Study:
        """It all as a report has it."""
        from evenhand.report.studies.ranking import ranking_study

        return ranking_study(self)


def rank_authors(
    runs: str | Path | AuditRun | Sequence[str | Path | AuditRun],
    *,
    condition: str | None = None,
    readout: Readout | str | None = None,
    model: Model | str = Model.DAVIDSON,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
    progress: RankProgress | None = None,
) -> RankRun:
    """Rank the authors of the responses by the verdicts of each run, from one order, from both, and debiased.

    Parameters
    ----------
    runs
        Directories of runs, live or imported, whose pairs name their authors; each is ranked by itself.
    condition, readout
        None: every condition without changes, and every readout that was asked of all pairs.
    model
        How comparisons become strengths; see :class:`evenhand.mitigation.ranking.Model`.
    cluster
        What is resampled.
    progress
        See :data:`RankProgress`.

    Raises
    ------
    ConfigError
        A model, readout or condition that there isn't, a run without both orders of its pairs, or a missing library.
    StoreError
        A run can't be read.
    """
    given = [runs] if isinstance(runs, str | Path | AuditRun) else list(runs)
    if not given:
        raise ConfigError("no run to rank: name at least one run directory")
    how, wanted = _model(model), None if readout is None else _readout(readout)
    if not resamples >= 100:
        raise ConfigError(f"resamples is {resamples}: an interval needs at least 100")
    scopes: list[RankedScope] = []
    notes: list[str] = []
    unit = ""
    for number, run in enumerate(map(read_run, given)):
        _check(run, condition=condition, readout=wanted)
        wide = widen(run.table)
        clusters = resampling_unit(wide.facts, cluster)
        unit = clusters.name
        notes += count_sentences(run.counts, which=f"run {run.directory}")
        scopes += _rank_run(
            run,
            wide,
            condition=condition,
            readout=wanted,
            model=how,
            rng=np.random.default_rng([seed, number]),
            resamples=resamples,
            level=level,
            clusters=clusters.clusters,
            progress=progress,
        )
    return RankRun(
        scopes=tuple(scopes),
        model=how,
        resamples=resamples,
        level=level,
        seed=seed,
        resampled_by=unit,
        notes=tuple(notes),
    )


def _model(name: Model | str) -> Model:
    try:
        model = Model(name)
    except ValueError:
        model = Model.SLOT
    if model is Model.SLOT:
        raise ConfigError(f"model is {str(name)!r}: expected {Model.DAVIDSON} or {Model.BRADLEY_TERRY}")
    return model


def _readout(name: Readout | str) -> Readout:
    if name not in list(Readout):
        raise ConfigError(f"readout {name!r}: expected {', '.join(Readout)}")
    return Readout(name)


def _check(run: RunVerdicts, *, condition: str | None, readout: Readout | None) -> None:
    """Refuse a run that doesn't have what was asked for."""
    if run.orders != "both":
        raise ConfigError(
            f"{run.directory}: not all pairs were asked in both orders, so nothing can be said of what the order "
            "does to a leaderboard; rank a run with both orders of every pair"
        )
    known = [each.id for each in run.controls]
    if condition is not None and condition not in known:
        raise ConfigError(f"{run.directory}: has no condition {condition!r}; it has {', '.join(map(repr, known[:12]))}")
    if readout is not None and readout not in run.readouts:
        raise ConfigError(f"{run.directory}: has no readout {readout.value}; it has {', '.join(run.readouts)}")
    if run.table.height == 0:
        raise DataError("nothing is answered yet", path=run.directory, remedy="finish the run first")


def _rank_run(
    run: RunVerdicts,
    wide: WideTable,
    *,
    condition: str | None,
    readout: Readout | None,
    model: Model,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    clusters: NDArray[np.int64],
    progress: RankProgress | None,
) -> list[RankedScope]:
    authors = {pair.id: (pair.author_a, pair.author_b) for pair in run.pairs}
    controls = {each.id for each in run.controls}
    ranked = []
    for scope in wide.scopes:
        if scope.condition not in controls or scope.readout not in run.readouts:
            continue
        if condition not in (None, scope.condition) or readout not in (None, scope.readout):
            continue
        what = f"{scope.condition}, {scope.readout}"
        found = audit_leaderboard(
            scope,
            ids=tuple(map(str, wide.facts.ids)),
            authors=authors,
            clusters=clusters,
            rng=rng,
            model=model,
            resamples=resamples,
            level=level,
            progress=None if progress is None else partial(progress, what),
        )
        ranked.append(
            RankedScope(
                run=str(run.directory),
                judge=run.manifest.judge.model or run.manifest.judge.spec,
                condition=scope.condition,
                readout=scope.readout,
                found=found,
            )
        )
    return ranked
