"""What a reader can't trust, and what else was found: each sentence with its number and where that stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.analysis import AuditResult, FindingKind
from evenhand.records import Readout
from evenhand.report.design import design_sentences
from evenhand.report.first_token import (
    clear_differences,
    comparison_sentences,
    excludes_zero,
    low_compliance,
    own_token_sentence,
)
from evenhand.report.format import count_of, estimate_text, integer, is_shown, percent
from evenhand.report.grid import Grid
from evenhand.report.model import Claim
from evenhand.report.numbering import claims
from evenhand.report.phrases import (
    PHRASES,
    decided_sentence,
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
from evenhand.report.scope import Scope
from evenhand.report.selective import selective_sentences
from evenhand.report.sensitive import sensitive_of
from evenhand.report.several import above
from evenhand.report.trust import NEGLIGIBLE, measures_of, readouts_agree, ties_come_and_go
from evenhand.stats import Estimate, Refusal
from evenhand.store import PlanCounts

__all__ = ["Found", "both_orders_found", "one_order_found"]

_RATES = ("figure-rates", "table-summary")
_OUTCOMES = ("figure-outcomes", "table-outcomes")
_LOG = ("table-log", "table-summary")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What speaks against the judge or leaves it open, gravest first; and what neither does."""

    doubt: tuple[Claim, ...] = ()
    more: tuple[Claim, ...] = ()


def one_order_found(audit: AuditResult, scopes: Sequence[Scope], counts: PlanCounts) -> Found:
    """What is found of a log with one order for each pair."""
    states = _states(scopes)
    return Found(
        doubt=(
            *claims(
                [
                    "Each pair was judged in one order, so a preference for a slot can't be told from better responses "
                    "in it."
                ],
                "table-summary",
            ),
            *_gaps(counts),
            *_own_token(scopes),
            *states.doubt,
        ),
        more=(*states.more, *claims(_log_sentence(audit, scopes, name="first_slot_rate"), *_LOG)),
    )


def both_orders_found(
    audit: AuditResult, scopes: Sequence[Scope], counts: PlanCounts, *, sensitive: bool, grid: Grid | None
) -> Found:
    """What is found of a run in both orders.

    Parameters
    ----------
    sensitive
        Whether the order is shown to change verdicts: then noise that can't be told from it is a doubt.
    """
    told = told_readouts(scopes)
    states, compared = _states(scopes), comparison_sentences(audit, scopes)
    clear = bool(clear_differences(audit))
    comparison = claims(compared, "figure-differences", "table-forced-minus-generated")
    noise = claims(_noise(scopes, told), "table-repeat", "table-summary")
    noisy = bool(noise) and (sensitive or not _repeated(scopes, told))
    return Found(
        doubt=(
            *_gaps(counts),
            *_own_token(scopes),
            *claims(_one_order_alone(scopes, told), *_RATES),
            *claims(_directions(scopes, told), "figure-locks", "table-summary"),
            *(comparison if clear else ()),
            *claims(_by_itself(scopes), *_RATES),
            *claims(_open(scopes, told), *_RATES),
            *claims(_ties(scopes, told), *([measures_of(scopes[0], scopes)] if scopes else [])),
            *states.doubt,
            *claims(mass_sentences(audit), "table-probability"),
            *_turned(scopes),
            *(noise if noisy else ()),
        ),
        more=(
            *claims(filter(None, (decided_sentence(scopes, readout) for readout in told)), "table-summary"),
            *claims(sample_sentences(scopes), "table-prediction-powered"),
            *claims(selective_sentences(scopes), "table-selective"),
            *claims(design_sentences(audit, grid), "figure-design", "table-design"),
            *(() if clear or _alike(audit) else comparison),
            *claims(remedy_sentences(audit, scopes), "table-readouts"),
            *states.more,
            *claims(_log_sentence(audit, scopes, name="flip_rate"), *_LOG),
            *claims(_repeats(scopes, told), *_RATES),
            *(() if noisy else noise),
        ),
    )


def _alike(audit: AuditResult) -> bool:
    """Whether the two readouts' flip rates are shown to be alike, which a claim to trust says already."""
    return bool(readouts_agree(audit))


def _gaps(counts: PlanCounts) -> tuple[Claim, ...]:
    """Failed and pending calls, which no figure knows of."""
    sentences = []
    if counts.errors:
        share = f" ({percent(counts.errors / counts.planned)})" if counts.planned else ""
        sentences.append(
            f"{integer(counts.errors)} of {integer(counts.planned)} calls failed{share}; "
            "the figures are of those that did not."
        )
    if counts.pending:
        sentences.append(f"{integer(counts.pending)} of {integer(counts.planned)} presentations are still to be asked.")
    return claims(sentences, *_OUTCOMES)


def _states(scopes: Sequence[Scope]) -> Found:
    """Presentations that ended without a verdict: a doubt where they are more than a few under some condition."""
    doubt: list[str] = []
    more: list[str] = []
    for readout in told_readouts(scopes):
        many = any(1 - verdict_share(s) > NEGLIGIBLE for s in scopes if s.readout is readout)
        (doubt if many else more).append(state_sentence(scopes, readout))
    return Found(doubt=claims(doubt, *_OUTCOMES), more=claims(more, *_OUTCOMES))


def _own_token(scopes: Sequence[Scope]) -> tuple[Claim, ...]:
    low = low_compliance(scopes)
    return claims(own_token_sentence(scopes), measures_of(low[0][0], scopes), "table-summary") if low else ()


def _one_order_alone(scopes: Sequence[Scope], told: Sequence[Readout]) -> list[str]:
    """How often the other order contradicts a verdict, where that is shown to be more than negligible."""
    own = sensitive_of(scopes).of(told)
    if not own:
        return []
    scope, worst = max(own, key=lambda pair: (pair[1].value, told.index(pair[0].readout)))
    most = "up to " if len(own) > 1 else ""
    return [
        f"A verdict from one order alone: the other order contradicts it on {most}{estimate_text(worst)} of the pairs "
        f"decided in both ({where(scope, scopes, readout=True)})."
    ]


def _by_itself(scopes: Sequence[Scope]) -> list[str]:
    """A flip rate whose own interval lies above what is negligible, where all of them together don't show any."""
    found = sensitive_of(scopes)
    if found.shown or not found.alone:
        return []
    scope, worst = max(found.alone, key=lambda pair: pair[1].value)
    return [
        f"Whether a flip rate is above {NEGLIGIBLE * 100:g} %: {estimate_text(worst)} "
        f"({where(scope, scopes, readout=True)}) is by its own interval, but it is one of {integer(found.looks)}, and "
        "adjusted for that many (Holm) none is shown to be."
    ]


def _open(scopes: Sequence[Scope], told: Sequence[Readout]) -> list[str]:
    """Readouts under which no condition decides whether flips are negligible."""
    sentences = []
    for readout in told:
        own = [s for s in scopes if s.readout is readout]
        known = [(s, e) for s in own if isinstance(e := s.flips, Estimate) and e.interval is not None]
        undecided = [
            (s, e)
            for s, e in known
            if e.interval is not None and e.interval.low <= NEGLIGIBLE <= e.interval.high and is_shown(e)
        ]
        if known and len(undecided) == len(known):
            rates = range_text([s for s, _ in undecided], [e for _, e in undecided], scopes=scopes)
            sentences.append(
                f"{PHRASES[readout].opening}, whether the order matters is open: a flip rate of {rates} may lie on "
                f"either side of {NEGLIGIBLE * 100:g} %."
            )
    return sentences


def _ties(scopes: Sequence[Scope], told: Sequence[Readout]) -> list[str]:
    """Ties that come and go with the order, where flips are rare."""
    own = [
        (s, e)
        for s in scopes
        if s.readout in told
        and ties_come_and_go(s)
        and isinstance(e := s.finding.measure("inconsistency_rate"), Estimate)
        and isinstance(s.flips, Estimate)
        and s.flips.interval is not None
        and s.flips.interval.high < NEGLIGIBLE
    ]
    if not own:
        return []
    scope, worst = max(own, key=lambda pair: pair[1].value)
    return [
        f"Ties: of the pairs with a verdict in both orders, {estimate_text(worst)} have a tie in exactly one "
        f"({where(scope, scopes, readout=True)}), though few flip."
    ]


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


def _turned(scopes: Sequence[Scope]) -> tuple[Claim, ...]:
    """How often a judge concludes with another label than it led with, where that is shown to be more than a little."""
    own = above([(s, s.finding.measure("lead_conclusion_divergence")) for s in scopes], NEGLIGIBLE)
    if not own:
        return ()
    scope, worst = max(own, key=lambda pair: pair[1].value)
    name = where(scope, scopes)
    return claims(
        [
            f"Its first token even where that is a label: the judge concluded with the other one on "
            f"{estimate_text(worst)} of such presentations{f' ({name})' if name else ''}."
        ],
        "figure-flow",
        measures_of(scope, scopes),
    )


def _repeated(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> list[Scope]:
    return [s for s in scopes if is_shown(s.repeat_flips) and s.readout in readouts]


def _repeats(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> list[str]:
    """What repetition alone changes."""
    own = _repeated(scopes, readouts)
    if not own:
        return []
    text = range_text(own, [s.repeat_flips for s in own], scopes=scopes, readouts=len(own) > 1)
    return [f"Asked again without a swap, the judge changed its preference at a rate of {text}."]


def _noise(scopes: Sequence[Scope], readouts: Sequence[Readout]) -> list[str]:
    """Whether the order adds to what repetition changes, where that is not known."""
    own = _repeated(scopes, readouts)
    if not own:
        refused = [s.repeat_flips for s in scopes if s.readout in readouts and isinstance(s.repeat_flips, Refusal)]
        if refused:
            why = f"the repeats are too few: {refused[0].reason}"
            return [f"Noise is not known ({why}), so part of each flip rate may be noise."]
        return ["Noise was not measured (no repeated-AB control), so part of each flip rate may be noise."]
    added = [(s, s.repeat.measure("swap_minus_repeat")) for s in own if s.repeat is not None]
    unclear = [(s, e) for s, e in added if isinstance(e, Estimate) and is_shown(e) and not excludes_zero(e)]
    if not unclear:
        return []
    scope, e = unclear[0]
    return [
        f"On the repeated pairs swapping can't be told from repeating in {len(unclear)} of {len(own)} cases: "
        f"swap minus repeat is {estimate_text(e, 'difference')} ({where(scope, scopes, readout=True)})."
    ]


def _log_sentence(audit: AuditResult, scopes: Sequence[Scope], *, name: str) -> list[str]:
    found = audit.select(FindingKind.LOG)
    return log_sentence(scopes, found[0].measure("log_disagreement") if found else None, name=name)
