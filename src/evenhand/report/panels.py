"""What the figures beside rates and outcomes draw: displays with their figures, and biases on one scale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from evenhand.analysis import AuditResult, FindingKind
from evenhand.analysis.displays import Flow, Reliability, SavingsCurve, SwapTable
from evenhand.report.format import is_shown
from evenhand.report.model import Point
from evenhand.report.panel_model import FlowPanel, HybridPoint, Panels, SavingsPanel
from evenhand.report.points import point
from evenhand.report.scope import Scope
from evenhand.report.studies.bias_claims import Claim, claims_of
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = ["MOST_BIASES", "bias_points", "build_panels"]

MOST_BIASES = 44
"""Rows of the plot of all biases: so many fit on a printed page."""
_PANELS = 3  # conditions of a flow or savings figure
_TABLES = 6  # swap tables: two rows of three


def build_panels(audit: AuditResult) -> Panels:
    """Gather them from an audit whose conditions have the names that the report shows."""
    shown = [replace(display, condition=visible(display.condition)) for display in audit.displays]
    tables = [d for d in shown if isinstance(d, SwapTable) and d.decided]
    # A hybrid's table follows from two others: it stands only where there is room.
    tables = sorted(tables, key=lambda table: table.readout.value == "hybrid") if len(tables) > _TABLES else tables
    return Panels(
        tables=tuple(tables[:_TABLES]),
        flows=tuple(
            FlowPanel(flow=d, divergence=_measure(audit, d, "lead_conclusion_divergence"))
            for d in shown
            if isinstance(d, Flow)
        )[:_PANELS],
        reliabilities=tuple(d for d in shown if isinstance(d, Reliability))[:4],
        savings=tuple(_savings(audit, [d for d in shown if isinstance(d, SavingsCurve)]))[:_PANELS],
    )


def _measure(audit: AuditResult, flow: Flow, name: str) -> Estimate | Refusal | None:
    found = [
        finding.measure(name)
        for finding in audit.select(FindingKind.READOUT, readout=flow.readout)
        if visible(finding.condition or "") == flow.condition
    ]
    return found[0] if found else None


def _savings(audit: AuditResult, curves: Sequence[SavingsCurve]) -> Iterator[SavingsPanel]:
    for condition in dict.fromkeys(curve.condition for curve in curves):
        own = [curve for curve in curves if curve.condition == condition and curve.refusal is None]
        swaps = tuple(curve for curve in own if curve.spending == "order BA")
        text = next((curve for curve in own if curve.spending == "text"), None)
        if swaps or text is not None:
            yield SavingsPanel(condition=condition, swaps=swaps, text=text, hybrid=_hybrid(audit, condition))


def _hybrid(audit: AuditResult, condition: str) -> HybridPoint | None:
    for finding in audit.select(FindingKind.HYBRID):
        generated, fidelity = finding.measure("share_generated"), finding.measure("hybrid_fidelity")
        named = visible(finding.condition or "") == condition
        if named and isinstance(generated, Estimate) and isinstance(fidelity, Estimate):
            return HybridPoint(generated=generated, fidelity=fidelity)
    return None


def bias_points(scopes: Sequence[Scope], biases: AuditResult, *, conditions: Sequence[str] = ()) -> tuple[Point, ...]:
    """Position and every bias that is a difference of shares, each a row; what is shown after Holm is marked.

    Where there are more than fit, those that are shown stay, then the strongest. Empty without a bias to draw.

    Parameters
    ----------
    conditions
        Ids of the controls that the bias audits compared with.
    """
    rows = [*_position(scopes), *_noise(scopes)]
    claims = [
        claim
        for claim in claims_of(biases, conditions=conditions)
        if claim.unit == "difference" and claim.state in ("shown", "within", "undecided")
    ]
    room = max(0, MOST_BIASES - len(rows))
    strongest = sorted(range(len(claims)), key=lambda i: (claims[i].state != "shown", -claims[i].strength))
    kept = [claims[i] for i in sorted(strongest[:room])]
    several = len({claim.readout for claim in claims}) > 1
    rows += [_bias(claim, readout=several) for claim in kept]
    left = len(claims) - len(kept)
    if left and rows:
        rest = f"{left} weaker rows are in the tables"
        rows.append(Point(group="not drawn", series="open", label="", value=None, low=None, high=None, text=rest))
    return tuple(rows) if any(r.value is not None and r.group not in (_POSITION, _NOISE) for r in rows) else ()


_POSITION, _NOISE = "position", "noise"


def _position(scopes: Sequence[Scope]) -> Iterator[Point]:
    several = len({scope.condition for scope in scopes}) > 1
    for scope in scopes:
        if scope.readout.value == "hybrid":
            continue
        lean = (
            scope.finding.measure("position_bias_strength")
            if scope.estimated is None
            else scope.for_all("position_bias_strength")
        )
        if lean is not None and is_shown(lean):
            name = f"net lean, {scope.readout.value}{f', {scope.condition}' if several else ''}"
            yield _marked(point(_POSITION, "open", name, lean, "difference"), shown=scope.flagged)


def _noise(scopes: Sequence[Scope]) -> Iterator[Point]:
    several = len({scope.condition for scope in scopes}) > 1
    for scope in scopes:
        repeat = scope.repeat_flips
        if repeat is not None and is_shown(repeat) and scope.readout.value != "hybrid":
            name = f"asked again, {scope.readout.value}{f', {scope.condition}' if several else ''}"
            yield point(_NOISE, "repeat", name, repeat)


def _bias(claim: Claim, *, readout: bool) -> Point:
    told = readout and claim.finding.readout is not None
    name = f"{claim.subset}, {claim.readout}" if told else claim.subset
    return _marked(point(claim.audit, "open", name, claim.effect, "difference"), shown=claim.state == "shown")


def _marked(row: Point, *, shown: bool) -> Point:
    return replace(row, series="shown", text=f"{row.text} *") if shown else row
