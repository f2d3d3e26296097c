"""A budgeted run: what generating for every pair would show, beside what the sample alone shows."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.report.cells import column_of, estimate_cell, footnotes_of, info_of, name_cell
from evenhand.report.format import DASH, estimate_text, integer, is_shown
from evenhand.report.model import Cell, Column, Table
from evenhand.report.scope import Scope
from evenhand.stats import Estimate

__all__ = ["OF_SAMPLE", "drawn_text", "powered_table", "sample_sentences"]

OF_SAMPLE = "counted in the sampled pairs alone"
"""Marks a figure of the generated readout that is not an estimate for all pairs."""

_QUANTITIES = ("flip_rate", "position_bias_strength", "accuracy_ab", "accuracy_ba")


def drawn_text(finding: Finding) -> str:
    """``prediction-powered: text of 30 of 60 pairs``, or of how many order BA was asked, from the finding's counts."""
    table = dict(finding.table)
    if finding.kind is FindingKind.SELECTIVE:
        swapped = integer(table.get("pairs swapped", 0))
        return f"selective: order BA of {swapped} of {integer(table.get('pairs', finding.pairs))} pairs"
    drawn, everything = table.get("pairs generated for"), table.get("pairs", finding.pairs)
    if drawn is None:
        return "prediction-powered"
    return f"prediction-powered: text of {integer(drawn)} of {integer(everything)} pairs, first token of all"


def powered_table(audit: AuditResult) -> Table | None:
    """Each quantity estimated with the first token of all pairs, and from the sampled text alone."""
    findings = audit.select(FindingKind.PREDICTION_POWERED)
    if not findings:
        return None
    notes = footnotes_of(audit)
    rows = []
    for finding in findings:
        for name in _QUANTITIES:
            powered, alone = finding.measure(f"pp_{name}"), finding.measure(f"sample_{name}")
            if powered is None and alone is None:
                continue
            effective = finding.measure("pp_effective_pairs") if name == "flip_rate" else None
            rows.append(
                (
                    name_cell(finding.condition or DASH),
                    Cell(text=info_of(name).label, detail=info_of(f"pp_{name}").definition),
                    estimate_cell(f"pp_{name}", powered, notes),
                    estimate_cell(f"sample_{name}", alone, notes),
                    estimate_cell("pp_effective_pairs", effective, notes),
                )
            )
    return Table(
        id="prediction-powered",
        title="Estimated for all pairs",
        caption=(
            "Figures of the generated readout over all pairs, though its text was asked for of a random sample: with "
            "the first token of all pairs (prediction-powered), and from the sampled text alone. Effective pairs: how "
            "many drawn and generated for at random would tell the flip rate as closely without the first token."
        ),
        columns=(
            Column(label="condition", numeric=False),
            Column(label="quantity", numeric=False),
            Column(label="prediction-powered"),
            Column(label="sample alone"),
            column_of("pp_effective_pairs"),
        ),
        rows=tuple(rows),
        headers=2,
        notes=notes.notes,
        intervals=notes.intervals,
    )


def sample_sentences(scopes: Sequence[Scope]) -> list[str]:
    """Of how many pairs the text was asked, and what that tells of all of them."""
    found = [s.estimated for s in scopes if s.estimated is not None and s.sampled]
    if not found:
        return []
    counts = [dict(f.table) for f in found]
    drawn = _range([c.get("pairs generated for", 0) for c in counts])
    everything = _range([c.get("pairs", f.pairs) for c, f in zip(counts, found, strict=True)])
    head = "The judge's text was asked for of a random sample, and its flip rate is estimated for all pairs"
    many = f" in each of {integer(len(found))} conditions" if len(found) > 1 else ""
    if not any(_shown(f, "pp_flip_rate") is not None for f in found):
        # The flip sentence says why no rate is estimated.
        return [f"The judge's text was asked for of a random sample: {drawn} of {everything} pairs{many}."]
    effective = [round(e.value) for f in found if (e := _shown(f, "pp_effective_pairs")) is not None]
    worth = f", worth {_range(effective)} pairs generated for at random" if effective else ""
    if len(found) > 1:
        alone = "; what the sample alone tells stands in the table of estimates" if effective else ""
    else:
        figures = [
            f"{label}: {estimate_text(e, unit)}"
            for label, name, unit in (
                ("flip rate from the sample alone", "sample_flip_rate", "share"),
                ("position bias strength", "pp_position_bias_strength", "number"),
            )
            if (e := _shown(found[0], name)) is not None
        ]
        alone = f" ({'; '.join(figures)})" if figures else ""
    return [f"{head} with the help of the first token: from {drawn} of {everything} pairs{many}{worth}{alone}."]


def _shown(finding: Finding, name: str) -> Estimate | None:
    estimate = finding.measure(name)
    return estimate if isinstance(estimate, Estimate) and is_shown(estimate) else None


def _range(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return integer(low) if low == high else f"{integer(low)} to {integer(high)}"
