"""Prefilled and constrained readouts against the generated one, on the same pairs: what the remedies change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.paired_tests import signs_test
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT, PairFacts, Scope, WideTable
from evenhand.analysis.sentences import SAME_PAIRS, of
from evenhand.records import Readout

__all__ = ["COMPARED", "readout_contrasts"]

COMPARED = (Readout.PREFILLED, Readout.CONSTRAINED)
"""Readouts that have presentations of their own; first-token minus generated is a finding apart, with its subsets."""


def readout_contrasts(wide: WideTable, *, sampler: Sampler) -> tuple[Finding, ...]:
    """A finding for each condition that has both readouts in both orders.

    Their tests of flips exchange the signs of whole clusters' differences, for pairs of one question need not be
    independent (with one pair in each cluster it is the exact McNemar test), and are adjusted by Holm over all of them.
    """
    found = [
        _finding(first, generated, wide.facts, sampler=sampler)
        for condition in wide.conditions
        for readout in COMPARED
        if (first := wide.find(condition, readout)) is not None
        and (generated := wide.find(condition, Readout.GENERATED)) is not None
        and not first.single_order
        and not generated.single_order
    ]
    adjusted = iter(holm_adjusted([t for f in found for t in f.tests], family="readouts against generated"))
    return tuple(replace(f, tests=(*f.tests, *(next(adjusted) for _ in f.tests))) for f in found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shared:
    """Pairs that both readouts have, and their rows in each scope."""

    pairs: NDArray[np.int64]
    i: NDArray[np.intp]
    j: NDArray[np.intp]


def _finding(first: Scope, generated: Scope, facts: PairFacts, *, sampler: Sampler) -> Finding:
    here = sampler.within(FindingKind.READOUTS, first.condition, first.readout, bootstrap=True)
    pairs, i, j = np.intersect1d(first.pairs, generated.pairs, assume_unique=True, return_indices=True)
    shared = _Shared(pairs=pairs, i=i, j=j)
    decided = first.decided_both[i] & generated.decided_both[j]
    x, y = first.flips[i] & decided, generated.flips[j] & decided
    name = str(first.readout)
    cells = {
        "both flip": x & y,
        f"only {name} flips": x & ~y,
        "only generated flips": ~x & y,
        "neither flips": decided & ~x & ~y,
    }
    table = {cell: int(np.count_nonzero(where)) for cell, where in cells.items()}
    measures = (
        here.difference(
            "flip_readout_contrast",
            (x, decided.astype(np.int64)),
            (y, decided.astype(np.int64)),
            pairs=pairs,
            nothing="needs a pair decided in both orders by both readouts, has none",
        ),
        _accuracy(first, generated, shared, facts, here),
    )
    return Finding(
        kind=FindingKind.READOUTS,
        condition=first.condition,
        readout=first.readout,
        pairs=int(np.count_nonzero(decided)),
        presentations=2 * int(np.count_nonzero(decided)),
        measures=measures,
        tests=signs_test(
            x,
            y,
            pairs=pairs,
            sampler=here,
            what=f"flips by {name} only against flips by generated only",
            stream="flip signs",
        ),
        table=tuple(table.items()),
        notes=tuple(_notes(table, name, total=int(pairs.size))),
    )


def _accuracy(first: Scope, generated: Scope, shared: _Shared, facts: PairFacts, sampler: Sampler) -> Measure:
    gold = facts.gold[shared.pairs]
    both = first.verdict[shared.i] & generated.verdict[shared.j] & (gold != ABSENT)[:, None]
    right = [
        (both & (scope.preference[rows] == gold[:, None])).sum(axis=1)
        for scope, rows in ((first, shared.i), (generated, shared.j))
    ]
    count = both.sum(axis=1)
    has_gold = bool((gold != ABSENT).any())
    return sampler.difference(
        "accuracy_readout_contrast",
        (right[0], count),
        (right[1], count),
        pairs=shared.pairs,
        nothing="needs a presentation of a pair with gold and a verdict by both readouts, has none"
        if has_gold
        else "needs a gold preference, no pair has one",
    )


def _notes(table: dict[str, int], name: str, *, total: int) -> Iterator[str]:
    decided = sum(table.values())
    if decided:
        flips = (table["both flip"] + table[f"only {name} flips"], table["both flip"] + table["only generated flips"])
        yield (
            f"{SAME_PAIRS}{name} flips {of(flips[0], decided, 'pairs')}, generated {of(flips[1], decided, 'pairs')}."
        )
    if decided < total:
        yield (
            f"Excluded from the flips of both: {of(total - decided, total, 'pairs')} without a decided verdict in both "
            "orders by both readouts."
        )
