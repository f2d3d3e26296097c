"""All conditions together, resampled by condition: what another condition of this kind might give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.analysis.finding import Finding, FindingKind
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, Scope, WideTable
from evenhand.audits.readout import NO_ARGMAX
from evenhand.audits.readout_pairs import SUBSETS, PairedReadouts, flip_cells, flip_tests, pair_readouts
from evenhand.records import Readout

__all__ = ["pooled_findings"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """A rate in one condition, as counts."""

    numerator: int
    denominator: int


def pooled_findings(wide: WideTable, *, sampler: Sampler) -> Iterator[Finding]:
    """Per readout: flip rate and pair compliance; and per subset the flip difference of the two readouts.

    Nothing with one condition: it would be the condition's own figure without an interval.
    """
    for readout in Readout:
        scopes = [scope for scope in wide.of(readout) if not scope.single_order]
        if len(scopes) > 1:
            yield _by_readout(scopes, sampler=_by_condition(sampler, len(scopes), readout))
    paired = [
        pair_readouts(first, second)
        for first in wide.of(Readout.FIRST_TOKEN)
        if (second := wide.find(first.condition, Readout.GENERATED)) is not None
        and not first.single_order
        and not second.single_order
    ]
    if len(paired) > 1:
        for subset in SUBSETS:
            yield _difference(paired, subset, sampler=sampler.within(FindingKind.POOLED, subset, bootstrap=True))


def _by_condition(sampler: Sampler, conditions: int, *scope: str) -> Sampler:
    return sampler.within(FindingKind.POOLED, *scope, bootstrap=True).by(np.arange(conditions, dtype=np.int64))


def _column(counts: Sequence[_Counted]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([c.numerator for c in counts]), np.array([c.denominator for c in counts])


def _counted(numerator: np.ndarray, denominator: np.ndarray) -> _Counted:
    return _Counted(
        numerator=int(np.count_nonzero(numerator & denominator)), denominator=int(np.count_nonzero(denominator))
    )


def _by_readout(scopes: Sequence[Scope], *, sampler: Sampler) -> Finding:
    conditions = np.arange(len(scopes), dtype=np.int64)
    flips = [_counted(s.flips, s.decided_both) for s in scopes]
    compliant = [_counted(s.compliant_pairs(), s.compliance_known()) for s in scopes]
    return Finding(
        kind=FindingKind.POOLED,
        readout=scopes[0].readout,
        pairs=sum(int(s.pairs.size) for s in scopes),
        presentations=sum(int(np.count_nonzero(s.asked)) for s in scopes),
        measures=(
            sampler.rate(
                "flip_rate", *_column(flips), pairs=conditions, nothing="needs a pair decided in both orders, has none"
            ),
            sampler.rate("compliance_pairs", *_column(compliant), pairs=conditions, nothing=NO_ARGMAX),
        ),
        table=tuple((f"flips, {s.condition}", c.numerator) for s, c in zip(scopes, flips, strict=True)),
        notes=(_resampled(len(scopes)),),
    )


def _difference(paired: Sequence[PairedReadouts], subset: str, *, sampler: Sampler) -> Finding:
    """The interval resamples conditions; the sign-flip test has clusters of pairs, each in all its conditions."""
    members = [p.decided & p.subset(subset) for p in paired]
    forced = [_counted(p.forced, member) for p, member in zip(paired, members, strict=True)]
    generated = [_counted(p.generated, member) for p, member in zip(paired, members, strict=True)]
    unknown = subset != "all" and all((p.compliant == ABSENT).all() for p in paired)
    measure = _by_condition(sampler, len(paired), subset).difference(
        "flip_difference",
        _column(forced),
        _column(generated),
        pairs=np.arange(len(paired), dtype=np.int64),
        nothing=NO_ARGMAX if unknown else f"needs a pair ({subset}) decided in both orders by both readouts, has none",
    )
    cells = [flip_cells(p, p.subset(subset)) for p in paired]
    table = {name: sum(cell[name] for cell in cells) for name in cells[0]}
    entered = sum(table.values())
    return Finding(
        kind=FindingKind.POOLED,
        subset=subset,
        pairs=entered,
        presentations=2 * entered,
        measures=(measure,),
        tests=flip_tests(
            np.concatenate([p.forced[member] for p, member in zip(paired, members, strict=True)]),
            np.concatenate([p.generated[member] for p, member in zip(paired, members, strict=True)]),
            pairs=np.concatenate([p.pairs[member] for p, member in zip(paired, members, strict=True)]),
            sampler=sampler,
        ),
        table=tuple(table.items()),
        notes=(_resampled(len(paired)),),
    )


def _resampled(conditions: int) -> str:
    return (
        f"Pooled over {conditions} conditions and resampled by condition: the interval speaks of conditions like "
        "these. A pair counts once in every condition that has it."
    )
