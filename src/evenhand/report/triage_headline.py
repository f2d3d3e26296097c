"""What a triage supports, in sentences: a saving over chance only where it is clear, nothing of training questions."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.probes.triage_budget import BudgetPoint
from evenhand.probes.triage_chance import AgainstChance
from evenhand.probes.triage_guarantee import Guarantee
from evenhand.probes.triage_report import TriageReport
from evenhand.probes.triage_scores import CONFIDENCE, MARGIN, RANDOM
from evenhand.report.format import estimate_text, integer, interval_text, percent, quantity
from evenhand.report.model import Claim, Headline, Status
from evenhand.report.numbering import claims
from evenhand.report.text import visible
from evenhand.stats import Estimate, Interval, Refusal

__all__ = ["promise_of", "triage_headline"]

_ALPHA = 0.1
"""The promise that the headline speaks of where none was asked for."""
_BUDGET = 0.3
"""The budget under which scores are compared where none was asked for."""
_BUDGETS, _PROMISES = ("table-budgets", "figure-budgets"), "table-guarantees"
"""Under a promise alone there is no table of budgets: the figure has them."""


def triage_headline(report: TriageReport) -> Headline:
    """Title, lead, what follows, and what to do."""
    if report.in_sample:
        return _in_sample(report)
    meaning = [
        *claims(_promise_sentences(report), _PROMISES),
        *_other_claims(report),
        *claims(_policy_sentences(report), "reproduce"),
        *claims(_time_sentences(report), "table-time", "notes"),
        *claims(_board_sentences(report), "table-leaderboard"),
    ]
    if report.question.budget is not None:
        lead = Claim(text=_budget_sentence(report, report.question.budget), rests_on=_BUDGETS)
        verdict, status = _budget_verdict(report, report.question.budget)
    else:
        lead = meaning.pop(0)
        verdict, status = _promise_verdict(report)
    return Headline(
        status=status,
        verdict=verdict,
        lead=lead.text,
        rests_on=lead.rests_on,
        more=tuple(meaning),
        steps=_next_steps(report, worth=status in ("steady", "described")),
    )


def _in_sample(report: TriageReport) -> Headline:
    return Headline(
        status="undecided",
        verdict="Nothing can be said of this probe on the questions it was trained on",
        lead=(
            f"{report.question.score} was fitted on these questions, and too few others are left: the flips that it "
            "misses here are in-sample, too few, and no saving follows from them."
        ),
        rests_on=("notes",),
        more=claims(_policy_sentences(report), "reproduce"),
        steps=(
            *claims(
                [
                    "Leave --probe out: the probe is then fitted anew on splits of these questions. Or triage a run of "
                    "other questions with it."
                ],
                "notes",
            ),
            *_use(report),
        ),
    )


def _budget_sentence(report: TriageReport, budget: float) -> str:
    point = report.point(report.question.score, budget)
    chance = percent(1 - point.swapped / point.pairs)
    return (
        f"Swapping the {budget * 100:g} % of the pairs with the highest {point.score} score saves "
        f"{percent(point.saved)} of the judgments and misses {estimate_text(point.missed)} of {integer(report.flips)} "
        f"flips; a random choice of as many misses {chance}."
    )


def _better(point: BudgetPoint) -> bool:
    gain = point.against_random
    return isinstance(gain, Estimate) and gain.interval is not None and gain.interval.high < 0


def _worse(point: BudgetPoint) -> bool:
    gain = point.against_random
    return isinstance(gain, Estimate) and gain.interval is not None and gain.interval.low > 0


def _budget_verdict(report: TriageReport, budget: float) -> tuple[str, Status]:
    point = report.point(report.question.score, budget)
    if report.question.score == RANDOM:
        return "Chance, as asked for", "described"
    if report.unranked is not None:
        return _unranked(report)
    if _better(point):
        return f"{point.score} finds more flips than chance", "steady"
    if _worse(point):
        return f"{point.score} finds fewer flips than chance", "sensitive"
    return f"{point.score} is not shown to find more flips than chance", "undecided"


def _unranked(report: TriageReport) -> tuple[str, Status]:
    few = 2 * report.flips < report.pairs
    what = "Too few pairs flip" if few else "Nearly every pair flips:"
    rate = percent(report.flips / report.pairs) if report.pairs else "none"
    shown = f"{what} ({rate})" if few else f"{what} {rate}"
    return f"{shown}{' to say' if few else ', too many to say'} that {report.question.score} finds flips", "undecided"


def promise_of(report: TriageReport, name: str) -> Guarantee | None:
    """The promise of a score that the headline speaks of; None where there is none."""
    found = dict(report.guarantees).get(name)
    if found is None or isinstance(found, Refusal) or not found:
        return None
    return next((g for g in found if g.alpha == _ALPHA), found[0])


def _saves_more(found: Guarantee | None) -> bool:
    """Whether it swaps clearly fewer pairs than chance for the same promise."""
    return found is not None and isinstance(found.against_chance, AgainstChance) and found.against_chance.high < 0


def _promise_verdict(report: TriageReport) -> tuple[str, Status]:
    own = promise_of(report, report.question.score)
    if own is None:
        return "No promise can be tested on these pairs", "undecided"
    if own.infeasible == 1.0:
        return _infeasible(report), "undecided"
    if own.score == RANDOM:
        return "Chance, as asked for", "described"
    if report.unranked is not None:
        return _unranked(report)
    against = own.against_chance
    if isinstance(against, AgainstChance) and against.low > 0:
        return f"{own.score} saves less than chance would", "sensitive"
    if not _saves_more(own):
        return f"{own.score} is not shown to save more than chance", "undecided"
    share = percent((1 - own.mean_swapped) / 2)
    promised = f"{share} of the judgments saved with at most {own.alpha * 100:g} % of the flips missed"
    if not own.proved:
        return f"{promised}: approximate, not proved", "described"
    # What is promised in expectation is exceeded by up to two calibrations in five.
    how = "in expectation" if own.delta is None else f"with probability {(1 - own.delta) * 100:g} %"
    return f"{promised}, {how}", "steady"


def _infeasible(report: TriageReport) -> str:
    policy = report.policy
    if policy is None or policy.calibrated_on is None or policy.threshold == float("-inf"):
        return "Too few flips to promise anything: every pair is swapped"
    return (
        f"Too few flips in the splits to test a promise; the saved policy, calibrated on all "
        f"{integer(policy.calibrated_on.pairs)} of its pairs, makes one untested"
    )


def _promise_sentences(report: TriageReport) -> list[str]:
    own = promise_of(report, report.question.score)
    if own is None:
        refused = dict(report.guarantees).get(report.question.score)
        return [f"No promise: {refused.reason}."] if isinstance(refused, Refusal) else []
    missed = "—" if own.mean_missed is None else percent(own.mean_missed)
    others = [
        f"{name} {percent(other.mean_swapped)}"
        for name in (CONFIDENCE, RANDOM)
        if name != own.score and (other := promise_of(report, name)) is not None
    ]
    against = f"; for the same promise: {', '.join(others)}" if others else ""
    paired = _paired_text(own)
    exact = "" if own.proved else " The promise is approximate: see the notes."
    return [
        f"To miss at most {own.alpha * 100:g} % of the flips, {own.score} swaps {percent(own.mean_swapped)} of the "
        f"pairs and saves {percent((1 - own.mean_swapped) / 2)} of the judgments (mean of {integer(own.splits)} "
        f"splits){against}.{paired} On questions that had no part in the calibration {missed} of the flips were "
        f"missed.{exact}"
    ]


def _paired_text(own: Guarantee) -> str:
    found = own.against_chance
    if not isinstance(found, AgainstChance):
        return ""
    interval = interval_text(Interval(low=found.low, high=found.high), "difference")
    return (
        f" On the same splits that is {quantity(found.mean, 'difference')}{' ' + interval if interval else ''} against "
        f"chance, and fewer than chance in {percent(found.fewer)} of them."
    )


def _other_claims(report: TriageReport) -> tuple[Claim, ...]:
    """Another score that does better, and one that does worse than chance."""
    if report.unranked is not None:
        return claims([f"Nothing is said of finding flips: {report.unranked}."], *_BUDGETS, _PROMISES)
    budget = _BUDGET if report.question.budget is None else report.question.budget
    worse = [_worse_text(report.point(s.name, budget)) for s in report.scores if _is_worse(report, s.name, budget)]
    return (*_better_elsewhere(report, budget), *claims(worse, *_BUDGETS))


def _is_worse(report: TriageReport, name: str, budget: float) -> bool:
    return name != RANDOM and _worse(report.point(name, budget))


def _worse_text(point: BudgetPoint) -> str:
    text = f"The pairs with the highest {point.score} score flip less than others here"
    if point.score == MARGIN:
        return (
            "Small margins flip less than large ones here: a large margin is this judge’s lean to a slot. The fitted "
            "absolute-margin and combined scores use it."
        )
    return f"{text}: under {point.budget * 100:g} % swapped it misses more than chance."


def _better_elsewhere(report: TriageReport, budget: float) -> tuple[Claim, ...]:
    own, name = promise_of(report, report.question.score), report.question.score
    spent = "choosing it by this table spends some of the promise: confirm it on another run"
    others = [s.name for s in report.scores if s.refusal is None and s.name not in (name, RANDOM)]
    if report.question.budget is not None:
        found = _fewer_missed(report, others, budget)
        return claims([f"{found}; {spent}."] if found else [], *_BUDGETS)
    if own is None:
        return ()
    if report.question.max_missed is None and (found_there := _fewer_missed(report, others, budget)):
        return claims([f"{found_there}; {spent}."], *_BUDGETS)
    promises = [each for other in others if (each := promise_of(report, other)) is not None and _saves_more(each)]
    least = min(promises, key=lambda each: each.mean_swapped, default=None)
    if least is None or least.mean_swapped >= own.mean_swapped:
        return ()
    return claims(
        [f"{least.score} swaps fewer for the same promise: {percent(least.mean_swapped)}; {spent}."], _PROMISES
    )


def _fewer_missed(report: TriageReport, others: Sequence[str], budget: float) -> str:
    """The score that misses least under a budget, where it is better than chance and than the one asked for."""
    missed = report.point(report.question.score, budget).missed
    points = [report.point(each, budget) for each in others]
    found = [(p.missed.value, p.score) for p in points if _better(p) and isinstance(p.missed, Estimate)]
    best = min(found, default=None)
    if best is None or not isinstance(missed, Estimate) or best[0] >= missed.value:
        return ""
    return (
        f"{best[1]} misses fewer flips with {budget * 100:g} % swapped: {percent(best[0])}, not {percent(missed.value)}"
    )


def _policy_sentences(report: TriageReport) -> list[str]:
    """Of a saved policy: what it swaps, what it missed where it was calibrated, what it promises."""
    policy = report.policy
    if policy is None:
        return []
    on, swaps = policy.calibrated_on, report.policy_swaps
    many = (
        "" if swaps is None else f", {percent(swaps)} of {'its calibration pairs' if on is not None else 'the pairs'}"
    )
    text = f"The saved policy swaps {policy.describe()}{many}."
    if on is not None:
        text += (
            f" It missed {integer(on.missed)} of {integer(on.flips)} flips of these {integer(on.pairs)} pairs "
            "(in-sample: they set its threshold)."
        )
    promise = "It promises nothing." if policy.guarantee is None else f"Its promise: {policy.guarantee}."
    return [visible(f"{text} {promise}", limit=None)]


def _time_sentences(report: TriageReport) -> list[str]:
    if isinstance(report.times, Refusal):
        return [f"No net time: {report.times.reason}."]
    first = next(each for each in report.times if each.policy == report.closely)
    if isinstance(first.saved, Refusal):
        return [f"No net time: {first.saved.reason}."]
    chance = "" if first.chance_saved is None else f"; a random choice of as many saves {percent(first.chance_saved)}"
    return [
        f"{first.policy}: {percent(first.judgments_saved)} of the judgments and {estimate_text(first.saved)} of the "
        f"time saved, extraction included{chance}."
    ]


def _board_sentences(report: TriageReport) -> list[str]:
    alone = report.leaderboard[0]
    first = next(each for each in report.leaderboard if each.policy == report.closely)
    if isinstance(first.largest_error, Estimate):
        return [
            f"The largest error of an author’s win rate is {estimate_text(first.largest_error)} under {first.policy}, "
            f"and {estimate_text(alone.largest_error)} from order AB alone."
        ]
    if isinstance(first.accuracy, Estimate):
        return [
            f"Against full swapping agreement with gold differs by {estimate_text(first.accuracy, 'difference')} under "
            f"{first.policy}, and by {estimate_text(alone.accuracy, 'difference')} from order AB alone."
        ]
    return [
        "Against full swapping the win rate of the responses named A is off by "
        f"{estimate_text(first.win_rate_a, 'difference')} under {first.policy}, and by "
        f"{estimate_text(alone.win_rate_a, 'difference')} from order AB alone."
    ]


def _next_steps(report: TriageReport, *, worth: bool) -> tuple[Claim, ...]:
    shown = _BUDGETS if report.question.budget is not None else (_PROMISES,)
    if report.policy is not None:
        if worth:
            return _use(report)
        return (
            *claims(["It is not shown to be worth using: swap every pair."], *shown),
            *_use(report, how="To use it all the same"),
        )
    if report.question.score == RANDOM:
        return claims(["Name the score of a probe to see what it saves over chance (--score)."], *shown)
    asked = report.question.budget is not None or report.question.max_missed is not None
    if not worth and not asked and report.unranked is None and _better(report.point(report.question.score, _BUDGET)):
        return claims(
            [
                f"A promise is not shown to be worth it, a budget may be: with {_BUDGET * 100:g} % swapped "
                f"{report.question.score} misses fewer flips than chance (--budget, --save)."
            ],
            *_BUDGETS,
        )
    if not worth:
        return claims(["Swap every pair: a policy of this score is not shown to be worth its extraction."], *shown)
    return claims(
        ["Save a policy with --budget or --max-missed and --save, and use it in evenhand audit --swap selective."],
        *shown,
    )


def _use(report: TriageReport, *, how: str = "Use it") -> tuple[Claim, ...]:
    return claims([] if report.use is None else [visible(f"{how}: {report.use}", limit=None)], "reproduce")
