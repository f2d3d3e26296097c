"""The hybrid readout: what it saves, and how true it is to the generated one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, Scope
from evenhand.analysis.sentences import of
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
    fidelity = None if generated is None else _fidelity(hybrid, generated, here)
    if fidelity is None:
        reason = "needs the generated readout of the same presentations: the hybrid readout ran alone"
        measures.append(Measure(name="hybrid_fidelity", estimate=Refusal(reason=reason)))
    else:
        measures.append(fidelity.measure)
    unknown, asked = int(np.count_nonzero(hybrid.asked & ~known)), int(np.count_nonzero(hybrid.asked))
    return Finding(
        kind=FindingKind.HYBRID,
        condition=hybrid.condition,
        readout=hybrid.readout,
        pairs=int(hybrid.pairs.size),
        presentations=asked,
        measures=tuple(measures),
        table=() if fidelity is None else fidelity.table,
        notes=tuple(_notes(unknown, asked, fidelity=fidelity)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fidelity:
    """Agreement with the generated readout; ``from_first_token``: on how many it could fail, None where unknown."""

    measure: Measure
    table: tuple[tuple[str, int], ...]
    from_first_token: int | None


def _fidelity(hybrid: Scope, generated: Scope, sampler: Sampler) -> _Fidelity:
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
    how = hybrid.generated[i][both]
    return _Fidelity(
        measure=measure,
        table=tuple((name, int(np.count_nonzero(cell))) for name, cell in cells.items()),
        from_first_token=None if (how == ABSENT).any() else int(np.count_nonzero(how == 0)),
    )


def _notes(unknown: int, total: int, *, fidelity: _Fidelity | None) -> Iterator[str]:
    if 0 < unknown < total:
        share = of(unknown, total, "presentations")
        yield f"{share} don't say whether they were generated; they don't enter the saving."
    if fidelity is None:
        return
    counts = dict(fidelity.table)
    compared = counts["same verdict"] + counts["other verdict"]
    if fidelity.from_first_token is not None and fidelity.from_first_token < compared:
        share = of(fidelity.from_first_token, compared, "compared presentations")
        yield f"Fidelity could fail on {share} only: on the others both readouts read what the judge wrote."
    apart = counts["verdict by hybrid only"] + counts["verdict by generated only"]
    if apart:
        share = of(apart, sum(counts.values()), "presentations")
        yield f"{share} have a verdict by one of the two readouts only; fidelity leaves them out."
