"""A run that asked order BA of a part of its pairs: what all of them would show, what it saved and what it missed."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.records import RunManifest, SwapRecord
from evenhand.report.cells import column_of, count_cell, estimate_cell, footnotes_of, info_of, name_cell
from evenhand.report.format import DASH, estimate_text, integer, is_shown, percent
from evenhand.report.model import Cell, Column, Table
from evenhand.report.phrases import PHRASES, told_readouts, where
from evenhand.report.scope import Scope
from evenhand.report.text import visible
from evenhand.stats import Estimate

__all__ = ["selective_sentences", "selective_table", "swap_rows"]

_QUANTITIES = (
    "flip_rate",
    "position_bias_strength",
    "first_position_bias_rate",
    "compliance_pairs",
    "accuracy_ba",
)
_MORE = (
    "missed_flips",
    "certain_flip_rate",
    "floor_flip_rate",
    "certain_minus_floor_flip_rate",
    "judgments_saved",
)


def selective_table(audit: AuditResult) -> Table | None:
    """Each quantity estimated with the risk of all pairs, and from the swapped pairs alone, weighted."""
    findings = audit.select(FindingKind.SELECTIVE)
    if not findings:
        return None
    notes = footnotes_of(audit)
    rows: list[tuple[Cell, ...]] = []
    for finding in findings:
        names = (name_cell(finding.condition or DASH), name_cell("" if finding.readout is None else finding.readout))
        for name in _QUANTITIES:
            estimate = finding.measure(f"selective_{name}")
            if estimate is not None:
                rows.append(
                    (
                        *names,
                        Cell(text=info_of(name).label, detail=info_of(f"selective_{name}").definition),
                        estimate_cell(f"selective_{name}", estimate, notes),
                        estimate_cell(f"weighted_{name}", finding.measure(f"weighted_{name}"), notes),
                    )
                )
        for name in _MORE:
            if finding.measure(name) is not None:
                cell = Cell(text=info_of(name).label, detail=info_of(name).definition)
                rows.append((*names, cell, estimate_cell(name, finding.measure(name), notes), Cell(text=DASH)))
        counts = dict(finding.table)
        rows.extend(
            (*names, Cell(text=name), count_cell(counts[name]), Cell(text=DASH))
            for name in ("pairs swapped", "flips found", "judgments asked", "judgments of a full run")
            if name in counts
        )
    return Table(
        id="selective",
        title="Estimated for all pairs: order BA was asked where a flip was likely",
        caption=(
            "Figures over all pairs, though order BA was asked of likely flips for certain and of a random floor of "
            "the others: with the predicted risk of all pairs (selective), and from the swapped pairs alone, each "
            "weighted by the inverse of its chance to be asked. Likely flips taken for all pairs would be too many."
        ),
        columns=(
            Column(label="condition", numeric=False),
            Column(label="readout", numeric=False),
            Column(label="quantity", numeric=False),
            Column(label="selective", hint=column_of("selective_flip_rate").hint),
            Column(label="weighted", hint=column_of("weighted_flip_rate").hint),
        ),
        rows=tuple(rows),
        headers=3,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def selective_sentences(scopes: Sequence[Scope]) -> list[str]:
    """Of which pairs order BA was asked, what that saved, and what it missed."""
    found = [(s, s.estimated) for s in scopes if s.selective and s.estimated is not None]
    told = told_readouts(scopes)
    if not found or not found[0][1].table:
        return []
    counts = dict(found[0][1].table)
    saved = found[0][1].measure("judgments_saved")
    share = f" ({percent(saved.value)} saved)" if isinstance(saved, Estimate) else ""
    sure = counts["certain, swapped"] + counts["unknown, swapped"]
    head = (
        f"Order BA was asked of {integer(counts['pairs swapped'])} of {integer(counts['pairs'])} pairs: all whose risk "
        f"of a flip was high or unknown ({integer(sure)}), and a random floor of the others. That took "
        f"{integer(counts['judgments asked'])} of {integer(counts['judgments of a full run'])} judgments{share}; the "
        "flip rate is estimated for all pairs."
    )
    return [
        head,
        *(text for scope, finding in found if scope.readout in told and (text := _told(scope, finding, scopes))),
    ]


def _told(scope: Scope, finding: Finding, scopes: Sequence[Scope]) -> str:
    parts = []
    counts = dict(finding.table)
    parts.append(f"{integer(counts.get('flips found', 0))} flips were found")
    missed, lean = finding.measure("missed_flips"), finding.measure("selective_first_position_bias_rate")
    if isinstance(missed, Estimate) and is_shown(missed):
        parts.append(
            f"of all flips an estimated {estimate_text(missed)} lie among pairs whose risk was too low to be swapped "
            "for certain"
        )
    if isinstance(lean, Estimate) and is_shown(lean):
        parts.append(f"{estimate_text(lean)} of flips kept to the first slot")
    place = where(scope, scopes)
    choice = _choice(finding)
    return (
        f"{PHRASES[scope.readout].opening}{f' ({place})' if place else ''}, {', '.join(parts)}."
        f"{f' {choice}' if choice else ''}"
    )


def _choice(finding: Finding) -> str | None:
    """Whether the predictor picks flips: its pairs against the random floor. Nothing where that can't be compared."""
    more = finding.measure("certain_minus_floor_flip_rate")
    if not isinstance(more, Estimate) or more.interval is None or not is_shown(more):
        return None
    rates = " and ".join(
        f"{estimate_text(rate)} of {whose}"
        for name, whose in (("certain_flip_rate", "the pairs of high risk"), ("floor_flip_rate", "the floor"))
        if isinstance(rate := finding.measure(name), Estimate)
    )
    of_rates = f" ({rates} flip)" if rates else ""
    difference = estimate_text(more, unit="difference")
    if more.interval.low > 0:
        return f"The pairs that the predictor chose flip more often than the floor by {difference}{of_rates}."
    if more.interval.high < 0:
        return f"The pairs that the predictor chose flip less often than the floor, by {difference}{of_rates}."
    return f"The predictor's choice is not shown to flip more often than the floor: {difference}{of_rates}."


def swap_rows(manifest: RunManifest) -> tuple[tuple[str, str], ...]:
    """How the pairs to swap were chosen, for the setup; empty where every pair is asked in both orders."""
    return () if manifest.swap is None else (("order BA asked of", _chosen(manifest.swap)),)


def _chosen(swap: SwapRecord) -> str:
    promise = f"; guarantee: {swap.guarantee}" if swap.guarantee else ""
    return visible(
        f"{swap.rule}, pairs of unknown risk, and a random {percent(swap.floor)} of the others (at least "
        f"{integer(swap.floor_pairs)}); predictor {swap.predictor} of {swap.probe}, sha256:{swap.probe_sha256}"
        f"{promise}",
        limit=800,
    )
