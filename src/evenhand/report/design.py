"""What in a prompt's design moves compliance and flips: the table, the figure's points and the sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.analysis.family import HOLM_MARK
from evenhand.audits.design import MOVES
from evenhand.records import Readout
from evenhand.report.cells import count_cell, estimate_cell, footnotes_of, info_of, name_cell, p_cell
from evenhand.report.format import DASH, estimate_text, how_many, integer, is_shown, p_text
from evenhand.report.grid import Grid
from evenhand.report.model import Cell, Column, Point, Table
from evenhand.report.phrases import by_condition, listed
from evenhand.report.points import point
from evenhand.report.scope import Scope
from evenhand.report.text import visible
from evenhand.stats import Estimate, TestResult

__all__ = ["best_design_step", "design_points", "design_sentences", "design_table"]

_SHOWN = 3  # movers that a sentence names; the table has them all


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quantity:
    """A measure of a level, what its tests are about, and its name in a sentence."""

    measure: str
    tested: str
    noun: str


_COMPLIANCE = _Quantity(measure="design_compliance", tested="compliant", noun="compliance")
_FLIPS = _Quantity(measure="design_flips", tested="flips", noun="flips")


def _levels(audit: AuditResult) -> list[Finding]:
    return [f for f in audit.select(FindingKind.DESIGN) if f.condition is not None and f.readout is not None]


def _axis_level(finding: Finding) -> tuple[str, str]:
    axis, _, level = (finding.condition or "").partition("=")
    return axis, level


def _adjusted(finding: Finding, quantity: _Quantity) -> TestResult | None:
    """The level's Holm-adjusted test of a quantity."""
    about = f", {quantity.tested} at {_axis_level(finding)[1]} against "
    return next((t for t in finding.tests if HOLM_MARK in t.name and about in t.name), None)


def design_table(audit: AuditResult, grid: Grid) -> Table | None:
    """Each level against its axis' baseline; None where the audit has no such findings."""
    findings = _levels(audit)
    if not findings:
        return None
    shown = {f.readout for f in findings}
    if {Readout.FIRST_TOKEN, Readout.GENERATED} <= shown:
        findings = [f for f in findings if f.readout is not Readout.HYBRID]  # made of the two
    findings = _gathered(findings, grid)
    notes = footnotes_of(audit)
    tests = [test for f in findings for q in (_COMPLIANCE, _FLIPS) if (test := _adjusted(f, q)) is not None]
    holm = f" (Holm-adjusted over {tests[0].name.partition(f'{HOLM_MARK} ')[2]})" if tests else ""
    rows = tuple(
        (
            name_cell(f"{axis}, against {grid.level_of(axis)}"),
            name_cell(level),
            name_cell(finding.readout or ""),
            count_cell(finding.pairs),
            *(
                cell
                for q in (_COMPLIANCE, _FLIPS)
                for cell in (
                    estimate_cell(q.measure, finding.measure(q.measure), notes),
                    _p(_adjusted(finding, q)),
                )
            ),
        )
        for finding in findings
        for axis, level in (_axis_level(finding),)
    )
    return Table(
        id="design",
        title="What the prompt's design changes",
        caption=(
            f"Each level minus the baseline of its axis, in percentage points, on the same pairs, over all of the "
            f"{integer(grid.designs)} designs that differ in nothing else. Two-sided sign-flip tests of whole clusters"
            f"{holm}. Compliance is given at the first readout of the same presentations; "
            "the hybrid readout, made of two others, is in audit.json where those stand here."
        ),
        columns=(
            *(Column(label=label, numeric=False) for label in ("axis", "level", "readout")),
            Column(label="n pairs"),
            *(
                column
                for q in (_COMPLIANCE, _FLIPS)
                for column in (
                    Column(label=f"Δ {q.noun}", hint=info_of(q.measure).definition),
                    Column(label="p, Holm"),
                )
            ),
        ),
        rows=rows,
        headers=3,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _gathered(findings: Sequence[Finding], grid: Grid) -> list[Finding]:
    """By axis, then level, then readout, in the order in which each was asked for."""
    axes = [axis for axis, _ in grid.baseline]
    levels = {text: index for index, text in enumerate(dict.fromkeys(f.condition for f in findings))}

    def place(finding: Finding) -> tuple[int, int]:
        axis = _axis_level(finding)[0]
        return axes.index(axis) if axis in axes else len(axes), levels[finding.condition]

    return sorted(findings, key=place)


def _p(test: TestResult | None) -> Cell:
    """The p-value under a heading that says p already."""
    if test is None:
        return Cell(text=DASH)
    cell = p_cell(test)
    return replace(cell, text=cell.text.removeprefix("p = ").removeprefix("p "))


def design_points(audit: AuditResult, grid: Grid) -> tuple[Point, ...]:
    """Differences of compliance and of flips by level; the hybrid readout, made of two others, is left to the table."""
    points = []
    for finding in _gathered(_levels(audit), grid):
        axis, level = _axis_level(finding)
        readout = finding.readout
        if readout is None or readout is Readout.HYBRID:
            continue
        group = f"{axis}={level}, against {grid.level_of(axis)}"
        compliance, flips = finding.measure(_COMPLIANCE.measure), finding.measure(_FLIPS.measure)
        if compliance is not None:
            points.append(point(group, "compliance", "compliance", compliance, "difference"))
        if flips is not None:
            points.append(point(group, readout.value, f"flips, {readout.value}", flips, "difference"))
    return tuple(points)


def design_sentences(audit: AuditResult, grid: Grid | None) -> list[str]:
    """Which levels are shown to move compliance and flips, or how large the largest difference is that is not."""
    findings = _levels(audit)
    if not findings or grid is None:
        return []
    return [_moved(findings, quantity, grid) for quantity in (_COMPLIANCE, _FLIPS)]


def _moved(findings: Sequence[Finding], quantity: _Quantity, grid: Grid) -> str:
    known = [(f, e) for f in findings if isinstance(e := f.measure(quantity.measure), Estimate) and is_shown(e)]
    if not known:
        return f"No level's difference in {quantity.noun} can be given: see the reasons in the table of designs."
    largest_first = sorted(known, key=lambda pair: -abs(pair[1].value))
    tested = [(f, e, t) for f, e in largest_first if (t := _adjusted(f, quantity)) is not None]
    movers = [(f, e, t) for f, e, t in tested if t.p_value < MOVES]
    if not movers:
        finding, estimate = largest_first[0]
        tests = how_many(len(tested), "test")
        return (
            f"No level of the prompt's design is shown to move {quantity.noun} ({tests}, Holm-adjusted p below "
            f"{MOVES:g} asked for), which is no evidence that none does; the largest difference is "
            f"{_level_text(finding, estimate, grid)}."
        )
    named = [f"{_level_text(f, e, grid)}, adjusted {p_text(t)}" for f, e, t in movers[:_SHOWN]]
    rest = len(movers) - len(named)
    more = f"; and {integer(rest)} more" if rest > 0 else ""
    return (
        f"Shown to move {quantity.noun}, in {integer(len(movers))} of {integer(len(tested))} tests: "
        f"{'; '.join(named)}{more}."
    )


def _level_text(finding: Finding, estimate: Estimate, grid: Grid) -> str:
    axis, level = (visible(text, limit=40) for text in _axis_level(finding))
    base = visible(grid.level_of(axis), limit=40)
    readout = "" if finding.readout is None else f" ({finding.readout.value})"
    return f"{axis}={level} against {base}{readout}: {estimate_text(estimate, 'difference')}"


def best_design_step(scopes: Sequence[Scope]) -> list[str]:
    """The design of highest compliance, with its interval, and how many others it can't be told from."""
    own = by_condition(scopes)
    known = [(s, e) for s in own if isinstance(e := s.compliance, Estimate) and is_shown(e)]
    if len(known) < 2:
        return []
    (best, top), *rest = sorted(known, key=lambda pair: -pair[1].value)
    if rest[-1][1].value == top.value:
        return []  # no design is the highest
    near = [e for _, e in rest if _overlap(top, e)]
    head = (
        f"Highest compliance seen among {integer(len(known))} designs: {visible(best.condition, limit=120)}, "
        f"{estimate_text(top)} of pairs. The highest of many is high by luck too: measure it again on other pairs"
    )
    if near:
        return [
            f"{head}. Its interval overlaps those of {integer(len(near))} of the {integer(len(rest))} others, so these "
            "data don't rank them."
        ]
    scope, second = rest[0]
    return [f"{head}. The next is {listed([visible(scope.condition, limit=120)])}, {estimate_text(second)}."]


def _overlap(one: Estimate, other: Estimate) -> bool:
    if one.interval is None or other.interval is None:
        return True
    return one.interval.low <= other.interval.high and other.interval.low <= one.interval.high
