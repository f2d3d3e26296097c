"""The tables of a report, in the order they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.analysis.family import FEWEST_TRIALS
from evenhand.records import Order, Outcome
from evenhand.report.cells import (
    Footnotes,
    column_of,
    count_cell,
    estimate_cell,
    footnotes_of,
    gathered,
    info_of,
    measure_names,
    measure_row,
    name_cell,
    p_cell,
    readout_name,
)
from evenhand.report.design import design_table
from evenhand.report.format import DASH, how_many, integer, is_shown
from evenhand.report.grid import MANY_CONDITIONS, Grid
from evenhand.report.kinds import kind_tables
from evenhand.report.model import Cell, Column, Table
from evenhand.report.numbering import PAIRS
from evenhand.report.pair_example import PairExample
from evenhand.report.sampled import OF_SAMPLE, drawn_text
from evenhand.report.scope import Scope, decided_pairs, judged_alone, locks_of, scopes_of
from evenhand.report.text import visible
from evenhand.stats.sign_flip import SIGN_FLIP

__all__ = ["build_tables", "pairs_table"]

NO_REPEATS = "not measured: no repeated-AB control"


PAIRS_CAPTION = (
    "A few pairs of each kind, chosen by rule: those decided most clearly (by the log-odds of both orders) go first, "
    "every condition and readout in turn; chance decides among equals, and a pair stands here once. They are examples: "
    "how frequent each kind is, the tables say."
)

_ALWAYS_OPEN = frozenset({"design", "prediction-powered", "selective", "pooled", "log", PAIRS})
"""Tables that many conditions don't make longer, or that nobody should miss."""


def build_tables(
    audit: AuditResult, *, single_order: bool, examples: Sequence[PairExample] = (), grid: Grid | None = None
) -> tuple[Table, ...]:
    """Every table that has rows. Where there are many conditions, those that have a row for each are folded."""
    scopes = scopes_of(audit)
    many = len({scope.condition for scope in scopes}) > MANY_CONDITIONS
    summary = _summary(audit, scopes, single_order=single_order)
    design = None if grid is None else design_table(audit, grid)
    # Of many designs nobody reads the row of each: what the designs change stands first then.
    leading = (design, summary) if many else (summary, design)
    built = (
        *(table for table in leading if table is not None),
        _outcomes(scopes, single_order=single_order),
        *_details(audit, scopes),
        _tests(audit),
        *kind_tables(audit),
        pairs_table(examples),
    )
    opened = _ALWAYS_OPEN if grid is not None else _ALWAYS_OPEN | {"summary"}
    return tuple(replace(table, folded=many and table.id not in opened) for table in built if table.rows)


def _names(scope: Scope) -> tuple[Cell, Cell]:
    return name_cell(scope.condition), name_cell(scope.readout.value)


def _summary(audit: AuditResult, scopes: tuple[Scope, ...], *, single_order: bool) -> Table:
    notes = footnotes_of(audit)
    if single_order:
        names: tuple[str, ...] = (
            "verdict_rate",
            "compliance_presentations",
            "first_slot_rate",
            "accuracy_ab",
            "accuracy_alone",
        )
        names = tuple(name for name in names if any(is_shown(s.finding.measure(name)) for s in scopes))
        return Table(
            id="summary",
            title="Main figures",
            caption=(
                "Each response was judged by itself: no figure speaks of order or slots."
                if judged_alone(scopes)
                else "One order for each pair: slot rate and compliance only. No position figure is claimed."
            ),
            columns=(*_SCOPE, *(Column(label=info_of(name).label) for name in names)),
            rows=tuple((*_names(s), *measure_row(names, s.finding, notes)) for s in scopes),
            headers=2,
            notes=notes.notes,
            intervals=notes.intervals,
        )
    rows = []
    for scope in scopes:
        repeat = (
            Cell(text=DASH, detail="noise not measured", marks=(notes.mark(NO_REPEATS),))
            if scope.repeat is None
            else estimate_cell("repeat_flip_rate", scope.repeat_flips, notes)
        )
        rows.append(
            (
                *_names(scope),
                estimate_cell("compliance_pairs", scope.compliance, notes),
                _flips_cell(scope, notes),
                repeat,
                _locks_cell(scope, notes),
            )
        )
    return Table(
        id="summary",
        title="Main figures",
        caption=(
            "Flip rate under swapping, beside the compliance it was measured at and the flip rate of mere repetition. "
            "Locks: pairs that chose the first slot twice : the second slot twice, of those decided in both orders."
        ),
        columns=(
            *_SCOPE,
            *map(column_of, ("compliance_pairs", "flip_rate", "repeat_flip_rate")),
            Column(label="locks 1st : 2nd"),
        ),
        rows=tuple(rows),
        headers=2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def _flips_cell(scope: Scope, notes: Footnotes) -> Cell:
    """The flip rate; one that is estimated for all pairs says from what."""
    cell = estimate_cell("flip_rate", scope.flips, notes)
    if scope.estimated is None:
        return cell
    return replace(cell, marks=(*cell.marks, notes.mark(drawn_text(scope.estimated))))


def _locks_cell(scope: Scope, notes: Footnotes) -> Cell:
    """Slot locks and the pairs they are of: counts, so they stand where a rate is refused too."""
    finding = scope.finding
    locks, table = locks_of(finding), dict(finding.table)
    if locks is not None:
        first, second, decided = locks.first, locks.second, locks.decided
    elif "first slot twice" in table and "second slot twice" in table:
        first, second, decided = table["first slot twice"], table["second slot twice"], decided_pairs(finding)
    else:
        return Cell(text=DASH)
    marks = (notes.mark(OF_SAMPLE),) if scope.sampled else ()
    return Cell(text=f"{integer(first)} : {integer(second)} of {integer(decided)}", marks=marks)


_SCOPE = (Column(label="condition", numeric=False), Column(label="readout", numeric=False))


def _outcomes_alone(scopes: tuple[Scope, ...]) -> Table:
    """How pairs ended that were made of scores: the slot that is written says nothing, so none stands here."""
    rows = []
    slots = (Outcome.FIRST, Outcome.SECOND)
    others = [outcome for outcome in Outcome if outcome not in slots]
    for scope in scopes:
        counts = {outcome: sum(c.count for c in scope.finding.outcomes if c.outcome is outcome) for outcome in Outcome}
        cells = [sum(counts[slot] for slot in slots), *(counts[outcome] for outcome in others)]
        rows.append((*_names(scope), *map(count_cell, cells), count_cell(sum(cells))))
    return Table(
        id="outcomes",
        title="How every pair ended",
        caption=(
            "Counts of pairs that were made of scores. States without a verdict are never counted as a tie or a loss."
        ),
        columns=(
            *_SCOPE,
            *(Column(label=name) for name in ("preferred", *(outcome.value for outcome in others), "all")),
        ),
        rows=tuple(rows),
        headers=2,
    )


def _outcomes(scopes: tuple[Scope, ...], *, single_order: bool) -> Table:
    if judged_alone(scopes):
        return _outcomes_alone(scopes)
    rows = []
    for scope in scopes:
        counts = {(c.order, c.outcome): c.count for c in scope.finding.outcomes}
        for order in Order:
            cells = [counts.get((order, outcome), 0) for outcome in Outcome]
            if not any(key[0] is order for key in counts) or (single_order and not any(cells)):
                continue
            rows.append((*_names(scope), name_cell(order.value), *map(count_cell, cells), count_cell(sum(cells))))
    return Table(
        id="outcomes",
        title="How every presentation ended",
        caption=(
            "Counts of presentations. Only first, second and tie are verdicts; the other states are never "
            "counted as a tie, a half or a loss."
        ),
        columns=(
            *_SCOPE,
            Column(label="order", numeric=False),
            *(Column(label=outcome.value) for outcome in Outcome),
            Column(label="all"),
        ),
        rows=tuple(rows),
        headers=3,
    )


def _details(audit: AuditResult, scopes: tuple[Scope, ...]) -> list[Table]:
    """One table for each condition: measures down, readouts across."""
    tables = []
    for number, condition in enumerate(dict.fromkeys(scope.condition for scope in scopes), start=1):
        own = [scope for scope in scopes if scope.condition == condition]
        notes = footnotes_of(audit)
        rows = tuple(
            (
                Cell(text=info_of(name).label, detail=info_of(name).definition),
                *(estimate_cell(name, scope.finding.measure(name), notes) for scope in own),
            )
            for name in measure_names(scope.finding for scope in own)
        )
        tables.append(
            Table(
                id=f"measures-{number}",
                title=f"All measures: {visible(condition)}",
                caption=_sizes(own),
                columns=(
                    Column(label="measure", numeric=False),
                    *(Column(label=_measured(scope)) for scope in own),
                ),
                rows=rows,
                notes=notes.notes,
                intervals=notes.intervals,
            )
        )
    return tables


def _measured(scope: Scope) -> str:
    part = ", sample" if scope.sampled else ", order AB" if scope.selective else ""
    return f"{scope.readout.value}{part}"


def _sizes(own: Sequence[Scope]) -> str:
    """How much each readout has to go by; once where it is the same for all."""
    texts = [f"{how_many(s.finding.pairs, 'pair')}, {how_many(s.finding.presentations, 'presentation')}" for s in own]
    if len(set(texts)) == 1:
        return f"{texts[0]}{' by every readout' if len(own) > 1 else ''}."
    return "; ".join(f"{s.readout.value}: {text}" for s, text in zip(own, texts, strict=True))


def _scope_text(finding: Finding, *, several: bool) -> str:
    """A finding's scope in words: condition (where there are several), readout, subset."""
    subset = "" if finding.subset is None else f"{finding.subset} pairs"
    condition = finding.condition if several or not (subset or finding.readout) else None
    if several and condition is None:
        condition = "all conditions"
    parts = (condition, None if finding.readout is None else readout_name(finding), subset)
    return ", ".join(visible(part) for part in parts if part) or "all conditions"


def _tests(audit: AuditResult) -> Table:
    """Tests under their names; exact tests that could not reach p < .05 whatever they found are counted, not shown."""
    notes = Footnotes()
    rows: list[tuple[Cell, ...]] = []
    hopeless = 0
    several = len({f.condition for f in audit.select(FindingKind.READOUT)}) > 1
    designs = sum(len(f.tests) for f in audit.select(FindingKind.DESIGN))
    for finding in audit.findings:
        if finding.kind is FindingKind.DESIGN:
            continue  # their adjusted p-values stand beside their figures
        adjusted = {name: test for test in finding.tests for name in (_unadjusted(test.name),) if name is not None}
        for test in finding.tests:
            if _unadjusted(test.name) in {t.name for t in finding.tests}:
                continue  # shown beside the test it adjusts
            if test.name.startswith(("exact", SIGN_FLIP)) and test.n < FEWEST_TRIALS:
                hopeless += 1
                continue
            holm = adjusted.get(test.name)
            family = None if holm is None else _sentence(holm.name.removeprefix(test.name).strip(" ,"))
            texts = [t for t in (test.caveat, family) if t]
            rows.append(
                (
                    Cell(text=visible(test.name), marks=tuple(dict.fromkeys(map(notes.mark, texts)))),
                    name_cell(_scope_text(finding, several=several)),
                    Cell(text=_counts_text(finding, test.name)),
                    count_cell(test.n),
                    p_cell(test),
                    Cell(text=DASH) if holm is None else p_cell(holm),
                )
            )
    labels = ("test", "scope", "counts", "n", "p", "p, Holm")
    shown = len(labels) if any(row[-1].text != DASH for row in rows) else len(labels) - 1
    holm_column = (
        " The Holm column corrects for the number of tests of its kind; a dash there: not adjusted."
        if shown == len(labels)
        else " No p-value is adjusted for the number of tests."
        if rows
        else ""
    )
    left_out = (
        f" Not shown: {integer(hopeless)} exact {'test' if hopeless == 1 else 'tests'} with fewer than {FEWEST_TRIALS} "
        "trials or clusters, which can't reach p < .05 whatever they find."
        if hopeless
        else ""
    )
    if designs:
        left_out += " The tests of the prompt's design stand in its own table; audit.json has them unadjusted too."
    return Table(
        id="tests",
        title="Tests",
        caption=f"Two-sided unless the name says else.{holm_column}{left_out}",
        columns=tuple(Column(label=label, numeric=index > 2) for index, label in enumerate(labels))[:shown],
        rows=gathered([row[:shown] for row in rows]),
        headers=2,
        notes=notes.notes,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _unadjusted(name: str) -> str | None:
    """The name of the test that a Holm-adjusted one adjusts; None for any other test."""
    before, found, _ = name.partition(", Holm-adjusted")
    return before if found else None


def _counts_text(finding: Finding, test: str) -> str:
    """The finding's small counts that a test is about; those that are 0 are left out.

    A finding with several tests names its counts ``what: cell``, and the test says its ``what``.
    """
    shown = []
    for name, count in finding.table:
        what, found, cell = name.partition(": ")
        if count and (not found or what in test):
            shown.append(f"{visible(cell if found else name)} {integer(count)}")
    return "; ".join(shown) or DASH


def pairs_table(examples: Sequence[PairExample]) -> Table:
    """Pairs worth reading, as a list: what the readout that each was chosen by read in both orders."""
    return Table(
        id=PAIRS,
        title="Pairs worth reading",
        caption=PAIRS_CAPTION,
        columns=tuple(
            Column(label=label, numeric=False)
            for label in ("why", "pair", "condition", "readout", "order AB", "order BA", "gold")
        ),
        rows=tuple(
            (
                name_cell(example.why),
                name_cell(example.pair_id),
                name_cell(example.condition),
                name_cell(example.readout),
                *(Cell(text=visible(text)) for text in _read(example)),
                name_cell(example.gold or DASH),
            )
            for example in examples
        ),
        headers=2,
    )


def _read(example: PairExample) -> tuple[str, str]:
    shown = example.verdict
    return (DASH, DASH) if shown is None else (shown.ab, shown.ba)
