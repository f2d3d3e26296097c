"""What a triage says: its headline, what follows from it, and its notes."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.probes.triage import TriageReport
from evenhand.probes.triage_guarantee import Guarantee
from evenhand.probes.triage_scores import CONFIDENCE, RANDOM
from evenhand.report.format import estimate_text, integer, percent
from evenhand.report.model import Headline, Status, Table
from evenhand.report.text import visible
from evenhand.report.triage_tables import build_triage_tables
from evenhand.stats import Estimate, Refusal

__all__ = ["TriageView", "build_triage_view"]

_ALPHA = 0.1
"""The promise that the headline speaks of where none was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriageView:
    """Everything that a triage shows. Strings are clean but not escaped."""

    title: str
    subtitle: str
    headline: Headline
    tables: tuple[Table, ...]
    notes: tuple[str, ...]

    def table(self, name: str) -> Table | None:
        """A table by its id; None where it has no rows."""
        return next((table for table in self.tables if table.id == name), None)


def build_triage_view(report: TriageReport) -> TriageView:
    """Decide what is said."""
    retention = report.retention
    return TriageView(
        title=visible(f"Triage: {report.subject.model}"),
        subtitle=visible(
            f"{report.data}; {integer(report.pairs)} usable pairs of {integer(retention.planned)} planned, "
            f"{integer(report.groups)} question groups; {report.subject.prompt}, {report.subject.labels}, "
            f"{report.subject.readout}"
        ),
        headline=_headline(report),
        tables=build_triage_tables(report),
        notes=tuple(visible(note, limit=None) for note in _notes(report)),
    )


def _headline(report: TriageReport) -> Headline:
    meaning = [*_promise_sentences(report), *_time_sentences(report), *_board_sentences(report)]
    if report.question.budget is not None:
        lead = _budget_sentence(report, report.question.budget)
        verdict, status = _budget_verdict(report, report.question.budget)
    else:
        lead = meaning.pop(0)
        verdict, status = _promise_verdict(report)
    return Headline(
        status=status,
        verdict=verdict,
        lead=lead,
        meaning=tuple(meaning),
        next_steps=_next_steps(report),
    )


def _budget_sentence(report: TriageReport, budget: float) -> str:
    point = report.point(report.question.score, budget)
    chance = percent(1 - point.swapped / point.pairs)
    return (
        f"Swapping the {budget * 100:g} % of the pairs with the highest {point.score} score saves "
        f"{percent(point.saved)} of the judgments and misses {estimate_text(point.missed)} of {integer(report.flips)} "
        f"flips; a random choice of as many misses {chance}."
    )


def _budget_verdict(report: TriageReport, budget: float) -> tuple[str, Status]:
    point = report.point(report.question.score, budget)
    gain = point.against_random
    if isinstance(gain, Estimate) and gain.interval is not None and gain.interval.high < 0:
        return f"{point.score} finds more flips than chance", "steady"
    if isinstance(gain, Estimate) and gain.interval is not None and gain.interval.low > 0:
        return f"{point.score} finds fewer flips than chance", "sensitive"
    if report.question.score == RANDOM:
        return "Chance, as asked for", "described"
    return f"{point.score} is not shown to find more flips than chance", "undecided"


def _promise_of(report: TriageReport, name: str) -> Guarantee | None:
    found = dict(report.guarantees).get(name)
    if found is None or isinstance(found, Refusal) or not found:
        return None
    return next((g for g in found if g.alpha == _ALPHA), found[0])


def _promise_verdict(report: TriageReport) -> tuple[str, Status]:
    own, chance = _promise_of(report, report.question.score), _promise_of(report, RANDOM)
    if own is None:
        return "No promise can be tested on these pairs", "undecided"
    if own.infeasible == 1.0:
        return "Too few flips to promise anything: every pair is swapped", "undecided"
    if chance is not None and report.question.score != RANDOM and own.mean_swapped < chance.mean_swapped:
        share = percent((1 - own.mean_swapped) / 2)
        promised = f"{share} of the judgments saved with at most {own.alpha * 100:g} % of the flips missed"
        if not own.proved:
            return f"{promised}: approximate, not proved", "described"
        # What is promised in expectation is exceeded by up to two calibrations in five.
        how = "in expectation" if own.delta is None else f"with probability {(1 - own.delta) * 100:g} %"
        return f"{promised}, {how}", "steady"
    return f"{own.score} saves no more than chance would", "sensitive"


def _promise_sentences(report: TriageReport) -> list[str]:
    own = _promise_of(report, report.question.score)
    if own is None:
        refused = dict(report.guarantees).get(report.question.score)
        return [f"No promise: {refused.reason}."] if isinstance(refused, Refusal) else []
    missed = "—" if own.mean_missed is None else percent(own.mean_missed)
    others = [
        f"{name} {percent(other.mean_swapped)}"
        for name in (CONFIDENCE, RANDOM)
        if name != own.score and (other := _promise_of(report, name)) is not None
    ]
    against = f"; for the same promise: {', '.join(others)}" if others else ""
    exact = "" if own.proved else " The promise is approximate: see the notes."
    return [
        f"To miss at most {own.alpha * 100:g} % of the flips, {own.score} swaps {percent(own.mean_swapped)} of the "
        f"pairs and saves {percent((1 - own.mean_swapped) / 2)} of the judgments (mean of {integer(own.splits)} "
        f"splits){against}. On questions that had no part in the calibration {missed} of the flips were missed.{exact}"
    ]


def _time_sentences(report: TriageReport) -> list[str]:
    if isinstance(report.times, Refusal):
        return [f"No net time: {report.times.reason}."]
    first = next(each for each in report.times if each.policy == report.closely)
    if isinstance(first.saved, Refusal):
        return [f"No net time: {first.saved.reason}."]
    return [f"Net time saved by {first.policy}, extraction included: {estimate_text(first.saved)}."]


def _board_sentences(report: TriageReport) -> list[str]:
    alone = report.leaderboard[0]
    first = next(each for each in report.leaderboard if each.policy == report.closely)
    if isinstance(first.largest_error, Estimate):
        return [
            f"The largest error of an author’s win rate is {estimate_text(first.largest_error)} under {first.policy}, "
            f"and {estimate_text(alone.largest_error)} from order AB alone."
        ]
    return [
        f"Against full swapping A’s win rate is off by {estimate_text(first.win_rate_a, 'difference')} under "
        f"{first.policy}, and by {estimate_text(alone.win_rate_a, 'difference')} from order AB alone."
    ]


def _next_steps(report: TriageReport) -> tuple[str, ...]:
    if report.policy is None:
        return (
            "Save a policy with --budget or --max-missed and --save, and use it in evenhand audit --swap selective.",
        )
    held = report.policy.guarantee
    promise = "It promises nothing." if held is None else f"Its promise: {held}."
    saved = visible(f"The saved policy swaps {report.policy.describe()}. {promise}", limit=None)
    if report.policy.probe_sha256 is not None:
        return (saved, "Use it: evenhand audit --swap selective --probe FILE --policy FILE.")
    return (saved, "It ranks by a raw score, which evenhand audit --swap selective doesn’t take: only a saved probe’s.")


def _notes(report: TriageReport) -> list[str]:
    notes = [
        "The other pairs’ flips stay unseen: a policy tells of its own flips only. To keep the full flip rate, swap a "
        "random share of the others too (--floor)."
    ]
    own = _promise_of(report, report.question.score)
    if own is not None:
        notes.append(f"{own.score}: {own.text}.")
    unproved = [name for name, found in report.guarantees if isinstance(found, tuple) and found and not found[0].proved]
    if unproved:
        notes.append(
            f"Approximate, not proved: the promises of {', '.join(unproved)}. Their scores come from several models, "
            "or from one that was fitted on some of these questions, so calibration and score aren’t independent."
        )
    notes += [f"{s.name} can’t be used: {s.refusal}." for s in report.scores if s.refusal is not None]
    if report.question.alphas:
        notes.append(
            "A promise holds for questions that are drawn as these were, under the same judge and prompt, and for a "
            "score chosen before the calibration was seen. Picking the best of several scores or levels by this table "
            f"spends some of it. A question may have at most {integer(report.largest_group)} pairs, as here."
        )
    if isinstance(report.times, Refusal):
        notes.append(f"No net time: {report.times.reason}.")
    return [*notes, *report.notes]
