"""What a pilot run tells of a larger one: its flips, its repeats, and how alike the pairs of one question are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis import FindingKind
from evenhand.analysis.scope import Scope, WideTable
from evenhand.analysis.wide import widen
from evenhand.errors import DataError
from evenhand.records import Readout
from evenhand.report.studies.power_plan import PilotFacts
from evenhand.stats import Estimate
from evenhand.workflow.analyse import open_run

__all__ = ["intra_cluster_correlation", "pilot_facts"]

_READOUTS = (Readout.GENERATED, Readout.LOGGED, Readout.FIRST_TOKEN, Readout.CONSTRAINED, Readout.PREFILLED)
"""Which readout to go by: the first of these that the run has."""


def pilot_facts(directory: str | Path) -> PilotFacts:
    """Read a run as a pilot: its first condition, under the first of generated, logged and first-token it has.

    Raises
    ------
    StoreError
        The directory is no run.
    DataError
        No pair was decided in both orders.
    """
    run = open_run(directory)
    wide = widen(run.to_polars())
    controls = [condition.id for condition in run.manifest.conditions if not condition.changes]
    scope = _scope(wide, controls)
    if scope is None or not scope.decided_both.any():
        raise DataError("no pair of this run was decided in both orders", path=Path(directory))
    notes = []
    measures = {
        kind: run.audit.select(kind, condition=scope.condition, readout=scope.readout)
        for kind in (FindingKind.READOUT, FindingKind.REPEAT)
    }
    flips = measures[FindingKind.READOUT][0].measure("flip_rate")
    if not isinstance(flips, Estimate):
        raise DataError("the flip rate of this run can't be told", path=Path(directory))
    rate = flips.value
    if rate in (0.0, 1.0) and flips.interval is not None:
        rate = flips.interval.high if rate == 0.0 else flips.interval.low
        notes.append(f"The pilot's flip rate is {flips.value:g}: its interval's other limit is taken for it.")
    repeats = measures[FindingKind.REPEAT][0].measure("repeat_flip_rate") if measures[FindingKind.REPEAT] else None
    repeat_rate = repeats.value if isinstance(repeats, Estimate) and repeats.value > 0 else None
    if repeat_rate is None:
        notes.append("The pilot has no repeat that changed its verdict: the repeat rate is assumed.")
    both = scope.decided_both
    groups = wide.facts.group[scope.pairs[both]]
    questions = len(np.unique(groups))
    return PilotFacts(
        run=str(directory),
        readout=str(scope.readout),
        flip_rate=rate,
        repeat_rate=repeat_rate,
        pairs=int(both.sum()),
        pairs_per_question=float(both.sum() / questions),
        icc=intra_cluster_correlation(scope.flips[both].astype(np.float64), groups),
        notes=tuple(notes),
    )


def _scope(wide: WideTable, controls: list[str]) -> Scope | None:
    for condition in controls:
        for readout in _READOUTS:
            found = wide.find(condition, readout)
            if found is not None:
                return found
    return None


def intra_cluster_correlation(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> float:
    """Intra-cluster correlation by one-way analysis of variance, at least 0; 0 where no cluster has two values.

    References
    ----------
    Donner (1986), doi:10.2307/1403259.

    Examples
    --------
    >>> intra_cluster_correlation(np.array([0.0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    1.0
    """
    _, codes, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    n, k = len(values), len(sizes)
    if n <= k or k < 2:
        return 0.0
    means = np.bincount(codes, weights=values) / sizes
    within = float(((values - means[codes]) ** 2).sum()) / (n - k)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (k - 1)
    typical = (n - float((sizes**2).sum()) / n) / (k - 1)
    total = between + (typical - 1) * within
    return max(0.0, (between - within) / total) if total > 0 else 0.0
