"""What mitigations buy, as a study: before and after, against labels, with the cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evenhand.analysis.study import Claim, Forest, ForestRow, Study, StudyHeadline, StudyStatus
from evenhand.mitigation.all_effects import MitigationResults
from evenhand.mitigation.by_system import SystemComparison
from evenhand.mitigation.effect import Effect
from evenhand.mitigation.length_control import LengthControlled
from evenhand.mitigation.recalibrate import Recalibrated
from evenhand.mitigation.review_queue import ReviewItem
from evenhand.mitigation.selection import SelectionEffect
from evenhand.records import Readout
from evenhand.report.format import estimate_text, integer
from evenhand.report.numbering import claims
from evenhand.report.studies.mitigation_tables import mitigation_tables
from evenhand.report.study.quantities import study_quantity
from evenhand.stats import Estimate, Refusal

__all__ = ["MitigationFacts", "mitigation_study"]


_SYSTEMS = 3
"""Comparisons of systems that a headline tells; the table has all."""

_EFFECTS, _SELECTION = "table-effects", "table-selection"


@dataclass(frozen=True, slots=True, kw_only=True)
class MitigationFacts:
    """What is known beside the figures.

    Attributes
    ----------
    labels
        What counts as right, in words.
    clusters
        What one cluster is: ``question group`` or ``source``.
    """

    runs: tuple[str, ...]
    judges: tuple[str, ...]
    condition: str
    readout: Readout
    labels: str
    annotators: tuple[str, ...]
    clusters: str
    queue: tuple[ReviewItem, ...]
    seed: int
    resamples: int
    notes: tuple[str, ...] = ()


def mitigation_study(results: MitigationResults, facts: MitigationFacts) -> Study:
    """Compose the study."""
    return Study(
        kind="mitigation",
        title="What mitigations buy",
        subtitle=f"{', '.join(facts.judges)}; {facts.condition}; {facts.readout} readout; labels: {facts.labels}",
        headline=_headline(results),
        tables=mitigation_tables(results, facts.queue),
        figures=tuple(_forests(results)),
        notes=facts.notes,
        facts=(
            *((f"Run {index}", run) for index, run in enumerate(facts.runs, start=1)),
            ("Condition", facts.condition),
            ("Readout", str(facts.readout)),
            ("Labels", facts.labels),
            *([("Annotators", ", ".join(facts.annotators))] if facts.annotators else []),
            ("clusters", f"{facts.clusters}s"),
            ("Seed", str(facts.seed)),
            ("Resamples", integer(facts.resamples)),
            ("Confidence level", f"{results.level:g}"),
        ),
    )


def _headline(results: MitigationResults) -> StudyHeadline:
    compared = [effect for effect in results.effects if isinstance(effect.gain, Estimate)]
    helping = [effect for effect in compared if effect.bought(level=results.level) == "helps"]
    harming = [effect for effect in compared if effect.bought(level=results.level) == "harms"]
    if not results.effects:
        return StudyHeadline(
            status="described",
            verdict="No mitigation was compared",
            lead=_reason(results) if results.not_made else "Only what was asked for is shown.",
            rests_on=("table-not-made",) if results.not_made else (),
            more=tuple(_meaning(results, (), ())),
        )
    if not any(isinstance(effect.agreement, Estimate) for effect in results.effects):
        return StudyHeadline(
            status="failed",
            verdict="Nothing can be measured against labels",
            lead=_no_agreement(results),
            more=(
                *claims(
                    ["Without labels of quality nobody can tell whether a mitigation makes verdicts better."], _EFFECTS
                ),
                *_systems(results.systems),
            ),
            steps=claims(["Give pairs with gold, or human labels of some of them with --labels FILE."], _EFFECTS),
        )
    same = sum(effect.bought(level=results.level) == "no change" for effect in compared)
    rest = len(compared) - len(helping) - len(harming) - same
    gains = list(_gains(helping, "helps"))
    parts = [f"{len(helping)} shown to help"]
    parts += [f"{len(harming)} shown to harm"] if harming else []
    parts += [f"{rest} not shown to do either"] if rest else []
    parts += [f"{same} change{'s' if same == 1 else ''} no agreement"] if same else []
    return StudyHeadline(
        status=_status(compared, helping, harming),
        verdict=f"Of {len(compared)} comparison{'s' if len(compared) > 1 else ''}: {', '.join(parts)}"
        if compared
        else "No mitigation was compared",
        lead=gains[0] if gains else "No mitigation is shown to bring verdicts closer to the labels.",
        more=(*claims(gains[1:], _EFFECTS), *_meaning(results, compared, harming)),
        steps=tuple(_next_steps(results, helping)),
    )


def _no_agreement(results: MitigationResults) -> str:
    reasons = [each.agreement.reason for each in results.effects if isinstance(each.agreement, Refusal)]
    return f"{reasons[0][:1].upper()}{reasons[0][1:]}." if reasons else _reason(results)


def _reason(results: MitigationResults) -> str:
    reasons = dict.fromkeys(each.reason for each in results.not_made)
    first = next(iter(reasons), "no labelled pair has a verdict")
    return f"{first[:1].upper()}{first[1:]}."


def _status(compared: Sequence[Effect], helping: Sequence[Effect], harming: Sequence[Effect]) -> StudyStatus:
    if helping:
        return "good"
    if harming:
        return "bad"
    return "undecided" if compared else "described"


def _gains(effects: Sequence[Effect], verb: str) -> Iterator[str]:
    for effect in sorted(effects, key=lambda each: -abs(each.gain.value) if isinstance(each.gain, Estimate) else 0.0):
        cost = f"{effect.presentations:.3g} × the calls of one order"
        if effect.tokens is not None:
            cost += f" and {effect.tokens:.3g} × its tokens"
        judge = f"{effect.judge}: " if effect.judge else ""
        name, gain = effect.mitigation.removeprefix("panel: "), estimate_text(effect.gain, "difference")
        yield f"{judge}{name} {verb} by {gain} of agreement against {effect.against}, at {cost}."


def _meaning(results: MitigationResults, compared: Sequence[Effect], harming: Sequence[Effect]) -> Iterator[Claim]:
    yield from claims(_gains(harming, "harms"), _EFFECTS)
    yield from claims(_best_judge(results.alone), "table-agreement", _EFFECTS)
    yield from _systems(results.systems)
    yield from claims((_selection_sentence(each) for each in results.selections if _is_easier(each)), _SELECTION)
    yield from claims(_tie_sentence([each for each in compared if each.mitigation == "tie on conflict"]), _EFFECTS)
    yield from claims(_recalibrated(results), "table-calibration")


def _recalibrated(results: MitigationResults) -> Iterator[str]:
    for calibration in results.calibrations:
        better = [each for each in calibration.maps if _improves(each, results.level)]
        if better:
            best = min(better, key=_brier)
            before, after = (_number(each) for each in (best.scores.brier_before, best.scores.brier_after))
            yield (
                f"{calibration.judge}: recalibration ({best.method}) brings the Brier score of single presentations "
                f"from {before} to {after} at no further call."
            )


def _systems(systems: Sequence[SystemComparison]) -> tuple[Claim, ...]:
    return claims(_system_sentences(systems), "table-length-control")


def _system_sentences(systems: Sequence[SystemComparison]) -> Iterator[str]:
    measured = [(each, each.found) for each in systems if isinstance(each.found, LengthControlled)]
    for each, found in measured[:_SYSTEMS]:
        yield (
            f"{each.judge} prefers {each.system} over {each.other} in {estimate_text(found.raw)}, at equal length by "
            f"the model in {estimate_text(found.controlled)}; only labels tell which is nearer the truth."
        )


def _best_judge(alone: Sequence[tuple[str, Estimate | Refusal]]) -> Iterator[str]:
    known = [(estimate.value, name, estimate) for name, estimate in alone if isinstance(estimate, Estimate)]
    if known:
        _, name, estimate = max(known, key=lambda each: each[0])
        yield (
            f"The best judge of the panel by these labels, {name}, has {estimate_text(estimate)} agreement by itself. "
            "A panel is worth its cost where it exceeds that, or where nobody knows which judge is the best one."
        )


def _is_easier(selection: SelectionEffect) -> bool:
    gain = selection.apparent_gain
    return isinstance(gain, Estimate) and gain.interval is not None and gain.interval.low > 0


def _selection_sentence(selection: SelectionEffect) -> str:
    return (
        f"{selection.judge}: beware of selection. The {selection.consistent_pairs:,} of {selection.pairs:,} pairs on "
        f"which both orders agree are {estimate_text(selection.consistent)} right, all pairs in one order "
        f"{estimate_text(selection.one_order)}: the {estimate_text(selection.apparent_gain, 'difference')} between "
        "come from leaving the hard pairs out. One order alone is exactly as right on the consistent ones."
    )


def _tie_sentence(effects: Sequence[Effect]) -> Iterator[str]:
    same = [effect for effect in effects if effect.test is None]
    if same:
        decided = ", ".join(
            f"{estimate_text(effect.share_decided)}{f' of {effect.judge}' if len(same) > 1 else ''}" for effect in same
        )
        yield (
            "Tie on conflict changes no agreement: of two orders that contradict each other one is right, which is "
            "worth as much as a tie. What it buys is to know on which pairs the judge can't be relied on; still "
            f"decided: {decided}."
        )


def _number(estimate: Estimate | Refusal) -> str:
    return study_quantity(estimate.value, "number") if isinstance(estimate, Estimate) else estimate.reason


def _improves(each: Recalibrated, level: float) -> bool:
    gain, test = each.scores.brier_gain, each.scores.test
    return isinstance(gain, Estimate) and gain.value < 0 and test is not None and test.p_value < 1 - level


def _brier(each: Recalibrated) -> float:
    after = each.scores.brier_after
    return after.value if isinstance(after, Estimate) else float("inf")


def _next_steps(results: MitigationResults, helping: Sequence[Effect]) -> Iterator[Claim]:
    if helping:
        cheapest = min(helping, key=lambda effect: (effect.presentations, effect.tokens or 0.0))
        cost = f"{cheapest.presentations:.3g} × the calls"
        yield from claims([f"The cheapest that is shown to help is {cheapest.mitigation} ({cost})."], _EFFECTS)
    if results.selections and any(each.flipped_pairs for each in results.selections):
        yield from claims(
            ["Report accuracy among decided pairs only together with the share that is decided."], _SELECTION
        )
    if any(each.mitigation == "averaged probabilities" for each in results.not_made):
        yield from claims(
            ["Probabilities need the first-token readout: add --readout first-token where the run has it."],
            "table-not-made",
        )


def _forests(results: MitigationResults) -> Iterator[Forest]:
    several = len({effect.judge for effect in results.effects}) > 1
    rows = tuple(
        ForestRow(label=effect.mitigation, estimate=effect.gain, group=effect.judge if several else "")
        for effect in results.effects
        if effect.gain is not None
    )
    if rows:
        yield Forest(
            id="gains",
            title="Agreement gained against the labels",
            x_label="Gain in agreement",
            rows=rows,
        )
