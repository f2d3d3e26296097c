"""Conditions against each other, on the same pairs and under the same readout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.measures import measure_info
from evenhand.analysis.paired_tests import signs_test
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, Scope
from evenhand.analysis.sentences import of
from evenhand.audits.readout import NO_ARGMAX
from evenhand.stats import TestResult

__all__ = ["condition_contrasts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contrast:
    """One quantity of two conditions: its difference, its discordant pairs and its test."""

    measure: Measure
    tests: tuple[TestResult, ...]
    table: tuple[tuple[str, int], ...]
    note: str


def condition_contrasts(scopes: Sequence[Scope], *, sampler: Sampler) -> tuple[Finding, ...]:
    """Every two conditions of one readout, with paired tests over clusters adjusted by Holm over each family.

    A family is all contrasts of one quantity (compliance, flips) under one readout.
    """
    made = [
        (first, second, [*_both(first, second, sampler)])
        for first, second in combinations([s for s in scopes if not s.single_order], 2)
    ]
    adjusted: list[list[tuple[TestResult, ...]]] = [[], []]
    for quantity, collected in enumerate(adjusted):
        raw = [contrasts[quantity].tests for _, _, contrasts in made]
        family = iter(holm_adjusted([t for tests in raw for t in tests], family="contrasts of conditions"))
        collected.extend((*tests, *(next(family) for _ in tests)) for tests in raw)
    return tuple(
        _finding(first, second, [replace(c, tests=adjusted[q][k]) for q, c in enumerate(contrasts)])
        for k, (first, second, contrasts) in enumerate(made)
    )


def _finding(first: Scope, second: Scope, contrasts: Sequence[_Contrast]) -> Finding:
    shared = int(np.intersect1d(first.pairs, second.pairs, assume_unique=True).size)
    return Finding(
        kind=FindingKind.CONDITIONS,
        condition=f"{first.condition} | {second.condition}",
        readout=first.readout,
        pairs=shared,
        presentations=4 * shared,
        measures=tuple(c.measure for c in contrasts),
        tests=tuple(t for c in contrasts for t in c.tests),
        table=tuple(cell for c in contrasts for cell in c.table),
        notes=tuple(c.note for c in contrasts),
    )


def _both(first: Scope, second: Scope, sampler: Sampler) -> Iterator[_Contrast]:
    here = sampler.within(FindingKind.CONDITIONS, first.condition, second.condition, first.readout)
    known = first.compliance_known().any() and second.compliance_known().any()
    yield _contrast(
        first,
        second,
        "compliance_contrast",
        what="compliant",
        values=(first.compliant_pairs(), second.compliant_pairs()),
        known=(first.compliance_known(), second.compliance_known()),
        nothing="needs a pair with known compliance under both conditions, has none" if known else NO_ARGMAX,
        sampler=here,
    )
    yield _contrast(
        first,
        second,
        "flip_contrast",
        what="flips",
        values=(first.flips, second.flips),
        known=(first.decided_both, second.decided_both),
        nothing="needs a pair decided in both orders under both conditions, has none",
        sampler=here,
    )


def _contrast(
    first: Scope,
    second: Scope,
    name: str,
    *,
    what: str,
    values: tuple[Booleans, Booleans],
    known: tuple[Booleans, Booleans],
    nothing: str,
    sampler: Sampler,
) -> _Contrast:
    pairs, i, j = np.intersect1d(first.pairs, second.pairs, assume_unique=True, return_indices=True)
    enters = known[0][i] & known[1][j]
    x, y = values[0][i] & enters, values[1][j] & enters
    measure = sampler.difference(name, (x, enters), (y, enters), pairs=pairs, nothing=nothing)
    cells = {
        f"{what}: under both": x & y,
        f"{what}: only under the first": x & ~y,
        f"{what}: only under the second": ~x & y,
        f"{what}: under neither": enters & ~x & ~y,
    }
    table = tuple((cell, int(np.count_nonzero(where))) for cell, where in cells.items())
    union = first.pairs.size + second.pairs.size - pairs.size
    entered = of(int(np.count_nonzero(enters)), int(union), "pairs")
    return _Contrast(
        measure=measure,
        tests=signs_test(
            x,
            y,
            pairs=pairs,
            sampler=sampler,
            what=f"{what} only under the first against only under the second",
            stream=f"{what} signs",
        ),
        table=table,
        note=f"{measure_info(name).label}: over {entered} of the two conditions.",
    )
