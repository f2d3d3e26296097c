"""The first sentences of a report, chosen by rules that each carry the figure they rest on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from evenhand.audits import AuditResult, Finding, FindingKind
from evenhand.audits.decision import is_flagged
from evenhand.records import Readout
from evenhand.report.format import count_of, estimate_text, integer, is_shown, percent
from evenhand.report.model import Headline, RunCounts
from evenhand.report.scope import Scope, scopes_of
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = ["NEGLIGIBLE", "build_headline"]

NEGLIGIBLE = 0.05
"""Flip rate below which we speak of no order effect worth the name.

"Will the Judge Flip?" (2026) holds flips too rare to study below .05, and the sycophancy rate that
"Position Bias in LLM Judges: Measurement and Mitigation" calls good is below 5 %.
"""
_CONTROL_PAIRS = 100  # size of the repeated-AB control in "Will the Judge Flip?" (2026)

_PHRASES = {
    Readout.FIRST_TOKEN: "read from the first token",
    Readout.GENERATED: "read from what the judge wrote",
    Readout.HYBRID: "read by the hybrid readout",
    Readout.LOGGED: "taken as the log recorded it",
    Readout.LOGGED: "as the log read it",
}


def build_headline(audit: AuditResult, *, counts: RunCounts, single_order: bool) -> Headline:
    """Choose the sentences.

    The order of rules: nothing read, nothing to claim; a single order claims no position figure; then the audit's own
    decision rule (:func:`evenhand.audits.decision.is_flagged`) for a lean to one slot, and flip rates against
    :data:`NEGLIGIBLE` by their intervals. A failed or pending call rules out ``steady`` and ``undecided``.
    """
    scopes = scopes_of(audit)
    read = sum(c.count for s in scopes for c in s.finding.outcomes if c.outcome.is_verdict)
    shown = any(is_shown(s.flips) or is_shown(s.finding.measure("first_slot_rate")) for s in scopes)
    if (read == 0 and not shown) or (counts.planned > 0 and counts.errors == counts.planned):
        return _failed(scopes, counts)
    if single_order:
        return _single(scopes, counts)
    return _both_orders(audit, scopes, counts)


def _failed(scopes: Sequence[Scope], counts: RunCounts) -> Headline:
    states: dict[str, int] = {}
    for scope in scopes:
        for count in scope.finding.outcomes:
            if count.count and not count.outcome.is_verdict:
                states[count.outcome.value] = states.get(count.outcome.value, 0) + count.count
    ended = (
        f" Readings ended as: {', '.join(f'{integer(n)} {state}' for state, n in states.items())}." if states else ""
    )
    return Headline(
        status="failed",
        verdict="No verdicts were read",
        lead=(
            f"Of {integer(counts.planned)} presentations planned, {integer(counts.errors)} ended in an error and "
            f"{integer(counts.pending)} are still to be asked; no figure can be given.{ended}"
        ),
        meaning=("This says nothing about the judge, good or bad.",),
        next_steps=(
            "See the first errors in the run's journal, mend their cause and start the same command again."
            if counts.errors
            else "Start the same command again to finish the run."
            if counts.pending
            else "Look at the raw answers: they hold no decision that our patterns know.",
        ),
    )


def _state_sentences(scopes: Sequence[Scope], counts: RunCounts) -> list[str]:
    """What is missing from the figures: failed and pending calls, and readings without a verdict."""
    sentences = []
    if counts.errors:
        share = f" ({percent(counts.errors / counts.planned)})" if counts.planned else ""
        sentences.append(
            f"{integer(counts.errors)} of {integer(counts.planned)} calls failed{share}; "
            "the figures are of those that did not."
        )
    if counts.pending:
        sentences.append(f"{integer(counts.pending)} of {integer(counts.planned)} presentations are still to be asked.")
    for readout in dict.fromkeys(s.readout for s in scopes):
        own = [c for s in scopes if s.readout is readout for c in s.finding.outcomes]
        everything = sum(c.count for c in own)
        verdicts = sum(c.count for c in own if c.outcome.is_verdict)
        derived = readout is Readout.HYBRID and any(s.readout is Readout.GENERATED for s in scopes)
        if verdicts < everything and not derived:
            sentences.append(
                f"{_sentence(_PHRASES[readout])}, {integer(verdicts)} of {integer(everything)} presentations "
                f"({percent(verdicts / everything)}) ended in a verdict."
            )
    return sentences


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _single(scopes: Sequence[Scope], counts: RunCounts) -> Headline:
    slot = _range(scopes, [s.finding.measure("first_slot_rate") for s in scopes], readouts=True)
    lead = _compliance_sentence(scopes, name="compliance_presentations")
    if slot:
        lead += f" Of the decided verdicts, {slot} chose the first slot."
    return Headline(
        status="described",
        verdict="One order only: position bias can't be judged",
        lead=lead,
        meaning=(
            "Each pair was judged in one order, so a preference for a slot can't be told from better responses in it.",
            *_state_sentences(scopes, counts),
        ),
        next_steps=("To measure position bias, judge the same pairs in the other order too.",),
    )


def _range(scopes: Sequence[Scope], estimates: Sequence[Estimate | Refusal | None], *, readouts: bool = False) -> str:
    """One estimate with its interval, or the least and the greatest with their conditions; empty for none."""
    known = [(s, e) for s, e in zip(scopes, estimates, strict=True) if isinstance(e, Estimate) and is_shown(e)]
    if not known:
        return ""
    ordered = sorted(known, key=lambda pair: pair[1].value)

    def one(scope: Scope, estimate: Estimate) -> str:
        name = visible(scope.condition, limit=60)
        where = f"{name}, {scope.readout.value}" if readouts else name
        return f"{estimate_text(estimate)} ({where})"

    if len(known) == 1:
        return estimate_text(known[0][1]) if not readouts else one(*known[0])
    if len(known) == 2:
        return " and ".join(one(*pair) for pair in known)
    return f"from {one(*ordered[0])} to {one(*ordered[-1])}"


def _by_condition(scopes: Iterable[Scope]) -> list[Scope]:
    return list({scope.condition: scope for scope in reversed(list(scopes))}.values())[::-1]


def _compliance_sentence(scopes: Sequence[Scope], *, name: str = "compliance_pairs") -> str:
    own = _by_condition(scopes)
    estimates = [s.compliance if name == "compliance_pairs" else s.finding.measure(name) for s in own]
    text = _range(own, estimates)
    if not text:
        reasons = [e.reason for e in estimates if isinstance(e, Refusal)]
        return f"Compliance is not known ({visible(reasons[0]) if reasons else 'no first-token log probabilities'})."
    if name == "compliance_pairs":
        return f"In both orders of a pair the judge led with a verdict token on {text} of pairs."
    return f"The judge led with a verdict token on {text} of presentations."


def _both_orders(audit: AuditResult, scopes: tuple[Scope, ...], counts: RunCounts) -> Headline:
    asked = [r for r in Readout if any(s.readout is r for s in scopes)]
    readouts = [r for r in asked if r is not Readout.HYBRID] or asked
    parts, sensitive, steady = [], [], []
    for readout in readouts:
        own = [s for s in scopes if s.readout is readout]
        text = _range(own, [s.flips for s in own])
        parts.append(f"{text or '— (no flip rate can be given)'} of pairs when {_PHRASES[readout]}")
        bounds = [e.interval for e in (s.flips for s in own) if isinstance(e, Estimate) and e.interval is not None]
        if any(interval.low > NEGLIGIBLE for interval in bounds):
            sensitive.append(readout)
        if len(bounds) == len(own) and all(interval.high < NEGLIGIBLE for interval in bounds):
            steady.append(readout)
    joint = ", but on " if any(_excludes_zero(e) for _, e in _forced(audit)) else ", and on "
    flips = f"Swapping the two responses changed its preference on {joint.join(parts)}."
    gaps = _state_sentences(scopes, counts)
    unread = any(1 - _verdict_share(s) > NEGLIGIBLE for s in scopes)
    biased = [r for r in readouts if any(s.readout is r and is_flagged(s.finding) for s in scopes)]
    if biased:
        status, verdict = "sensitive", f"Position bias found ({_readouts(biased)})"
    elif sensitive:
        status, verdict = (
            "sensitive",
            f"Swapping changes verdicts, with no clear lean to a slot ({_readouts(sensitive)})",
        )
    elif counts.errors or counts.pending:
        status, verdict = "incomplete", "Incomplete: no conclusion yet"
    elif len(steady) == len(readouts) and not unread:
        status, verdict = "steady", f"No order effect above {percent(NEGLIGIBLE)} on these pairs"
    else:
        status, verdict = "undecided", "Undecided on these pairs"
    return Headline(
        status=status,  # type: ignore[arg-type]  # a Literal chosen above
        verdict=verdict,
        lead=f"{_compliance_sentence(scopes)} {flips}",
        meaning=(*gaps, *_differences(audit), *_directions(scopes), *_noise(scopes)),
        next_steps=_next_steps(audit, scopes, counts, sensitive=sensitive or biased, undecided=status == "undecided"),
    )


def _readouts(readouts: Sequence[Readout]) -> str:
    return f"{' and '.join(r.value for r in readouts)} readout{'s' if len(readouts) > 1 else ''}"


def _verdict_share(scope: Scope) -> float:
    everything = sum(c.count for c in scope.finding.outcomes)
    return sum(c.count for c in scope.finding.outcomes if c.outcome.is_verdict) / everything if everything else 1.0


def _forced(audit: AuditResult) -> list[tuple[Finding, Estimate]]:
    found = audit.select(FindingKind.FORCED_MINUS_GENERATED)
    whole = [f for f in found if f.subset in (None, "all") and f.condition is not None]
    pairs = ((f, f.measure("flip_difference")) for f in whole)
    return [(f, e) for f, e in pairs if isinstance(e, Estimate) and is_shown(e)]


def _excludes_zero(estimate: Estimate) -> bool:
    return estimate.interval is not None and (estimate.interval.low > 0.0 or estimate.interval.high < 0.0)


def _differences(audit: AuditResult) -> list[str]:
    forced = _forced(audit)
    clear = [(f, e) for f, e in forced if _excludes_zero(e)]
    if not forced:
        return []
    if not clear:
        _, e = max(forced, key=lambda pair: abs(pair[1].value))
        return [
            "On the same pairs the two readouts' flip rates can't be told apart "
            f"(first-token minus generated {estimate_text(e, 'difference')})."
        ]
    finding, e = max(clear, key=lambda pair: abs(pair[1].value))
    change = "more" if e.value > 0 else "fewer"
    also = f"; the largest of {len(forced)} conditions, {len(clear)} of them clear of 0" if len(forced) > 1 else ""
    return [
        f"On the same pairs the first-token readout shows {change} flips than the generated one: "
        f"{estimate_text(e, 'difference')} ({visible(finding.condition, limit=60)}{also})."
    ]


def _directions(scopes: Sequence[Scope]) -> list[str]:
    """For each readout, the condition with most flips whose locks lean clearly to one slot."""
    sentences = []
    for readout in dict.fromkeys(s.readout for s in scopes if s.readout is not Readout.HYBRID):
        leaning = [
            (s, e)
            for s in scopes
            if s.readout is readout
            and isinstance(e := s.finding.measure("first_position_bias_rate"), Estimate)
            and e.interval is not None
            and (e.interval.low > 0.5 or e.interval.high < 0.5)
        ]
        if leaning:
            scope, e = max(leaning, key=lambda pair: pair[1].n)
            slot, share = ("first", e.value) if e.value > 0.5 else ("second", 1 - e.value)
            counted = count_of(e) if slot == "first" else f"{integer(e.n - (e.count or 0))}/{integer(e.n)}"
            sentences.append(
                f"Flips have a direction: {percent(share)} ({counted}) of those {_PHRASES[readout]} kept to the "
                f"{slot} slot, whatever stood there ({visible(scope.condition, limit=60)})."
            )
    return sentences


def _noise(scopes: Sequence[Scope]) -> list[str]:
    """What repetition alone changes, and whether the order adds to it."""
    own = [s for s in scopes if is_shown(s.repeat_flips)]
    if not own:
        return ["Noise was not measured (no repeated-AB control), so part of each flip rate may be noise."]
    text = _range(own, [s.repeat_flips for s in own], readouts=len(own) > 1)
    sentences = [f"Asking the same question again, without a swap, changed {text} of preferences."]
    added = [(s, s.repeat.measure("swap_minus_repeat")) for s in own if s.repeat is not None]
    unclear = [(s, e) for s, e in added if isinstance(e, Estimate) and is_shown(e) and not _excludes_zero(e)]
    if unclear:
        scope, e = unclear[0]
        where = f"{visible(scope.condition, limit=60)}, {scope.readout.value}"
        sentences.append(
            f"On the few repeated pairs swapping can't be told from repeating in {len(unclear)} of {len(own)} cases: "
            f"swap minus repeat is {estimate_text(e, 'difference')} ({where})."
        )
    return sentences


def _next_steps(
    audit: AuditResult, scopes: Sequence[Scope], counts: RunCounts, *, sensitive: Sequence[Readout], undecided: bool
) -> tuple[str, ...]:
    steps = []
    if counts.errors:
        steps.append(f"Mend what made {integer(counts.errors)} calls fail and resume before quoting any figure.")
    if counts.pending:
        steps.append(f"Resume the run: {integer(counts.pending)} presentations are still to be asked.")
    steps.extend(_readout_step(audit, scopes))
    if sensitive:
        own = [s for s in scopes if s.readout is sensitive[-1]]
        rates = [e for e in (s.flips for s in own) if isinstance(e, Estimate) and is_shown(e)]
        worst = max(rates, key=lambda e: e.value, default=None)
        rate = "some" if worst is None else f"up to {percent(worst.value)}"
        steps.append(
            "Ask every pair in both orders, and count a pair that flips as undecided: one order alone gives a verdict "
            f"that the other order contradicts on {rate} of pairs ({sensitive[-1].value})."
        )
    if undecided:
        steps.append(
            f"Judge more pairs: the flip-rate intervals here reach across {percent(NEGLIGIBLE)} or can't be given."
        )
    if not audit.select(FindingKind.REPEAT):
        steps.append(f"Add --repeat {_CONTROL_PAIRS} to tell order from noise.")
    return tuple(steps)


def _readout_step(audit: AuditResult, scopes: Sequence[Scope]) -> list[str]:
    first = [s for s in scopes if s.readout is Readout.FIRST_TOKEN]
    low = [e for e in (s.compliance for s in first) if isinstance(e, Estimate) and is_shown(e) and e.value < 1.0]
    if any(_excludes_zero(e) for _, e in _forced(audit)):
        hybrids = [f.measure("generation_saved") for f in audit.select(FindingKind.HYBRID)]
        saved = [e for e in hybrids if isinstance(e, Estimate) and is_shown(e)]
        best = max(saved, key=lambda e: e.value, default=None)
        hybrid = f", or use the hybrid readout (saves up to {percent(best.value)} of generation)" if best else ""
        return [f"Don't read this judge from its first token under this prompt: let it write{hybrid}."]
    if low and not any(s.readout is Readout.GENERATED for s in scopes):
        worst = min(low, key=lambda e: e.value)
        return [
            f"Run the generated readout too: on {percent(1 - worst.value)} of pairs the judge would not have led with "
            "a verdict token, so the first-token readout is not its verdict there."
        ]
    return []
