"""The first sentences of a report, chosen by rules that each carry the figure they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evenhand.analysis import AuditResult
from evenhand.records import Readout
from evenhand.report.alone import alone
from evenhand.report.bias_found import bias_found
from evenhand.report.doubt import both_orders_found, one_order_found
from evenhand.report.first_token import clear_differences, low_compliance
from evenhand.report.format import integer, is_shown, percent
from evenhand.report.grid import Grid
from evenhand.report.humans_found import HumansFound
from evenhand.report.incomplete import failed, failures_first, nothing_yet
from evenhand.report.model import Headline, Status
from evenhand.report.next_steps import next_steps
from evenhand.report.numbering import claims, first_screen
from evenhand.report.phrases import (
    compliance_sentence,
    flip_sentences,
    listed,
    range_text,
    told_readouts,
    verdict_share,
)
from evenhand.report.scope import Scope, judged_alone, scopes_of
from evenhand.report.sensitive import judged_readouts, sensitive_of
from evenhand.report.trust import NEGLIGIBLE, NOTHING_YET, ties_come_and_go, trust_claims
from evenhand.stats import Estimate
from evenhand.store import PlanCounts

__all__ = ["NEGLIGIBLE", "build_headline"]

_RATES = ("figure-rates", "table-summary")
_NO_DOUBT = "Nothing that these pairs show; how much their intervals leave open stands beside each figure."
_OF_ORDER = 2  # sentences on the order that stand before those on other biases


def build_headline(
    audit: AuditResult,
    *,
    counts: PlanCounts,
    single_order: bool,
    from_log: bool = False,
    grid: Grid | None = None,
    warnings: Sequence[str] = (),
    biases: AuditResult | None = None,
    conditions: Sequence[str] = (),
    humans: HumansFound | None = None,
) -> Headline:
    """Choose the sentences.

    The order of rules: nothing answered yet, nothing to say; nothing read, nothing to claim; a single order claims no
    position figure; then the audit's own decision rule (:func:`evenhand.audits.decision.is_flagged`) for a lean to one
    slot, and flip rates against :data:`NEGLIGIBLE` by their intervals: ``sensitive`` where one lies above it after
    adjustment over all conditions and readouts (:func:`evenhand.report.sensitive.sensitive_of`), ``steady`` where all
    lie below. ``steady`` asks the same of pairs with a tie in one order: they aren't flips, but the order changed what
    was said of them. A failed or pending call rules out ``steady`` and ``undecided``; where many failed, the title
    says so instead of a finding
    (:func:`evenhand.report.incomplete.failures_first`).

    Parameters
    ----------
    from_log
        Whether the verdicts come from a log, whose judge can't be asked again by the same command.
    grid
        Of a run that varies the prompt's design.
    warnings
        Sentences that put every figure in doubt; they stand before all others that do.
    biases
        What bias audits found; None where the run has none. A bias that is shown stands among the doubts.
    conditions
        With ``biases``: ids of the conditions that show pairs as they are.
    humans
        What human labels show; None where the run has none. A judge that is shown to agree with people less than one
        more person does is never called steady.
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
    whole = _with_humans(_with(found, warnings, biases, conditions), humans, after=len(warnings) + _OF_ORDER)
    if not whole.doubt:
        whole = replace(whole, doubt=claims([_NO_DOUBT], *_RATES))
    return first_screen(failures_first(whole, counts))


def _with(found: Headline, warnings: Sequence[str], biases: AuditResult | None, conditions: Sequence[str]) -> Headline:
    """The headline with what else is known: warnings first, biases after what is said of the order."""
    if biases is None:
        return replace(found, doubt=(*claims(warnings, "reproduce"), *found.doubt))
    other = bias_found(biases, conditions=conditions)
    if other.shown:
        found = _beside(found, other.shown)
    trust = tuple(claim for claim in found.trust if claim.text != NOTHING_YET or not other.trust)
    return replace(
        found,
        trust=(*trust[:_OF_ORDER], *other.trust, *trust[_OF_ORDER:]),
        doubt=(*claims(warnings, "reproduce"), *found.doubt[:_OF_ORDER], *other.doubt, *found.doubt[_OF_ORDER:]),
        steps=(*found.steps[:_OF_ORDER], *other.steps, *found.steps[_OF_ORDER:]),
        more=(*found.more, *other.more),
    )


def _with_humans(found: Headline, humans: HumansFound | None, *, after: int) -> Headline:
    """The headline with what human labels show, after so many sentences of doubt and as many on the order as before."""
    if humans is None:
        return found
    if humans.below:
        found = _less_than_people(found)
    trust = tuple(claim for claim in found.trust if claim.text != NOTHING_YET or not humans.trust)
    return replace(
        found,
        trust=(*trust[:_OF_ORDER], *humans.trust, *trust[_OF_ORDER:]),
        doubt=(*found.doubt[:after], *humans.doubt, *found.doubt[after:]),
        steps=(*found.steps[:_OF_ORDER], *humans.steps, *found.steps[_OF_ORDER:]),
        more=(*found.more, *humans.more),
    )


def _less_than_people(found: Headline) -> Headline:
    """The headline with people in its title, where it has no finding of its own there."""
    if found.status not in ("steady", "undecided", "described"):
        return found
    return replace(
        found,
        status="sensitive",
        verdict=f"Agrees with people less than one more person does; of the order: {_inner(found.verdict)}",
    )


def _inner(verdict: str) -> str:
    return f"{verdict[:1].lower()}{verdict[1:]}"


def _beside(found: Headline, shown: int) -> Headline:
    """The headline with other biases in its title, where it has no finding of its own there."""
    if found.status not in ("steady", "undecided", "described"):
        return found
    comparisons = "1 comparison" if shown == 1 else f"{integer(shown)} comparisons"
    return replace(
        found,
        status="sensitive",
        verdict=f"Bias beside order is shown in {comparisons}; of the order: {_inner(found.verdict)}",
    )


def _single(audit: AuditResult, scopes: Sequence[Scope], counts: PlanCounts) -> Headline:
    if judged_alone(scopes):
        return alone(scopes, counts)
    told = [s for s in scopes if s.readout in told_readouts(scopes)]
    slots = [s.finding.measure("first_slot_rate") for s in told]
    slot = range_text(told, slots, scopes=scopes, readouts=True)
    lead = compliance_sentence(scopes, name="compliance_presentations")
    if slot:
        lead += f" Of the decided verdicts, {slot} chose the first slot."
    found = one_order_found(audit, scopes, counts)
    return Headline(
        status="described",
        verdict="One order only: position bias can't be judged",
        lead=lead,
        rests_on=_RATES,
        trust=trust_claims(audit, scopes, told_readouts(scopes)),
        doubt=found.doubt,
        more=found.more,
        steps=claims(["To measure position bias, judge the same pairs in the other order too."], "table-summary"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """Which readouts show what; ``ties``: flips are rare in all of them, but ties in one order not clearly so."""

    biased: tuple[Readout, ...]
    sensitive: tuple[Readout, ...]
    steady: bool
    ties: bool


def _evidence(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> _Evidence:
    biased, rare, steady = [], [], []
    shown = {scope.readout for scope, _ in sensitive_of(scopes).shown}
    for readout in readouts:
        own = [s for s in scopes if s.readout is readout]
        bounds = [e.interval for e in (s.flips for s in own) if isinstance(e, Estimate) and e.interval is not None]
        if any(s.flagged for s in own):
            biased.append(readout)
        if len(bounds) == len(own) and all(interval.high < NEGLIGIBLE for interval in bounds):
            rare.append(readout)
            if not any(ties_come_and_go(s) for s in own):
                steady.append(readout)
    return _Evidence(
        biased=tuple(biased),
        sensitive=tuple(readout for readout in readouts if readout in shown),
        steady=len(steady) == len(readouts),
        ties=len(rare) == len(readouts) > len(steady),
    )


def _both_orders(
    audit: AuditResult, scopes: tuple[Scope, ...], counts: PlanCounts, *, from_log: bool, grid: Grid | None
) -> Headline:
    told = told_readouts(scopes)
    found = _evidence(scopes, judged_readouts(scopes))
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
    shown = bool(found.biased or found.sensitive)
    said = both_orders_found(audit, scopes, counts, sensitive=shown, grid=grid)
    return Headline(
        status=status,
        verdict=verdict,
        lead=f"{compliance} {flips}" if known else f"{flips} {compliance}",
        rests_on=_RATES,
        trust=trust_claims(audit, scopes, told),
        doubt=said.doubt,
        more=said.more,
        steps=next_steps(
            audit,
            scopes,
            counts,
            swaps=shown,
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
