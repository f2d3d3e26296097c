"""The story of the first token: where it is not the judge's verdict, and what reading it anyway does to the figures."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.records import Readout
from evenhand.report.format import estimate_text, integer, is_shown, percent
from evenhand.report.phrases import NEARLY_ALL, by_condition, listed, too_few_clusters, verdict_share, where
from evenhand.report.scope import Scope
from evenhand.report.several import clear_of_zero
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = [
    "COMPLIANT_ENOUGH",
    "clear_differences",
    "comparison_sentences",
    "excludes_zero",
    "first_token_steps",
    "forced",
    "label_sets_step",
    "low_compliance",
    "own_token_sentence",
]

COMPLIANT_ENOUGH = 0.9
"""Compliance below which the first token is said not to be the judge's verdict (when the whole interval lies below).

A convention of this report, taken from no publication; the compliance itself always stands beside the sentence.
"""
_SHOWN = 4  # conditions that a sentence lists before it sums them up
_TRUE_ENOUGH = 0.95  # hybrid fidelity whose whole interval lies below is no reason to save


def excludes_zero(estimate: Estimate) -> bool:
    """Whether the interval of a difference leaves 0 out."""
    return estimate.interval is not None and (estimate.interval.low > 0.0 or estimate.interval.high < 0.0)


def low_compliance(scopes: Sequence[Scope]) -> list[tuple[Scope, Estimate]]:
    """First-token scopes whose presentations are clearly less than :data:`COMPLIANT_ENOUGH` compliant."""
    own = ((s, s.finding.measure("compliance_presentations")) for s in scopes if s.readout is Readout.FIRST_TOKEN)
    return [
        (s, e)
        for s, e in own
        if isinstance(e, Estimate) and is_shown(e) and e.interval is not None and e.interval.high < COMPLIANT_ENOUGH
    ]


def own_token_sentence(scopes: Sequence[Scope]) -> list[str]:
    """On how many presentations the judge's own first token was no verdict."""
    low = [(s, e) for s, e in low_compliance(scopes) if e.count is not None]
    if not low:
        return []
    if len(low) > _SHOWN:
        missing, everything = sum(e.n - (e.count or 0) for _, e in low), sum(e.n for _, e in low)
        parts = [f"{integer(missing)} of {integer(everything)} presentations (over {len(low)} conditions)"]
    else:
        parts = [
            f"{integer(e.n - (e.count or 0))} of {integer(e.n)}{' presentations' if index == 0 else ''}"
            f"{f' ({name})' if (name := where(s, scopes)) else ''}"
            for index, (s, e) in enumerate(low)
        ]
    return [
        f"On {listed(parts)} the judge's own first token was not a verdict, so the first-token readout reports a "
        "choice that the judge did not make there: a lean among label tokens that it would not have written."
    ]


def forced(audit: AuditResult, subset: str, condition: str | None = None) -> list[Finding]:
    """First-token minus generated, of one part of the pairs (``all``, ``compliant``, ``non-compliant``)."""
    found = audit.select(FindingKind.FORCED_MINUS_GENERATED, condition=condition)
    return [f for f in found if (f.subset or "all") == subset and f.condition is not None]


def _difference(finding: Finding) -> Estimate | None:
    estimate = finding.measure("flip_difference")
    return estimate if isinstance(estimate, Estimate) and is_shown(estimate) else None


def clear_differences(audit: AuditResult) -> list[tuple[Finding, Estimate]]:
    """Conditions in which the two readouts' flip rates clearly differ on the same pairs, adjusted over all of them."""
    pairs = ((f, _difference(f)) for f in forced(audit, "all"))
    return clear_of_zero([(f, e) for f, e in pairs if e is not None])


def comparison_sentences(audit: AuditResult, scopes: Sequence[Scope]) -> list[str]:
    """The two readouts on the same pairs: the difference with its interval, and which pairs carry it."""
    whole = forced(audit, "all")
    shown = [(f, e) for f in whole if (e := _difference(f)) is not None]
    if not whole:
        return []
    if not shown:
        return [_no_comparison(whole, scopes)]
    clear = clear_differences(audit)
    finding, e = max(clear or shown, key=lambda pair: abs(pair[1].value))
    place = visible(finding.condition, limit=60) if len(whole) > 1 else ""
    if not clear:
        adjusted = "; by Holm's adjustment it isn't clear of 0" if excludes_zero(e) else ""
        most = f", {place}; the largest of {len(shown)} conditions{adjusted}" if place else ""
        return [
            f"On the {integer(finding.pairs)} pairs decided by both, the two readouts' flip rates can't be told apart "
            f"(first-token minus generated {estimate_text(e, 'difference')}{most})."
        ]
    change = "more" if e.value > 0 else "fewer"
    also = f" ({place}; clear of 0 in {len(clear)} of {len(shown)} conditions by Holm's adjustment)" if place else ""
    return [
        f"On the same pairs the first-token readout shows {change} flips than the generated one: "
        f"{estimate_text(e, 'difference')}{also}.{_carried(audit, finding)}"
    ]


def _no_comparison(whole: Sequence[Finding], scopes: Sequence[Scope]) -> str:
    pairs = {s.condition: s.finding.pairs for s in scopes}
    counted = [
        f"{integer(f.pairs)} of {integer(pairs.get(f.condition or '', f.pairs))} pairs"
        f"{f' ({visible(f.condition, limit=60)})' if len(whole) > 1 else ''}"
        for f in whole[:_SHOWN]
    ]
    refused = [f.measure("flip_difference") for f in whole]
    nearly = all(f.pairs >= NEARLY_ALL * pairs.get(f.condition or "", f.pairs) for f in whole)
    if nearly and too_few_clusters(refused):
        reasons = list(dict.fromkeys(visible(e.reason) for e in refused if isinstance(e, Refusal)))
        why = f" ({reasons[0]})" if len(reasons) == 1 else ""
        return (
            f"The two readouts can't be compared on the same pairs: {listed(counted)} were decided by both, but in too "
            f"few clusters{why}."
        )
    return f"The two readouts can't be compared on the same pairs: only {listed(counted)} were decided by both."


def _carried(audit: AuditResult, finding: Finding) -> str:
    """Which pairs carry a difference: its two parts by compliance, with a verdict only where one part is clear."""
    parts: dict[str, tuple[Finding, Estimate | None]] = {
        name: (own[0], _difference(own[0]))
        for name in ("non-compliant", "compliant")
        if (own := forced(audit, name, finding.condition))
    }
    if not any(e is not None for _, e in parts.values()):
        return ""
    clear = [name for name, (_, e) in parts.items() if e is not None and excludes_zero(e)]
    texts = [
        f"{estimate_text(e, 'difference')} on the {integer(f.pairs)} {name} pairs"
        if e is not None
        else f"the {integer(f.pairs)} {name} pairs are too few to say"
        for name, (f, e) in parts.items()
    ]
    lead = f"The {clear[0]} pairs carry it: " if len(clear) == 1 else ""
    joined = "; ".join(texts)
    return f" {lead}{joined}." if lead else f" {joined[:1].upper()}{joined[1:]}."


def first_token_steps(audit: AuditResult, scopes: Sequence[Scope]) -> list[str]:
    """What to do about a first token that is not the verdict."""
    low, clear = low_compliance(scopes), clear_differences(audit)
    written = [s for s in scopes if s.readout is Readout.GENERATED]
    if not low and not clear:
        return _only_first_token(scopes, written=bool(written))
    head = "Don't take this judge's first token for its verdict under this prompt"
    remedy = "Change the labels or the prompt until compliance is high, or take a larger judge"
    if not written:
        return [f"{head}. Run the generated readout too. {remedy}."]
    least = min(written, key=verdict_share)
    if verdict_share(least) < COMPLIANT_ENOUGH:
        name = where(least, scopes)
        there = f" ({name})" if name else ""
        return [
            f"{head}. {remedy}: reading what it writes is no way out yet, since only {percent(verdict_share(least))} "
            f"of presentations ended in a verdict there{there}."
        ]
    hybrid = _hybrid_offer(audit)
    return [f"{head}: read what it writes{hybrid}. {remedy}, if the first token is all you can read."]


def _hybrid_offer(audit: AuditResult) -> str:
    """The hybrid readout as a way to save, with how true it stays; nothing where it is shown to be untrue."""
    offers = [
        (saved, true)
        for f in audit.select(FindingKind.HYBRID)
        if isinstance(saved := f.measure("generation_saved"), Estimate)
        and is_shown(saved)
        and isinstance(true := f.measure("hybrid_fidelity"), Estimate)
        and true.interval is not None
        and true.interval.high >= _TRUE_ENOUGH
    ]
    if not offers:
        return ""
    saved, true = max(offers, key=lambda pair: pair[0].value)
    return (
        f", or use the hybrid readout (saves up to {percent(saved.value)} of generation; its verdict is that of the "
        f"text on {estimate_text(true)} of presentations)"
    )


def _only_first_token(scopes: Sequence[Scope], *, written: bool) -> list[str]:
    first = [s for s in scopes if s.readout is Readout.FIRST_TOKEN]
    partly = [e for s in first if isinstance(e := s.compliance, Estimate) and is_shown(e) and e.value < 1.0]
    if written or not partly:
        return []
    worst = min(partly, key=lambda e: e.value)
    return [
        f"Run the generated readout too: on {percent(1 - worst.value)} of pairs the judge would not have led with "
        "a verdict token, so the first-token readout is not its verdict there."
    ]


def label_sets_step(scopes: Sequence[Scope]) -> list[str]:
    """Which condition has the highest compliance; no ranking where intervals overlap. Nothing unless it is low."""
    own = by_condition(scopes)
    estimates: list[Estimate | Refusal | None] = [s.compliance for s in own]
    known = [(s, e) for s, e in zip(own, estimates, strict=True) if isinstance(e, Estimate) and is_shown(e)]
    if len(known) < 2 or not low_compliance(scopes):
        return []
    (best, top), *rest = sorted(known, key=lambda pair: -pair[1].value)
    name = visible(best.condition, limit=60)
    near = [(s, e) for s, e in rest if _overlap(top, e)]
    head = f"Highest compliance seen in the {len(known)} conditions tried: {name}, {estimate_text(top)} of pairs"
    others = near or rest[:1]
    texts = [f"{visible(s.condition, limit=60)} ({estimate_text(e)})" for s, e in others[:_SHOWN]]
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    if near:
        return [f"{head}; its interval overlaps that of {listed(texts)}{more}, so these data don't rank them."]
    return [f"{head}; the next is {texts[0]}."]


def _overlap(one: Estimate, other: Estimate) -> bool:
    if one.interval is None or other.interval is None:
        return True
    return one.interval.low <= other.interval.high and other.interval.low <= one.interval.high
