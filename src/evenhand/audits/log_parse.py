"""How an imported log's own parse compares with ours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, OUTCOMES, Scope
from evenhand.records import Readout

__all__ = ["log_findings"]


def log_findings(scopes: Sequence[Scope], *, sampler: Sampler) -> tuple[Finding, ...]:
    """One finding for each scope whose log kept a parse; with several, one over all of them first (no condition)."""
    logged = [scope for scope in scopes if (scope.log_outcome != ABSENT).any()]
    each = tuple(_finding([scope], scope.condition, scope.readout, sampler) for scope in logged)
    return each if len(logged) < 2 else (_finding(logged, None, None, sampler), *each)


def _finding(scopes: Sequence[Scope], condition: str | None, readout: Readout | None, sampler: Sampler) -> Finding:
    here = sampler.within(FindingKind.LOG, condition or "", readout or "")
    ours = np.concatenate([scope.outcome for scope in scopes])
    theirs = np.concatenate([scope.log_outcome for scope in scopes])
    pairs = np.concatenate([scope.pairs for scope in scopes])
    known = (theirs != ABSENT) & (ours != ABSENT)
    measure = here.rate(
        "log_disagreement",
        (known & (ours != theirs)).sum(axis=1),
        known.sum(axis=1),
        pairs=pairs,
        nothing="needs a presentation that the log parsed, has none",
    )
    size = len(OUTCOMES)
    cells = np.bincount(theirs[known].astype(np.intp) * size + ours[known], minlength=size * size)
    table = tuple(
        (f"log {OUTCOMES[code // size]}, ours {OUTCOMES[code % size]}", int(cells[code]))
        for code in np.flatnonzero(cells).tolist()
    )
    return Finding(
        kind=FindingKind.LOG,
        condition=condition,
        readout=readout,
        pairs=int(np.unique(pairs[known.any(axis=1)]).size),
        presentations=int(np.count_nonzero(known)),
        measures=(measure,),
        table=table,
    )
