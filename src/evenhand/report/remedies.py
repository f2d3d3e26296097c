"""What the remedies do: the prefilled and the constrained readout against what the judge writes, with figures."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.records import Readout
from evenhand.report.first_token import excludes_zero
from evenhand.report.format import estimate_text, integer, is_shown
from evenhand.report.phrases import range_text
from evenhand.report.scope import Scope
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = ["remedy_sentences"]


def remedy_sentences(audit: AuditResult, scopes: Sequence[Scope]) -> list[str]:
    """One sentence for each remedy that the run has: compliance, then flips and accuracy against the generated one."""
    return [
        sentence
        for readout in (Readout.PREFILLED, Readout.CONSTRAINED)
        if (own := [s for s in scopes if s.readout is readout])
        for sentence in (_sentence(audit, scopes, own, readout),)
        if sentence
    ]


def _sentence(audit: AuditResult, scopes: Sequence[Scope], own: Sequence[Scope], readout: Readout) -> str:
    found = audit.select(FindingKind.READOUTS, readout=readout)
    against = _against(found)
    head = _prefilled(scopes, own) if readout is Readout.PREFILLED else _constrained(scopes, own)
    if not against:
        return f"{head}." if head else ""
    lead = head or ("Prefilled" if readout is Readout.PREFILLED else "Held to a label")
    return f"{lead}; against what the judge writes, {against.removesuffix(',')}."


def _prefilled(scopes: Sequence[Scope], own: Sequence[Scope]) -> str:
    after = range_text(own, [s.compliance for s in own], scopes=scopes)
    free = [s for s in scopes if s.readout in (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.HYBRID)]
    free = list({s.condition: s for s in reversed(free)}.values())[::-1]
    before = range_text(free, [s.compliance for s in free], scopes=scopes)
    if not after:
        return ""
    instead = f" instead of {before}" if before else ""
    return f"A prefill makes the judge go on with a verdict token on {after} of pairs{instead}"


def _constrained(scopes: Sequence[Scope], own: Sequence[Scope]) -> str:
    rates = range_text(own, [s.finding.measure("verdict_rate") for s in own], scopes=scopes)
    free = [s for s in scopes if s.readout is Readout.GENERATED]
    written = range_text(free, [s.finding.measure("verdict_rate") for s in free], scopes=scopes)
    if not rates:
        return ""
    instead = f" instead of {written}" if written else ""
    return f"Held to a label, the judge gave a verdict on {rates} of presentations{instead}"


def _against(found: Sequence[Finding]) -> str:
    """Differences of flips and of accuracy; of several conditions the largest of each, and how many leave 0 out."""
    parts = [
        f"{what} differ{'s' if what == 'accuracy' else ''} by {text}"
        for what, name in (("flips", "flip_readout_contrast"), ("accuracy", "accuracy_readout_contrast"))
        if (text := _largest([(f, f.measure(name)) for f in found]))
    ]
    return " and ".join(parts)


def _largest(found: Sequence[tuple[Finding, Estimate | Refusal | None]]) -> str:
    known = [(f, e) for f, e in found if isinstance(e, Estimate) and is_shown(e)]
    if not known:
        return next((f"— ({visible(e.reason)})" for _, e in found if isinstance(e, Refusal)), "")
    finding, estimate = max(known, key=lambda pair: abs(pair[1].value))
    text = estimate_text(estimate, "difference")
    if len(found) == 1:
        return text if excludes_zero(estimate) else f"{text}, not clear of 0,"
    clear = sum(excludes_zero(e) for _, e in known)
    return (
        f"{text} ({visible(finding.condition, limit=60)}; the largest of {integer(len(known))} conditions, "
        f"{integer(clear)} of them clear of 0)"
    )
