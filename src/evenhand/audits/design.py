"""What in a prompt's design moves compliance and flips: each level of an axis against the axis' baseline.

A grid asks every pair under every design. Two designs that differ in one axis alone are a *matched cell*; a level is
compared with its baseline over all its matched cells at once, so that every comparison is of the same pairs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.family import HOLM_MARK, holm_adjusted
from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, Scope, WideTable
from evenhand.analysis.sentences import AGAINST_BASELINE, COMPLIANCE_IS_OF, MOVERS, NOTHING_MOVES, of
from evenhand.audits.readout import NO_ARGMAX
from evenhand.records import Readout
from evenhand.stats import Estimate, TestResult, sign_flip_test

__all__ = ["MOVES", "Settings", "design_findings"]

Settings: TypeAlias = tuple[tuple[str, str], ...]
"""Ordered (axis, level) of one design."""

MOVES: Final = 0.05
"""A level is said to move something where its Holm-adjusted p-value is below this."""

_WHAT: Final = {"design_compliance": "compliant", "design_flips": "flips"}
_FAMILY: Final = "levels, readouts and quantities"
_NOT_MODELLED: Final = (
    "Each difference is averaged over the designs that share the other axes' levels: whether a level matters more "
    "together with another one (an interaction) is not modelled."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Contrast:
    """A level against its axis' baseline, and the matched cells: conditions as (level, baseline)."""

    axis: str
    level: str
    baseline: str
    cells: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return f"{self.axis}={self.level}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """One quantity on a contrast's cells; one row is one pair in one cell."""

    pairs: NDArray[np.int64]
    enters: Booleans
    level: Booleans
    baseline: Booleans

    def same_as(self, other: _Rows) -> bool:
        mine = (self.pairs, self.enters, self.level, self.baseline)
        return all(map(np.array_equal, mine, (other.pairs, other.enters, other.level, other.baseline)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Compared:
    """A contrast under one readout: what was measured, with the tests before they are adjusted."""

    contrast: _Contrast
    readout: Readout
    pairs: int
    presentations: int
    measures: tuple[Measure, ...]
    tests: Mapping[str, TestResult]
    table: tuple[tuple[str, int], ...]
    notes: tuple[str, ...]


def design_findings(wide: WideTable, *, designs: Mapping[str, Settings], sampler: Sampler) -> Iterator[Finding]:
    """Compare every level of every axis with its baseline, under every readout.

    Parameters
    ----------
    designs
        Ordered (axis, level) of each condition that is a design, by the condition's id. The first one is the baseline
        on every axis.

    Yields
    ------
    Finding
        Of kind DESIGN: first one that sums up (``condition`` None), then one for each readout, axis and level
        (``condition`` ``axis=level``). Tests come twice, as they are and adjusted by Holm over the whole audit.

    Notes
    -----
    The test exchanges the signs of whole clusters' differences (:func:`evenhand.stats.sign_flip_test`): neither the
    pairs of one question nor the cells of one pair are taken for independent.
    """
    contrasts = _contrasts(designs)
    compared = list(_compared(wide, contrasts, sampler))
    if not compared:
        return
    raw = [test for found in compared for test in found.tests.values()]
    adjusted = iter(holm_adjusted(raw, family=_FAMILY))
    held = [{name: next(adjusted) for name in found.tests} for found in compared]
    yield _summary(compared, held, designs)
    for found, tests in zip(compared, held, strict=True):
        yield _finding(found, tests)


def _contrasts(designs: Mapping[str, Settings]) -> tuple[_Contrast, ...]:
    if not designs:
        return ()
    baseline = dict(next(iter(designs.values())))
    by_settings = {settings: condition for condition, settings in designs.items()}
    contrasts = []
    for axis, base in baseline.items():
        levels = dict.fromkeys(level for settings in designs.values() for name, level in settings if name == axis)
        for level in levels:
            if level == base:
                continue
            partners = [
                (condition, by_settings.get(tuple((n, base if n == axis else v) for n, v in settings)))
                for condition, settings in designs.items()
                if (axis, level) in settings
            ]
            cells = tuple((condition, partner) for condition, partner in partners if partner is not None)
            contrasts.append(_Contrast(axis=axis, level=level, baseline=base, cells=cells))
    return tuple(contrasts)


def _compared(wide: WideTable, contrasts: tuple[_Contrast, ...], sampler: Sampler) -> Iterator[_Compared]:
    compliance: dict[str, list[tuple[Readout, _Rows]]] = {contrast.name: [] for contrast in contrasts}
    for readout in Readout:
        scopes = {scope.condition: scope for scope in wide.of(readout) if not scope.single_order}
        for contrast in contrasts:
            cells = [(scopes[x], scopes[y]) for x, y in contrast.cells if x in scopes and y in scopes]
            if cells:
                rows = _compliance_rows(cells)
                seen = compliance[contrast.name]
                same = next((earlier for earlier, before in seen if rows.same_as(before)), None)
                seen.append((readout, rows))
                here = sampler.within(FindingKind.DESIGN, contrast.axis, contrast.level, readout)
                yield _compare(contrast, readout, cells, here, same=same)


def _compare(
    contrast: _Contrast, readout: Readout, cells: list[tuple[Scope, Scope]], sampler: Sampler, *, same: Readout | None
) -> _Compared:
    """Compare under one readout; ``same`` is an earlier readout of the same presentations, which tested compliance."""
    flips = _flip_rows(cells)
    quantities = {"design_flips": flips}
    notes = [f"Over {of(len(cells), len(contrast.cells), 'matched cells')} of the grid."]
    if same is None:
        quantities = {"design_compliance": _compliance_rows(cells), **quantities}
    else:
        notes.append(f"{COMPLIANCE_IS_OF}it is that under {same}, and not tested again.")
    table = [("matched cells", len(cells))]
    for name, rows in quantities.items():
        table += _counts(_WHAT[name], rows)
        entered = of(int(np.count_nonzero(rows.enters)), rows.pairs.size, "rows")
        notes.append(f"{_WHAT[name].capitalize()}: {entered} enter (a row is a pair in a matched cell).")
    return _Compared(
        contrast=contrast,
        readout=readout,
        pairs=int(np.unique(flips.pairs).size),
        presentations=4 * int(flips.pairs.size),
        measures=tuple(_difference(name, rows, cells, sampler) for name, rows in quantities.items()),
        tests={name: _test(name, rows, contrast, sampler) for name, rows in quantities.items() if rows.enters.any()},
        table=tuple(table),
        notes=tuple(notes),
    )


def _compliance_rows(cells: list[tuple[Scope, Scope]]) -> _Rows:
    return _rows(
        cells,
        [(s.compliant_pairs(), s.compliance_known(), b.compliant_pairs(), b.compliance_known()) for s, b in cells],
    )


def _flip_rows(cells: list[tuple[Scope, Scope]]) -> _Rows:
    return _rows(cells, [(s.flips, s.decided_both, b.flips, b.decided_both) for s, b in cells])


def _rows(cells: list[tuple[Scope, Scope]], values: list[tuple[Booleans, Booleans, Booleans, Booleans]]) -> _Rows:
    """Align each cell's two designs on their pairs, and put the cells below each other."""
    pairs, enters, level, baseline = [], [], [], []
    for (first, second), (x, x_known, y, y_known) in zip(cells, values, strict=True):
        shared, i, j = np.intersect1d(first.pairs, second.pairs, assume_unique=True, return_indices=True)
        both = x_known[i] & y_known[j]
        pairs.append(shared)
        enters.append(both)
        level.append(x[i] & both)
        baseline.append(y[j] & both)
    return _Rows(
        pairs=np.concatenate(pairs),
        enters=np.concatenate(enters),
        level=np.concatenate(level),
        baseline=np.concatenate(baseline),
    )


def _difference(name: str, rows: _Rows, cells: list[tuple[Scope, Scope]], sampler: Sampler) -> Measure:
    if name == "design_flips":
        nothing = "needs a pair decided in both orders in both designs of a matched cell, has none"
    elif any(level.compliance_known().any() and base.compliance_known().any() for level, base in cells):
        nothing = "needs a pair with known compliance in both designs of a matched cell, has none"
    else:
        nothing = NO_ARGMAX
    return sampler.difference(
        name, (rows.level, rows.enters), (rows.baseline, rows.enters), pairs=rows.pairs, nothing=nothing
    )


def _test(name: str, rows: _Rows, contrast: _Contrast, sampler: Sampler) -> TestResult:
    differences = rows.level.astype(np.int64) - rows.baseline
    test = sign_flip_test(
        differences[rows.enters], sampler.clusters[rows.pairs[rows.enters]], rng=sampler.stream(f"{name} signs")
    )
    return replace(test, name=f"{test.name}, {_WHAT[name]} at {contrast.level} against {contrast.baseline}")


def _counts(what: str, rows: _Rows) -> Iterator[tuple[str, int]]:
    x, y = rows.level, rows.baseline
    counts = {
        "at both": x & y,
        "only at the level": x & ~y,
        "only at the baseline": ~x & y,
        "at neither": rows.enters & ~x & ~y,
    }
    yield from ((f"{what}: {where}", int(np.count_nonzero(rows_there))) for where, rows_there in counts.items())


def _finding(found: _Compared, adjusted: Mapping[str, TestResult]) -> Finding:
    contrast = found.contrast
    return Finding(
        kind=FindingKind.DESIGN,
        condition=contrast.name,
        readout=found.readout,
        pairs=found.pairs,
        presentations=found.presentations,
        measures=found.measures,
        tests=tuple(test for name, raw in found.tests.items() for test in (raw, adjusted[name])),
        table=found.table,
        notes=(f"{AGAINST_BASELINE}{contrast.axis}={contrast.baseline}.", *found.notes),
    )


def _summary(
    compared: list[_Compared], adjusted: list[dict[str, TestResult]], designs: Mapping[str, Settings]
) -> Finding:
    tests = sum(len(each) for each in adjusted)
    return Finding(
        kind=FindingKind.DESIGN,
        table=(("designs", len(designs)), ("comparisons", len(compared)), ("tests", tests)),
        notes=(
            _ranking("design_compliance", "compliance", compared, adjusted),
            _ranking("design_flips", "flips", compared, adjusted),
            f"Sign-flip tests over clusters, {HOLM_MARK} {tests} {_FAMILY}; movers have an adjusted p below {MOVES}.",
            _NOT_MODELLED,
        ),
    )


def _ranking(name: str, what: str, compared: list[_Compared], adjusted: list[dict[str, TestResult]]) -> str:
    movers = []
    for found, tests in zip(compared, adjusted, strict=True):
        test = tests.get(name)
        estimate = next((m.estimate for m in found.measures if m.name == name), None)
        if test is not None and isinstance(estimate, Estimate) and test.p_value < MOVES:
            movers.append((estimate.value, found, test))
    movers.sort(key=lambda mover: -abs(mover[0]))
    if not movers:
        return f"{NOTHING_MOVES}{what}; that is not evidence that none does."
    listed = "; ".join(
        f"{found.contrast.name} against {found.contrast.baseline} under {found.readout} "
        f"({100 * value:+.1f} points, adjusted p {_p(test)})"
        for value, found, test in movers
    )
    return f"{MOVERS}{what}, the largest difference first: {listed}."


def _p(test: TestResult) -> str:
    return "below 0.001" if test.p_value < 0.001 else f"{test.p_value:.3f}"
