"""Pieces of the headline's sentences: how a readout is spoken of, and figures of several conditions in one phrase."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evenhand.records import Outcome, Readout
from evenhand.report.format import estimate_text, integer, is_shown, percent
from evenhand.report.scope import Scope, decided_pairs
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = [
    "NEARLY_ALL",
    "PHRASES",
    "Phrase",
    "by_condition",
    "compliance_sentence",
    "decided_sentence",
    "flip_sentences",
    "listed",
    "log_sentence",
    "range_text",
    "state_sentence",
    "told_readouts",
    "too_few_clusters",
    "verdict_share",
    "where",
]

_SWAPPED = "Where both orders were decided, swapping the two responses changed the judge's preference"
NEARLY_ALL = 0.9  # share of pairs below which a reader is told how few a flip rate speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """A readout in words: at a sentence's start, after a figure, and of flips."""

    opening: str
    after: str
    flips: str


PHRASES = {
    Readout.FIRST_TOKEN: Phrase(
        opening="Read from the first token",
        after="when read from the first token",
        flips="those read from the first token",
    ),
    Readout.GENERATED: Phrase(
        opening="Read from what the judge wrote",
        after="when read from what the judge wrote",
        flips="those read from what the judge wrote",
    ),
    Readout.HYBRID: Phrase(
        opening="Read by the hybrid readout",
        after="when read by the hybrid readout",
        flips="those read by the hybrid readout",
    ),
    Readout.PREFILLED: Phrase(
        opening="Read from the first token after the prefill",
        after="when read from the first token after the prefill",
        flips="those read after the prefill",
    ),
    Readout.CONSTRAINED: Phrase(
        opening="Read from the label that the judge was held to",
        after="when read from the label that the judge was held to",
        flips="those of the constrained readout",
    ),
    Readout.LOGGED: Phrase(
        opening="By the log's own reading",
        after="by the log's own reading",
        flips="those by the log's own reading",
    ),
}


def told_readouts(scopes: Sequence[Scope]) -> list[Readout]:
    """The readouts that the headline speaks of.

    The hybrid one is made of the others. A log's own reading is of the same judgments as our parse of them; it has one
    sentence where it differs, and speaks for itself only where we could read nothing.
    """
    asked = [r for r in Readout if any(s.readout is r for s in scopes)]
    ours = (Readout.FIRST_TOKEN, Readout.GENERATED, Readout.PREFILLED, Readout.CONSTRAINED)
    figures = [s for s in scopes if s.readout in ours and _has_figure(s)]
    derived = {Readout.HYBRID, *([Readout.LOGGED] if figures else [])}
    return [r for r in asked if r not in derived] or asked


def _has_figure(scope: Scope) -> bool:
    return is_shown(scope.flips) or is_shown(scope.finding.measure("first_slot_rate"))


def by_condition(scopes: Iterable[Scope]) -> list[Scope]:
    """One scope for each condition, the first."""
    return list({scope.condition: scope for scope in reversed(list(scopes))}.values())[::-1]


def listed(parts: Sequence[str]) -> str:
    """``a, b and c``.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def where(scope: Scope, scopes: Sequence[Scope], *, readout: bool = False) -> str:
    """A scope's name as far as it tells it from the others: nothing where there is one condition."""
    several = len({s.condition for s in scopes}) > 1
    parts = (visible(scope.condition, limit=60) if several else "", scope.readout.value if readout else "")
    return ", ".join(part for part in parts if part)


def range_text(
    own: Sequence[Scope],
    estimates: Sequence[Estimate | Refusal | None],
    *,
    scopes: Sequence[Scope],
    readouts: bool = False,
) -> str:
    """One estimate with its interval, or the least and the greatest with their scopes; empty for none."""
    known = [(s, e) for s, e in zip(own, estimates, strict=True) if isinstance(e, Estimate) and is_shown(e)]
    if not known:
        return ""
    ordered = sorted(known, key=lambda pair: pair[1].value)
    texts = list(dict.fromkeys(estimate_text(e) for _, e in ordered))
    if len(texts) == 1 and len(known) > 1:
        what = "conditions and readouts" if readouts else "conditions"
        return f"{texts[0]} (in each of {len(known)} {what})"

    def one(scope: Scope, estimate: Estimate) -> str:
        name = where(scope, scopes, readout=readouts)
        return f"{estimate_text(estimate)}{f' ({name})' if name else ''}"

    joint = " and " if len(known) == 2 else " to "
    return joint.join(one(*pair) for pair in (ordered if len(ordered) == 1 else (ordered[0], ordered[-1])))


def compliance_sentence(scopes: Sequence[Scope], *, name: str = "compliance_pairs") -> str:
    """How often the judge led with a verdict token, by itself and after a prefill, or why that is not known."""
    prefilled = [s for s in scopes if s.readout is Readout.PREFILLED]
    open_ones = [s for s in scopes if s.readout is not Readout.PREFILLED]
    if prefilled and open_ones:
        after = range_text(prefilled, [s.finding.measure(name) for s in prefilled], scopes=scopes)
        text = f" After the prefill it did so on {after}." if after else ""
        return f"{compliance_sentence(open_ones, name=name)}{text}"
    own = by_condition(scopes)
    estimates = [s.compliance if name == "compliance_pairs" else s.finding.measure(name) for s in own]
    text = range_text(own, estimates, scopes=scopes)
    if not text:
        reason = next((visible(e.reason) for e in estimates if isinstance(e, Refusal)), "")
        if reason.startswith("compliance is unknown"):
            return f"{reason[:1].upper()}{reason[1:]}."
        if too_few_clusters(estimates):
            return f"Compliance was read, but of too few pairs to say how common it is ({reason})."
        return f"Compliance is unknown: {reason or 'no first-token log probabilities'}."
    led = "went on from the prefill with a verdict token" if prefilled else "led with a verdict token"
    if name == "compliance_pairs":
        return f"In both orders of a pair the judge {led} on {text} of pairs."
    return f"The judge {led} on {text} of presentations."


def flip_sentences(scopes: Sequence[Scope], readouts: Sequence[Readout], *, apart: bool) -> str:
    """What swapping changed, one sentence for all figures and one for each readout that has none.

    Parameters
    ----------
    apart
        Whether the readouts' flip rates clearly differ: ``but`` rather than ``and``.
    """
    parts, refusals = [], []
    for readout in readouts:
        own = [s for s in scopes if s.readout is readout]
        text = range_text(own, [s.flips for s in own], scopes=scopes)
        if text:
            parts.append(f"{text} of pairs {PHRASES[readout].after}")
        refused = [s for s in own if not is_shown(s.flips)]
        if refused:
            refusals.append(_refused(readout, refused, scopes, partly=bool(text)))
    joint = ", but on " if apart else ", and on "
    flips = [f"{_SWAPPED} on {joint.join(parts)}."] if parts else []
    return " ".join([*flips, *refusals])


def _refused(readout: Readout, refused: Sequence[Scope], scopes: Sequence[Scope], *, partly: bool) -> str:
    """Why a readout has no flip rate, with the pairs that were decided."""
    counted = []
    for scope in refused[:4]:
        name = where(scope, scopes)
        decided = decided_pairs(scope.finding)
        counted.append(f"{integer(decided)} of {integer(scope.finding.pairs)} pairs{f' ({name})' if name else ''}")
    reasons = list(dict.fromkeys(visible(s.flips.reason) for s in refused if isinstance(s.flips, Refusal)))
    why = f" ({reasons[0]})" if len(reasons) == 1 else ""
    some = f" under {len(refused)} of the conditions" if partly else ""
    if why and all(s.estimated is not None for s in refused):
        return f"{PHRASES[readout].opening}, no flip rate can be estimated for all pairs{some}{why}."
    few = "only "
    if all(decided_pairs(s.finding) >= NEARLY_ALL * s.finding.pairs for s in refused) and too_few_clusters(
        [s.flips for s in refused]
    ):
        few, why = "", f", but in too few clusters{why}"  # the pairs are there, what is resampled is not
    more = f" and likewise in {len(refused) - 4} more conditions" if len(refused) > 4 else ""
    return (
        f"{PHRASES[readout].opening}, no flip rate can be given{some}: {few}"
        f"{listed(counted)}{more} were decided in both orders{why}."
    )


def too_few_clusters(estimates: Sequence[Estimate | Refusal | None]) -> bool:
    """Whether all were refused for want of clusters; there may be pairs enough."""
    return bool(estimates) and all(isinstance(e, Refusal) and " clusters" in e.reason for e in estimates)


def verdict_share(scope: Scope) -> float:
    """Share of presentations that ended in a verdict; 1 where there were none."""
    everything = sum(c.count for c in scope.finding.outcomes)
    return sum(c.count for c in scope.finding.outcomes if c.outcome.is_verdict) / everything if everything else 1.0


def state_sentence(scopes: Sequence[Scope], readout: Readout) -> str:
    """How many presentations ended in a verdict and how the others did; empty where all of them did."""
    own = [c for s in scopes if s.readout is readout for c in s.finding.outcomes]
    everything = sum(c.count for c in own)
    verdicts = sum(c.count for c in own if c.outcome.is_verdict)
    if verdicts == everything:
        return ""
    counts = ((o, sum(c.count for c in own if c.outcome is o)) for o in Outcome if not o.is_verdict)
    states = listed([f"{integer(n)} {o.value}" for o, n in sorted(counts, key=lambda pair: -pair[1]) if n])
    return (
        f"{PHRASES[readout].opening}, {integer(verdicts)} of {integer(everything)} presentations "
        f"({percent(verdicts / everything)}) ended in a verdict; the rest: {states}."
    )


def decided_sentence(scopes: Sequence[Scope], readout: Readout) -> str:
    """Of how few pairs a flip rate speaks; empty where nearly all were decided in both orders, or none is given."""
    few = [
        (decided_pairs(s.finding), s)
        for s in scopes
        if s.readout is readout
        and not s.selective
        and is_shown(s.flips)
        and decided_pairs(s.finding) < NEARLY_ALL * s.finding.pairs
    ]
    if not few:
        return ""
    decided, scope = min(few, key=lambda entry: entry[0] / entry[1].finding.pairs)
    name = where(scope, scopes)
    name = f"{name}, the fewest" if name else ""
    ties = scope.finding.measure("inconsistency_rate")
    tied = (
        f" Of the pairs with a verdict in both, {estimate_text(ties)} have a tie in exactly one order."
        if isinstance(ties, Estimate) and is_shown(ties) and ties.value > 0
        else ""
    )
    return (
        f"{PHRASES[readout].opening}, {integer(decided)} of {integer(scope.finding.pairs)} pairs"
        f"{f' ({name})' if name else ''} were decided in both orders; the flip rate speaks of those alone.{tied}"
    )


def log_sentence(scopes: Sequence[Scope], disagreement: Estimate | Refusal | None, *, name: str) -> list[str]:
    """One sentence on a log's own reading, where it gives another figure than each of ours."""
    apart = []
    for logged in (s for s in scopes if s.readout is Readout.LOGGED):
        figure = logged.finding.measure(name)
        ours = [
            e
            for s in scopes
            if s.condition == logged.condition
            and s.readout in (Readout.FIRST_TOKEN, Readout.GENERATED)
            and isinstance(e := s.finding.measure(name), Estimate)
            and is_shown(e)
        ]
        if not ours or not isinstance(figure, Estimate) or not is_shown(figure):
            continue
        gap = min(abs(figure.value - e.value) for e in ours)
        if all(percent(figure.value) != percent(e.value) for e in ours):
            apart.append((gap, logged, figure))
    if not apart:
        return []
    _, scope, figure = max(apart, key=lambda entry: entry[0])
    place = where(scope, scopes)
    parse = (
        f" Its parse differs from ours on {estimate_text(disagreement)} of presentations."
        if isinstance(disagreement, Estimate) and is_shown(disagreement)
        else ""
    )
    what = "flip rate" if name == "flip_rate" else "first-slot rate"
    at = f" ({place})" if place else ""
    return [f"By the log's own reading the {what} is {estimate_text(figure)}{at} instead.{parse}"]
