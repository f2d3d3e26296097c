"""A budgeted run: what generating for every pair would show, beside what the sample alone shows."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.audits import AuditResult, Finding, FindingKind
from evenhand.report.cells import column_of, estimate_cell, footnotes_of, info_of, name_cell
from evenhand.report.format import DASH, estimate_text, integer, is_shown
from evenhand.report.model import Cell, Column, Table
from evenhand.report.phrases import listed
from evenhand.report.scope import Scope
from evenhand.report.text import visible
from evenhand.stats import Estimate

__all__ = ["OF_SAMPLE", "drawn_text", "powered_table", "sample_sentences"]

OF_SAMPLE = "counted in the sampled pairs alone"
"""Marks a figure of the generated readout that is not an estimate for all pairs."""

_QUANTITIES = ("flip_rate", "position_bias_strength", "accuracy_ab", "accuracy_ba")
_SHOWN = 3


def drawn_text(finding: Finding) -> str:
    """``prediction-powered: text of 30 of 60 pairs``, from the finding's counts."""
    table = dict(finding.table)
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
    own = [s for s in scopes if s.estimated is not None]
    if not own:
        return []
    parts = []
    for scope in own[:_SHOWN]:
        assert scope.estimated is not None  # noqa: S101 - chosen so above
        counts = dict(scope.estimated.table)
        alone, effective = scope.estimated.measure("sample_flip_rate"), scope.estimated.measure("pp_effective_pairs")
        strength = scope.estimated.measure("pp_position_bias_strength")
        worth = (
            f", worth {integer(round(effective.value))} pairs generated for at random"
            if isinstance(effective, Estimate) and is_shown(effective)
            else ""
        )
        place = f" ({visible(scope.condition, limit=60)})" if len(own) > 1 else ""
        parts.append(
            f"{integer(counts.get('pairs generated for', scope.finding.pairs))} of "
            f"{integer(counts.get('pairs', scope.estimated.pairs))} pairs{place}{worth} "
            f"(flip rate from the sample alone: {estimate_text(alone)}; position bias strength: "
            f"{estimate_text(strength, 'number')})"
        )
    more = f" and likewise in {len(own) - _SHOWN} more conditions" if len(own) > _SHOWN else ""
    return [
        "The judge's text was asked for of a random sample; its flip rate is estimated for all pairs with the help of "
        f"the first token: from {listed(parts)}{more}."
    ]
