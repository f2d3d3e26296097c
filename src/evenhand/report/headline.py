"""The first sentences of a report, chosen by rules that each carry the figure they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.analysis import AuditResult, FindingKind
from evenhand.records import Readout
from evenhand.report.design import best_design_step, design_sentences
from evenhand.report.first_token import (
    clear_differences,
    comparison_sentences,
    excludes_zero,
    first_token_steps,
    label_sets_step,
    low_compliance,
    own_token_sentence,
)
from evenhand.report.format import count_of, estimate_text, integer, is_shown, percent
from evenhand.report.grid import Grid
from evenhand.report.incomplete import failed, failures_first, finish_step, mend_step, nothing_yet
from evenhand.report.model import Headline, Status
from evenhand.report.phrases import (
    PHRASES,
    compliance_sentence,
    decided_sentence,
    flip_sentences,
    listed,
    log_sentence,
    range_text,
    state_sentence,
    told_readouts,
    verdict_share,
    where,
)
from evenhand.report.probabilities import mass_sentences
from evenhand.report.remedies import remedy_sentences
from evenhand.report.sampled import sample_sentences
from evenhand.report.scope import Scope, scopes_of
from evenhand.report.selective import selective_sentences
from evenhand.stats import Estimate
from evenhand.store import PlanCounts

__all__ = ["NEGLIGIBLE", "build_headline"]

NEGLIGIBLE = 0.05
"""Flip rate below which we speak of no order effect worth the name.

"Will the Judge Flip?" (2026) holds flips too rare to study below .05, and the sycophancy rate that
"Position Bias in LLM Judges: Measurement and Mitigation" calls good is below 5 %.
"""
_CONTROL_PAIRS = 100  # size of the repeated-AB control in "Will the Judge Flip?" (2026)


def build_headline(
    audit: AuditResult,
    *,
    counts: PlanCounts,
    single_order: bool,
    from_log: bool = False,
    grid: Grid | None = None,
    warnings: Sequence[str] = (),
) -> Headline:
    """Choose the sentences.

    The order of rules: nothing answered yet, nothing to say; nothing read, nothing to claim; a single order claims no
    position figure; then the audit's own decision rule (:func:`evenhand.audits.decision.is_flagged`) for a lean to one
    slot, and flip rates against :data:`NEGLIGIBLE` by their intervals. ``steady`` asks the same of pairs with a tie in
    one order: they aren't flips, but the order changed what was said of them. A failed or pending call rules out
    ``steady`` and ``undecided``; where many failed, the title says so instead of a finding
    (:func:`evenhand.report.incomplete.failures_first`).

    Parameters
    ----------
    from_log
        Whether the verdicts come from a log, whose judge can't be asked again by the same command.
    grid
        Of a run that varies the prompt's design.
    warnings
        Sentences that put every figure in doubt; they stand before all others below the lead.
    """
    scopes = scopes_of(audit)
    if counts.pending > 0 and counts.finished == 0 and counts.errors == 0:
        return nothing_yet(counts, from_log=from_log)
    read = sum(c.count for s in scopes for c in s.finding.outcomes if c.outcome.is_verdict)
    shown = any(is_shown(s.flips) or is_shown(s.finding.measure("first_slot_rate")) for s in scopes)
    if (read == 0 and not shown) or (counts.planned > 0 and counts.errors == counts.planned):
        return failed(scopes, counts, from_log=from_log)
    if single_order:
        found = _single(audit, scopes, counts)
    else:
        found = _both_orders(audit, scopes, counts, from_log=from_log, grid=grid)
    return failures_first(replace(found, meaning=(*warnings, *found.meaning)), counts)


def _gaps(scopes: Sequence[Scope], counts: PlanCounts) -> list[str]:
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
    return [*sentences, *filter(None, (state_sentence(scopes, readout) for readout in told_readouts(scopes)))]


def _log_sentence(audit: AuditResult, scopes: Sequence[Scope], *, name: str) -> list[str]:
    found = audit.select(FindingKind.LOG)
    return log_sentence(scopes, found[0].measure("log_disagreement") if found else None, name=name)


def _single(audit: AuditResult, scopes: Sequence[Scope], counts: PlanCounts) -> Headline:
    told = [s for s in scopes if s.readout in told_readouts(scopes)]
    slots = [s.finding.measure("first_slot_rate") for s in told]
    slot = range_text(told, slots, scopes=scopes, readouts=True)
    lead = compliance_sentence(scopes, name="compliance_presentations")
    if slot:
        lead += f" Of the decided verdicts, {slot} chose the first slot."
    return Headline(
        status="described",
        verdict="One order only: position bias can't be judged",
        lead=lead,
        meaning=(
            "Each pair was judged in one order, so a preference for a slot can't be told from better responses in it.",
            *own_token_sentence(scopes),
            *_gaps(scopes, counts),
            *_log_sentence(audit, scopes, name="first_slot_rate"),
        ),
        next_steps=("To measure position bias, judge the same pairs in the other order too.",),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """Which readouts show what; ``ties``: flips are rare in all of them, but ties in one order not clearly so."""

    biased: tuple[Readout, ...]
    sensitive: tuple[Readout, ...]
    steady: bool
    ties: bool


def _evidence(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> _Evidence:
    biased, sensitive, rare, steady = [], [], [], []
    for readout in readouts:
        own = [s for s in scopes if s.readout is readout]
        bounds = [e.interval for e in (s.flips for s in own) if isinstance(e, Estimate) and e.interval is not None]
        if any(s.flagged for s in own):
            biased.append(readout)
        if any(interval.low > NEGLIGIBLE for interval in bounds):
            sensitive.append(readout)
        if len(bounds) == len(own) and all(interval.high < NEGLIGIBLE for interval in bounds):
            rare.append(readout)
            if not any(_ties_come_and_go(s) for s in own):
                steady.append(readout)
    return _Evidence(
        biased=tuple(biased),
        sensitive=tuple(sensitive),
        steady=len(steady) == len(readouts),
        ties=len(rare) == len(readouts) > len(steady),
    )


def _ties_come_and_go(scope: Scope) -> bool:
    """Whether pairs with a tie in one order may be more than negligible; flip rates know nothing of them."""
    ties = scope.finding.measure("inconsistency_rate")
    return isinstance(ties, Estimate) and ties.value > 0 and (ties.interval is None or ties.interval.high >= NEGLIGIBLE)


def _both_orders(
    audit: AuditResult, scopes: tuple[Scope, ...], counts: PlanCounts, *, from_log: bool, grid: Grid | None
) -> Headline:
    told = told_readouts(scopes)
    asked = [r for r in Readout if any(s.readout is r for s in scopes) and r is not Readout.HYBRID] or told
    found = _evidence(scopes, asked)
    unread = any(1 - verdict_share(s) > NEGLIGIBLE for s in scopes)
    status: Status
    if found.biased:
        status, verdict = "sensitive", _biased(scopes, _ours(found.biased, told))
    elif found.sensitive:
        names = _readouts(_ours(found.sensitive, told))
        status, verdict = "sensitive", f"Verdicts change between the orders; a lean to one slot is not shown ({names})"
    elif counts.errors or counts.pending:
        status, verdict = "incomplete", "Incomplete: no conclusion yet"
    elif found.steady and not unread:
        status, verdict = "steady", f"No order effect above {percent(NEGLIGIBLE)} on these pairs"
    else:
        status, verdict = "undecided", "These pairs don't decide the question"
    flips = flip_sentences(scopes, told, apart=bool(clear_differences(audit)))
    compliance = compliance_sentence(scopes)
    known = any(is_shown(s.compliance) for s in scopes)
    return Headline(
        status=status,
        verdict=verdict,
        lead=f"{compliance} {flips}" if known else f"{flips} {compliance}",
        meaning=(
            *own_token_sentence(scopes),
            *_gaps(scopes, counts),
            *filter(None, (decided_sentence(scopes, readout) for readout in told)),
            *sample_sentences(scopes),
            *selective_sentences(scopes),
            *design_sentences(audit, grid),
            *comparison_sentences(audit, scopes),
            *remedy_sentences(audit, scopes),
            *_directions(scopes, told),
            *mass_sentences(audit),
            *_log_sentence(audit, scopes, name="flip_rate"),
            *_noise(scopes, told),
        ),
        next_steps=_next_steps(
            audit,
            scopes,
            counts,
            swaps=bool(found.biased or found.sensitive),
            undecided=status == "undecided",
            ties=found.ties,
            from_log=from_log,
            grid=grid,
        ),
    )


def _ours(readouts: Sequence[Readout], told: Sequence[Readout]) -> Sequence[Readout]:
    """Those that the headline speaks of; the log's own reading only where it stands alone."""
    return [r for r in readouts if r in told] or readouts


def _biased(scopes: Sequence[Scope], biased: Sequence[Readout]) -> str:
    """The verdict where a lean to one slot was found; where only the first token leans, what that is worth."""
    low = {s.condition: e for s, e in low_compliance(scopes)}
    leaning = {s.condition for s in scopes if s.readout is Readout.FIRST_TOKEN and s.flagged}
    if list(biased) == [Readout.FIRST_TOKEN] and leaning <= low.keys():
        seldom = all(e.interval is not None and e.interval.high < 0.5 for c, e in low.items() if c in leaning)
        often = "seldom" if seldom else "often not"
        return f"Position bias found in the first token, which is {often} this judge's verdict"
    return f"Position bias found ({_readouts(biased)})"


def _readouts(readouts: Sequence[Readout]) -> str:
    return f"{listed([r.value for r in readouts])} readout{'s' if len(readouts) > 1 else ''}"


def _directions(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> list[str]:
    """For each readout, the flagged condition with most flips: an interval alone isn't adjusted for several looks."""
    parts = []
    for readout in readouts:
        leaning = [
            (s, e)
            for s in scopes
            if s.readout is readout
            and s.flagged
            and s.estimated is None
            and isinstance(e := s.finding.measure("first_position_bias_rate"), Estimate)
            and e.interval is not None
            and (e.interval.low > 0.5 or e.interval.high < 0.5)
        ]
        if leaning:
            scope, e = max(leaning, key=lambda pair: pair[1].n)
            slot, share = ("first", e.value) if e.value > 0.5 else ("second", 1 - e.value)
            counted = count_of(e) if slot == "first" else f"{integer(e.n - (e.count or 0))}/{integer(e.n)}"
            name = where(scope, scopes)
            place = f"{counted}, {name}" if name else counted
            parts.append(f"{percent(share)} ({place}) of {PHRASES[readout].flips} kept to the {slot} slot")
    return [f"Flips have a direction: {', and '.join(parts)}, whatever stood there."] if parts else []


def _noise(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> list[str]:
    """What repetition alone changes, and whether the order adds to it."""
    own = [s for s in scopes if is_shown(s.repeat_flips) and s.readout in readouts]
    if not own:
        return ["Noise was not measured (no repeated-AB control), so part of each flip rate may be noise."]
    text = range_text(own, [s.repeat_flips for s in own], scopes=scopes, readouts=len(own) > 1)
    sentences = [f"Asked again without a swap, the judge changed its preference at a rate of {text}."]
    added = [(s, s.repeat.measure("swap_minus_repeat")) for s in own if s.repeat is not None]
    unclear = [(s, e) for s, e in added if isinstance(e, Estimate) and is_shown(e) and not excludes_zero(e)]
    if unclear:
        scope, e = unclear[0]
        sentences.append(
            f"On the repeated pairs swapping can't be told from repeating in {len(unclear)} of {len(own)} cases: "
            f"swap minus repeat is {estimate_text(e, 'difference')} ({where(scope, scopes, readout=True)})."
        )
    return sentences


def _next_steps(
    audit: AuditResult,
    scopes: Sequence[Scope],
    counts: PlanCounts,
    *,
    swaps: bool,
    undecided: bool,
    ties: bool,
    from_log: bool,
    grid: Grid | None,
) -> tuple[str, ...]:
    steps = []
    if counts.errors and from_log:
        steps.append(f"{mend_step(counts, from_log=True)} Quote no figure before.")
    elif counts.errors:
        steps.append(f"Mend what made {integer(counts.errors)} calls fail and resume before quoting any figure.")
    if counts.pending and from_log:
        steps.append(f"{finish_step(from_log=True)} {integer(counts.pending)} presentations are still to be read in.")
    elif counts.pending:
        steps.append(f"Resume the run: {integer(counts.pending)} presentations are still to be asked.")
    steps.extend(first_token_steps(audit, scopes))
    steps.extend(label_sets_step(scopes) if grid is None else best_design_step(scopes))
    if swaps:
        told = told_readouts(scopes)
        rates = [(s, e) for s in scopes if s.readout in told and isinstance(e := s.flips, Estimate) and is_shown(e)]
        scope, worst = max(rates, key=lambda pair: pair[1].value, default=(None, None))
        share = (
            "some pairs"
            if scope is None or worst is None
            else f"up to {percent(worst.value)} of the pairs decided in both ({where(scope, scopes, readout=True)})"
        )
        steps.append(
            "Ask every pair in both orders, and count a pair that flips as undecided: one order alone gives a verdict "
            f"that the other order contradicts on {share}."
        )
    if undecided and ties:
        steps.append(
            f"Look at the ties: flips are below {percent(NEGLIGIBLE)}, but pairs with a tie in one order only are not "
            "shown to be."
        )
    elif undecided:
        steps.append(
            f"Judge more pairs: the flip-rate intervals here reach across {percent(NEGLIGIBLE)} or can't be given."
        )
    if not audit.select(FindingKind.REPEAT):
        steps.append(
            "To tell order from noise, have the same judge answer some presentations again in the same order."
            if from_log
            else f"Add --repeat {_CONTROL_PAIRS} to tell order from noise."
        )
    return tuple(steps)
