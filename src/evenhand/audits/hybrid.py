"""The hybrid readout: what it saves, and how true it is to the generated one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.audits.finding import Finding, FindingKind, Measure
from evenhand.audits.sampler import Sampler
from evenhand.audits.sentences import of
from evenhand.audits.wide import ABSENT, Scope
from evenhand.stats import Refusal

__all__ = ["hybrid_finding"]


def hybrid_finding(hybrid: Scope, generated: Scope | None, *, sampler: Sampler) -> Finding:
    """Share generated, generation saved, and fidelity where the generated readout is there to compare with.

    Parameters
    ----------
    generated
        The generated readout of the same condition; None where the hybrid readout ran alone.
    """
    here = sampler.within(FindingKind.HYBRID, hybrid.condition)
    known = hybrid.generated != ABSENT
    nothing = "needs to know which presentations were generated, which no row says"
    measures = [
        here.rate(name, (hybrid.generated == value).sum(axis=1), known.sum(axis=1), pairs=hybrid.pairs, nothing=nothing)
        for name, value in (("share_generated", 1), ("generation_saved", 0))
    ]
    table: tuple[tuple[str, int], ...] = ()
    if generated is None:
        reason = "needs the generated readout of the same presentations: the hybrid readout ran alone"
        measures.append(Measure(name="hybrid_fidelity", estimate=Refusal(reason=reason)))
    else:
        fidelity, table = _fidelity(hybrid, generated, here)
        measures.append(fidelity)
    unknown = int(np.count_nonzero(hybrid.asked & ~known))
    return Finding(
        kind=FindingKind.HYBRID,
        condition=hybrid.condition,
        readout=hybrid.readout,
        pairs=int(hybrid.pairs.size),
        presentations=int(np.count_nonzero(hybrid.asked)),
        measures=tuple(measures),
        table=table,
        notes=tuple(_notes(unknown, int(np.count_nonzero(hybrid.asked)), table=table)),
    )


def _fidelity(hybrid: Scope, generated: Scope, sampler: Sampler) -> tuple[Measure, tuple[tuple[str, int], ...]]:
    pairs, i, j = np.intersect1d(hybrid.pairs, generated.pairs, assume_unique=True, return_indices=True)
    asked = hybrid.asked[i] & generated.asked[j]
    by_hybrid, by_generated = hybrid.verdict[i], generated.verdict[j]
    same = hybrid.outcome[i] == generated.outcome[j]
    both = by_hybrid & by_generated
    measure = sampler.rate(
        "hybrid_fidelity",
        (both & same).sum(axis=1),
        both.sum(axis=1),
        pairs=pairs,
        nothing="needs a presentation with a verdict by both readouts, has none",
    )
    neither = asked & ~by_hybrid & ~by_generated
    cells = {
        "same verdict": both & same,
        "other verdict": both & ~same,
        "verdict by hybrid only": asked & by_hybrid & ~by_generated,
        "verdict by generated only": asked & ~by_hybrid & by_generated,
        "no verdict, same state": neither & same,
        "no verdict, other state": neither & ~same,
    }
    return measure, tuple((name, int(np.count_nonzero(cell))) for name, cell in cells.items())


def _notes(unknown: int, total: int, *, table: tuple[tuple[str, int], ...]) -> Iterator[str]:
    if 0 < unknown < total:
        share = of(unknown, total, "presentations")
        yield f"{share} don't say whether they were generated; they don't enter the saving."
    counts = dict(table)
    apart = counts.get("verdict by hybrid only", 0) + counts.get("verdict by generated only", 0)
    if apart:
        share = of(apart, sum(counts.values()), "presentations")
        yield f"{share} have a verdict by one of the two readouts only; fidelity leaves them out."
