"""The tables of a study of biases: all comparisons at a glance, then one or two for each audit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from evenhand.analysis import Finding
from evenhand.analysis.study import StudyColumn, StudyTable, StudyValue, Unit
from evenhand.audits.bias.contrast import FOR_BOTH
from evenhand.report.cells import info_of, measure_names
from evenhand.report.format import difference
from evenhand.report.studies.bias_claims import BiasedRun, Claim, ClaimState

__all__ = ["bias_tables", "left_out_table"]

_MOST: Final = 7  # figures of a table: more would not be read side by side
_CONTRAST: Final = ("net_shift", "toward_rate", "away_rate", "repeat_toward_rate", "toward_beyond_noise")
_DECISION: Final = StudyColumn(
    name="decision",
    label="decision",
    definition=(
        "shown: the Holm-adjusted test rejects no effect; within: the whole interval lies within the tolerance; open: "
        "neither, or length alone where quality is known by its side (see the notes); no data: a refusal with its "
        "reason; described: a figure that no test belongs to."
    ),
)
_P: Final = (
    StudyColumn(name="p", label="p", unit="p", definition="Of the comparison's own test, not adjusted."),
    StudyColumn(
        name="p_holm", label="p, adjusted", unit="p", definition="The same, Holm-adjusted over all findings of the run."
    ),
)
_READOUT: Final = StudyColumn(name="readout", label="readout", definition="How verdicts were read.")
_PAIRS: Final = StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs that enter the comparison.")
_LEFT_OUT: Final = StudyColumn(
    name="left_out",
    label="left out",
    unit="count",
    definition="Pairs that the change could not be made to, both targets together; see the table of pairs left out.",
)


def bias_tables(claims: Sequence[Claim], runs: Mapping[str, BiasedRun], *, tolerance: float) -> tuple[StudyTable, ...]:
    """Every table, the one over all comparisons first.

    Parameters
    ----------
    runs
        By the names that the claims carry.
    """
    tables = [_overview(claims, tolerance=tolerance)] if claims else []
    for audit in dict.fromkeys(claim.audit for claim in claims):
        own = [claim for claim in claims if claim.audit == audit and claim.finding.measures]
        tables += _audit_tables(audit, own, runs)
    return tuple(tables)


def left_out_table(runs: Mapping[str, BiasedRun]) -> StudyTable | None:
    """Which pairs were not asked under which change, and why; None where none was left out."""
    several = len(runs) > 1
    rows = [
        (*((name,) if several else ()), condition, reason, pairs)
        for name, run in runs.items()
        for condition, reasons in run.left_out.items()
        for reason, pairs in reasons
    ]
    if not rows:
        return None
    columns = (
        *((StudyColumn(name="run", label="judge"),) if several else ()),
        StudyColumn(name="condition", label="condition"),
        StudyColumn(name="reason", label="why"),
        StudyColumn(name="pairs", label="pairs", unit="count"),
    )
    return StudyTable(
        id="left-out",
        title="Pairs left out",
        caption="A pair that a change can't be made to isn't asked under it, and is compared nowhere for it.",
        columns=columns,
        rows=tuple(rows),
        headers=len(columns) - 1,
    )


def _heads(claims: Sequence[Claim]) -> tuple[StudyColumn, ...]:
    several = len({claim.run for claim in claims}) > 1
    return (
        *((StudyColumn(name="run", label="judge"),) if several else ()),
        StudyColumn(name="comparison", label="comparison", definition="What was changed, or looked at."),
    )


def _named(claim: Claim, heads: Sequence[StudyColumn]) -> tuple[str, ...]:
    """Values of the columns that name a row, and then its readout."""
    values = {"run": claim.run or "all", "audit": claim.audit, "comparison": claim.subset}
    return (*(values[column.name] for column in heads), claim.readout)


def _overview(claims: Sequence[Claim], *, tolerance: float) -> StudyTable:
    # A hybrid readout's rows follow from two others: they are in the audits' own tables.
    claims = [claim for claim in claims if claim.state != "derived"] or claims
    heads = (StudyColumn(name="audit", label="audit"), *_heads(claims))
    units = [unit for unit in ("difference", "share", "number") if any(_unit(claim.unit) == unit for claim in claims)]
    effects = {
        "difference": StudyColumn(
            name="effect", label="effect", unit="difference", definition="The comparison's main figure, of shares."
        ),
        "share": StudyColumn(name="share", label="share", unit="share", definition="The main figure, where a share."),
        "number": StudyColumn(
            name="coefficient", label="coefficient", unit="number", definition="The main figure, where of a model."
        ),
    }
    rows = tuple(
        (
            *_named(claim, heads),
            *(claim.effect if _unit(claim.unit) == unit else None for unit in units),
            claim.adjusted,
            claim.finding.pairs,
            _decision(claim.state, tolerance),
        )
        for claim in claims
    )
    return StudyTable(
        id="comparisons",
        title="All comparisons",
        caption=f"One row a comparison and readout; the tolerance is ±{_points(tolerance)}.",
        columns=(*heads, _READOUT, *(effects[unit] for unit in units), _P[1], _PAIRS, _DECISION),
        rows=rows,
        headers=len(heads),
    )


def _audit_tables(audit: str, claims: Sequence[Claim], runs: Mapping[str, BiasedRun]) -> Iterator[StudyTable]:
    contrasts = [claim for claim in claims if FOR_BOTH in dict(claim.finding.table)]
    others = [claim for claim in claims if claim not in contrasts]
    if contrasts:
        yield _contrast_table(audit, contrasts, runs)
        yield from _detail_table(audit, contrasts)
    for number, own in enumerate(_alike(others)):
        yield from _measure_tables(f"{audit}-figures{'' if number == 0 else f'-{number + 1}'}", audit, own)


def _contrast_table(audit: str, claims: Sequence[Claim], runs: Mapping[str, BiasedRun]) -> StudyTable:
    heads = _heads(claims)
    columns = (
        *heads,
        _READOUT,
        StudyColumn(
            name="without",
            label="target without",
            unit="share",
            definition="Share of the control's compared verdicts that preferred the target.",
        ),
        StudyColumn(
            name="with",
            label="target with",
            unit="share",
            definition="Share of the changed verdicts that preferred the target, on the same presentations.",
        ),
        *map(_column, _CONTRAST),
        *_P,
        _PAIRS,
        _LEFT_OUT,
    )
    rows = tuple(
        (
            *_named(claim, heads),
            *_preferred(claim.finding),
            *map(claim.finding.measure, _CONTRAST),
            claim.raw,
            claim.adjusted,
            claim.finding.pairs,
            _left_out(claim.finding, runs.get(claim.run)),
        )
        for claim in claims
    )
    return StudyTable(
        id=audit,
        title=f"{audit.capitalize()}: verdicts with and without the change",
        caption=(
            "Each changed verdict is compared with the control's on the same pair in the same order; the target is the "
            "response that the change favours or is made to."
        ),
        columns=columns,
        rows=rows,
        headers=len(heads),
    )


def _detail_table(audit: str, claims: Sequence[Claim]) -> Iterator[StudyTable]:
    names = tuple(name for name in measure_names([claim.finding for claim in claims]) if name not in _CONTRAST)
    if names:
        yield _table(
            f"{audit}-where",
            f"{audit.capitalize()}: where the change acts",
            "The net shift by slot and by gold preference, and what else the change moves.",
            claims,
            names,
        )


def _measure_tables(table_id: str, audit: str, claims: Sequence[Claim]) -> Iterator[StudyTable]:
    """The main figure with its tests and a few more, then the rest."""
    main = claims[0].measure
    names = [main, *(name for name in measure_names([claim.finding for claim in claims]) if name != main)]
    yield _table(
        table_id,
        f"{audit.capitalize()}: figures",
        "Figures with their intervals; p is of the first one.",
        claims,
        names[:_MOST],
        tested=any(claim.raw is not None for claim in claims),
    )
    for part, start in enumerate(range(_MOST, len(names), _MOST), start=2):
        yield _table(
            f"{table_id}-part-{part}",
            f"{audit.capitalize()}: figures, part {part}",
            "Further figures of the same rows.",
            claims,
            names[start : start + _MOST],
        )


def _table(
    table_id: str, title: str, caption: str, claims: Sequence[Claim], names: Sequence[str], *, tested: bool = False
) -> StudyTable:
    heads = _heads(claims)
    rows = tuple(
        (
            *_named(claim, heads),
            *map(claim.finding.measure, names),
            *((claim.raw, claim.adjusted) if tested else ()),
            claim.finding.pairs,
        )
        for claim in claims
    )
    columns = (*heads, _READOUT, *map(_column, names), *(_P if tested else ()), _PAIRS)
    return StudyTable(id=table_id, title=title, caption=caption, columns=columns, rows=rows, headers=len(heads))


def _alike(claims: Sequence[Claim]) -> tuple[list[Claim], ...]:
    """Claims by what they measure first, so that a table's columns are of one kind."""
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.measure, []).append(claim)
    return tuple(groups.values())


def _column(name: str) -> StudyColumn:
    info = info_of(name)
    return StudyColumn(name=name, label=info.label, unit=_unit(info.unit), definition=info.definition)


def _unit(unit: str) -> Unit:
    match unit:
        case "share" | "difference" | "count":
            return unit
        case _:
            return "number"


def _preferred(finding: Finding) -> tuple[StudyValue, StudyValue]:
    """Shares of the compared verdicts that preferred the target, without and with the change; None where none was."""
    counts = dict(finding.table)
    compared = counts.get(FOR_BOTH, 0)
    if not compared:
        return None, None
    without = sum(n for name, n in counts.items() if name.startswith("target without, "))
    with_ = sum(n for name, n in counts.items() if name.endswith(", target with"))
    return without / compared, with_ / compared


def _left_out(finding: Finding, run: BiasedRun | None) -> int | None:
    """Pairs that a comparison's changed conditions were not asked of; None where the finding names no change."""
    if run is None or finding.subset is None:
        return None
    changed = finding.subset.partition(" against ")[0].partition(" (")[0]
    own = [
        condition.id
        for condition in run.manifest.conditions
        if condition.changes
        and (finding.condition in (None, condition.control))
        and " + ".join(dict.fromkeys(f"{c.factor}={c.level}" for c in condition.changes)) == changed
    ]
    return sum(pairs for name in own for _, pairs in run.left_out.get(name, ())) if own else None


def _decision(state: ClaimState, tolerance: float) -> str:
    match state:
        case "within":
            return f"within ±{_points(tolerance)}"
        case "undecided":
            return "open"
        case _:
            return state


def _points(tolerance: float) -> str:
    return difference(tolerance).removeprefix("+")
