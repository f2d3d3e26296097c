"""What a comparison of judges says first: who is more consistent beyond chance, and never more than is shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from evenhand.analysis.study import Claim, StudyHeadline
from evenhand.audits.judges.comparison import ComparedRun, JudgesComparison, Standing, standings_of
from evenhand.audits.judges.differences import Difference, MeasureDifferences, shown_among_all
from evenhand.audits.judges.measures import FLIPS
from evenhand.report.cells import printed_unit
from evenhand.report.format import estimate_text, p_text
from evenhand.report.numbering import claims
from evenhand.report.studies.judges_tables import same_scope
from evenhand.stats import Estimate, Refusal

__all__ = ["judges_headline"]

_LISTED: Final = 4
"""Judges named in one sentence."""

_FLIPS: Final = "table-flip-differences"
_MEASURES: Final = "table-differences"
_NOISE: Final = "table-noise"


def judges_headline(runs: Sequence[ComparedRun], comparison: JudgesComparison) -> StudyHeadline:
    """The verdict, each sentence with its number."""
    flips = comparison.measure(FLIPS)
    if not flips.known:
        return _nothing(runs, comparison)
    standings = standings_of(comparison)
    shown = bool(flips.shown)
    return StudyHeadline(
        status="described" if shown else "undecided",
        verdict=_verdict(comparison, flips, standings),
        lead=_lead(runs, comparison),
        rests_on=(_FLIPS,),
        more=tuple(_meaning(runs, comparison, flips, standings)),
        steps=tuple(_next(runs, comparison, flips)),
    )


def _nothing(runs: Sequence[ComparedRun], comparison: JudgesComparison) -> StudyHeadline:
    reasons = dict.fromkeys(
        each.estimate.reason for each in comparison.measure(FLIPS).differences if isinstance(each.estimate, Refusal)
    )
    others = [family for family in comparison.measures if family.known]
    return StudyHeadline(
        status="described" if others else "failed",
        verdict="Which judge is more consistent can't be said: no two have flip rates on enough shared pairs",
        lead=_lead(runs, comparison),
        rests_on=(_FLIPS,),
        more=(
            *claims((f"{reason[0].upper()}{reason[1:]}." for reason in list(reasons)[:_LISTED]), _FLIPS),
            *claims(_others(comparison), _MEASURES),
        ),
        steps=claims(["Audit the judges on the same pairs, in both orders, and finish the runs."], "table-runs"),
    )


def _verdict(comparison: JudgesComparison, flips: MeasureDifferences, standings: Sequence[Standing]) -> str:
    names, total = comparison.names, len(flips.known)
    others = f"each of the {len(names) - 1} others"
    if len(names) == 2:
        [only] = flips.known
        if not only.shown:
            return f"No difference in order consistency is shown between {names[0]} and {names[1]}"
        less, more = _less_first(only)
        return f"{names[less]} is more order-consistent than {names[more]}, beyond chance"
    if not flips.shown:
        return f"No two of the {len(names)} judges are shown to differ in order consistency"
    best = [each for each in standings if each.less == len(names) - 1]
    if best:
        return f"{names[best[0].judge]} is more order-consistent than {others}, beyond chance"
    worst = [each for each in standings if each.more == len(names) - 1]
    if worst:
        return (
            f"{names[worst[0].judge]} is less order-consistent than each of the {len(names) - 1} others, beyond chance"
        )
    return f"{len(flips.shown)} of {total} pairs of judges differ in order consistency beyond chance"


def _less_first(difference: Difference) -> tuple[int, int]:
    below = isinstance(difference.estimate, Estimate) and difference.estimate.value < 0
    return (difference.first, difference.second) if below else (difference.second, difference.first)


def _lead(runs: Sequence[ComparedRun], comparison: JudgesComparison) -> str:
    runs_named = "both runs" if len(runs) == 2 else f"all {len(runs)} runs"
    shared = f"{comparison.in_all:,} pairs are the same in {runs_named}"
    spoken = same_scope(runs)
    return f"{shared}; compared under {spoken}." if spoken else f"{shared}; each judge under a readout of its own."


def _meaning(
    runs: Sequence[ComparedRun], comparison: JudgesComparison, flips: MeasureDifferences, standings: Sequence[Standing]
) -> Iterator[Claim]:
    told = [_two(comparison, flips)] if len(comparison.names) == 2 else _several(comparison, flips, standings)
    yield from claims(told, _FLIPS)
    repeated = comparison.measure("swap_minus_repeat").known
    yield from claims(_beyond_repeats(comparison), *([_MEASURES] if repeated else []), _NOISE)
    yield from claims(_compliance(runs), "table-judges")
    yield from claims(_others(comparison), _MEASURES)
    yield from claims(_agreement(comparison), "table-agreement")


def _figure(estimate: Estimate | Refusal, unit: str) -> str:
    return estimate_text(estimate, unit)


def _sentence(comparison: JudgesComparison, family: MeasureDifferences, each: Difference) -> str:
    unit = printed_unit(family.info)
    p = "" if each.adjusted is None else f", {p_text(each.adjusted)} (Holm)"
    told = _figure(each.estimate, "number" if unit == "number" else "difference")
    names = comparison.names
    return f"{family.info.label}, {names[each.first]} minus {names[each.second]}: {told}{p}, on {each.pairs:,} pairs"


def _two(comparison: JudgesComparison, flips: MeasureDifferences) -> str:
    [only] = flips.known
    told = _sentence(comparison, flips, only)
    told = f"{told[0].upper()}{told[1:]}."
    return told if only.shown else f"{told} That is no proof that they are alike: the interval says what is possible."


def _several(comparison: JudgesComparison, flips: MeasureDifferences, standings: Sequence[Standing]) -> Iterator[str]:
    if not flips.shown:
        yield (
            f"Flip rate: none of {len(flips.known):,} differences of two judges is shown after Holm. That is "
            "no proof that they are alike: the intervals say what is possible."
        )
        yield from _unknown(flips)
        return
    widest = max(flips.shown, key=lambda each: abs(each.estimate.value) if isinstance(each.estimate, Estimate) else 0)
    told = _sentence(comparison, flips, widest)
    yield f"The widest difference that is shown: {told}."
    first = [comparison.names[each.judge] for each in standings if each.compared and not each.more]
    if 1 < len(first) < len(comparison.names):
        yield (
            f"Not shown to flip more than any other ({len(first)} of {len(comparison.names)}): {_listed(first)}. "
            "Among these, no order is supported."
        )
    yield from _unknown(flips)


def _unknown(flips: MeasureDifferences) -> Iterator[str]:
    unknown = len(flips.differences) - len(flips.known)
    if unknown:
        which = "1 further pair of judges" if unknown == 1 else f"{unknown} further pairs of judges"
        yield f"{which} can't be compared: the table says why."


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")


def _beyond_repeats(comparison: JudgesComparison) -> Iterator[str]:
    family = comparison.measure("swap_minus_repeat")
    few = [each.estimate for each in family.differences if isinstance(each.estimate, Refusal) and each.estimate.n]
    if not family.known and few:
        yield f"How much of the flips is the judges' own noise isn't known: too few repeats ({few[0].reason})."
    elif not family.known:
        yield (
            "How much of the flips is the judges' own noise isn't known: repeats were not asked for of the same pairs "
            f"by two judges (0 of {len(family.differences):,} pairs of judges)."
        )
    elif len(comparison.names) == 2:
        told = _sentence(comparison, family, family.known[0])
        yield f"What order adds to the judges' own noise: {told}."
    else:
        open_ = len(family.differences) - len(family.known)
        rest = f"; of {open_:,} more it can't be told" if open_ else ""
        yield (
            f"In what order adds to the judges' own noise (swap minus repeat), {len(family.shown):,} of "
            f"{len(family.known):,} pairs of judges differ beyond chance{rest}."
        )


def _compliance(runs: Sequence[ComparedRun]) -> Iterator[str]:
    known = [
        (run.name, found)
        for run in runs
        if run.main is not None and isinstance(found := run.main.measure("compliance_pairs"), Estimate)
    ]
    if not known:
        return
    low = min(known, key=lambda each: each[1].value)
    high = max(known, key=lambda each: each[1].value)
    if len(known) == 1 or low[1].value == high[1].value:
        yield f"Compliance of pairs: {_figure(low[1], 'share')}."
    else:
        yield (
            f"Compliance of pairs goes from {_figure(low[1], 'share')} ({low[0]}) to {_figure(high[1], 'share')} "
            f"({high[0]})."
        )


def _others(comparison: JudgesComparison) -> Iterator[str]:
    """Measures beside the flip rate that two judges differ in, adjusted over all of these; all are in the tables."""
    others = [family for family in comparison.measures if family.info.name not in (FLIPS, "swap_minus_repeat")]
    named = shown_among_all(others)
    for family in named:
        if len(comparison.names) == 2:
            told = _sentence(comparison, family, family.shown[0])
            yield f"{told[0].upper()}{told[1:]}."
        else:
            label = f"{family.info.label[0].upper()}{family.info.label[1:]}"
            yield f"{label}: {len(family.shown):,} of {len(family.known):,} pairs of judges differ beyond chance."
    alone = [family.info.label for family in others if family.shown and family not in named]
    if alone:
        looked = sum(bool(family.known) for family in others)
        yield (
            f"Looked at alone, a difference is shown in {_listed(alone)}; over all {looked} measures beside the flip "
            "rate that may be chance."
        )


def _agreement(comparison: JudgesComparison) -> Iterator[str]:
    known = [(each, each.kappa) for each in comparison.agreements if isinstance(each.kappa, Estimate)]
    if not known:
        return
    names = comparison.names
    each, kappa = min(known, key=lambda pair: pair[1].value)
    between = f"{names[each.first]} and {names[each.second]}"
    lowest = "Agreement" if len(known) == 1 else "The lowest agreement"
    yield (
        f"{lowest} on a pair's verdict: {between}, kappa {_figure(kappa, 'number')}, raw "
        f"{_figure(each.verdicts, 'share')}."
    )


def _next(runs: Sequence[ComparedRun], comparison: JudgesComparison, flips: MeasureDifferences) -> Iterator[Claim]:
    if not flips.shown:
        yield from claims(
            ["Judge more pairs before you choose by consistency: evenhand simulate power says how many."], _FLIPS
        )
    if not comparison.measure("swap_minus_repeat").known:
        yield from claims(["Audit with --repeat, or with more of them, so that flips can be told from noise."], _NOISE)
    if any(run.counts.finished < run.counts.planned for run in runs):
        yield from claims(["Finish the incomplete runs: what is missing may not be missing at random."], "table-runs")
    yield from claims(
        ["Read consistency beside accuracy: a judge that always prefers the longer response never flips."],
        "table-accuracy",
        "table-judges",
    )
