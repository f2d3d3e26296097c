"""A gate as a study: each requirement with its figure and decision, and what would decide the rest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.analysis.study import (
    Claim,
    Forest,
    ForestRow,
    Study,
    StudyColumn,
    StudyHeadline,
    StudyStatus,
    StudyTable,
    StudyValue,
)
from evenhand.audits.drift.bounds import Standing
from evenhand.audits.drift.coverage import Coverage
from evenhand.audits.drift.gates import Figure, GateDecision
from evenhand.records import RunManifest
from evenhand.report.cells import printed_unit
from evenhand.report.format import integer, percent
from evenhand.report.numbering import claims
from evenhand.stats import Estimate, Refusal
from evenhand.store import PlanCounts

__all__ = ["WORDS", "GateFacts", "figure_place", "gate_study", "rests_on"]

WORDS: dict[Standing, str] = {
    "kept": "pass",
    "broken": "FAIL",
    "undecided": "undecided",
    "not measured": "not measured",
}
"""How a standing is called at a gate."""

_REQUIREMENTS = "table-requirements"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """What a gate knows of its run.

    Attributes
    ----------
    answered, unanswered, max_failures
        Whether enough of the plan has an answer; the share that has none; the largest that may.
    outcome
        Of the whole gate.
    """

    manifest: RunManifest
    place: str
    counts: PlanCounts
    answered: bool
    unanswered: float
    max_failures: float
    outcome: Literal["pass", "fail", "undecided"]
    allow_undecided: bool
    level: float
    resampled_by: str


def gate_study(decisions: Sequence[GateDecision], facts: GateFacts) -> Study:
    """Compose the study."""
    return Study(
        kind="gate",
        title="Gate",
        subtitle=f"{facts.manifest.judge.spec} on {facts.manifest.data.spec} ({facts.place})",
        headline=_headline(decisions, facts),
        tables=(_requirements(decisions), _answers(facts)),
        figures=tuple(_forest(decisions)),
        notes=tuple(_notes(facts, decided=sum(d.standing != "not measured" for d in decisions))),
        facts=(
            ("Run", facts.place),
            ("Judge", facts.manifest.judge.spec),
            ("Data", facts.manifest.data.spec),
            ("Resampled by", facts.resampled_by),
            ("Confidence level", f"{facts.level:g}"),
            ("Undecided requirements", "let through" if facts.allow_undecided else "stop the run"),
        ),
    )


def figure_place(figure: Figure | None) -> str:
    """Where a figure is from: condition, readout and what was changed."""
    if figure is None:
        return "—"
    parts = (figure.condition, None if figure.readout is None else str(figure.readout), figure.audit, figure.subset)
    return ", ".join(part for part in parts if part) or "whole run"


def rests_on(coverage: Coverage) -> str:
    """A warning of a figure that rests on fewer than half of what was asked."""
    return f"rests on {coverage.text} ({percent(coverage.share)}), fewer than half of what was asked"


def _headline(decisions: Sequence[GateDecision], facts: GateFacts) -> StudyHeadline:
    count = {word: sum(d.standing == standing for d in decisions) for standing, word in WORDS.items()}
    told = ", ".join(f"{n} {word.lower()}" for word, n in count.items() if n)
    status, verdict = _verdict(decisions, facts, told)
    lead = (
        f"{integer(facts.counts.finished)} of {integer(facts.counts.planned)} planned presentations have an answer."
        if facts.counts.finished < facts.counts.planned
        else f"All {integer(facts.counts.planned)} planned presentations have an answer."
    )
    return StudyHeadline(
        status=status,
        verdict=verdict,
        lead=f"{lead} A requirement passes where the whole interval keeps it, and fails where none of it does.",
        rests_on=(_REQUIREMENTS if facts.answered else "table-answers",),
        more=claims(_meaning(decisions), _REQUIREMENTS),
        steps=tuple(_next_steps(decisions, facts)),
    )


def _verdict(decisions: Sequence[GateDecision], facts: GateFacts, told: str) -> tuple[StudyStatus, str]:
    if not facts.answered:
        failed = percent(facts.unanswered)
        return "failed", f"Gate failed: {failed} of the presentations have no answer ({told})"
    if not any(isinstance(found, Estimate) for found in _estimates(decisions)):
        return "failed", f"Gate failed: nothing was measured ({told})"
    thin = [decision.thin for decision in decisions if decision.thin is not None]
    least = min(thin, key=lambda each: each.share, default=None)
    rests = "" if least is None else f"a figure rests on {percent(least.share)} of what was asked"
    beside = f"; {rests}" if rests else ""
    match facts.outcome:
        case "pass":
            return "good", f"Gate passed ({told}){beside}"
        case "undecided":
            if all(decision.withheld for decision in decisions if decision.standing == "undecided"):
                return "undecided", f"Gate undecided: {rests} ({told})"
            return "undecided", f"Gate undecided: the data are too few to tell ({told}){beside}"
        case _:
            return "bad", f"Gate failed ({told}){beside}"


def _estimates(decisions: Sequence[GateDecision]) -> Iterator[Estimate | Refusal]:
    return (decision.figure.estimate for decision in decisions if decision.figure is not None)


def _meaning(decisions: Sequence[GateDecision]) -> Iterator[str]:
    for decision in decisions:
        if decision.standing == "not measured":
            yield f"{decision.requirement.text}: not measured ({decision.why}). What isn't measured never passes."
        if decision.thin is not None:
            yield f"{decision.requirement.text} ({figure_place(decision.figure)}): {rests_on(decision.thin)}."


def _next_steps(decisions: Sequence[GateDecision], facts: GateFacts) -> Iterator[Claim]:
    if not facts.answered:
        errors = "; see its journal for the errors" if facts.counts.errors else ""
        yield from claims([f"Finish the run: start the same command again{errors}."], "table-answers")
    yield from claims(_undecided(decisions), _REQUIREMENTS)


def _undecided(decisions: Sequence[GateDecision]) -> Iterator[str]:
    for decision in decisions:
        if decision.standing == "undecided" and decision.figure is not None:
            if decision.withheld:
                yield (
                    f"{decision.requirement.text} ({figure_place(decision.figure)}): find out why so much has no such "
                    "observation, then say with --min-verdict-rate how much of the presentations must have a verdict."
                )
                continue
            needed = decision.pairs_needed
            how = (
                "no number of pairs tells them apart: the figure lies on the limit"
                if needed is None
                else f"about {needed:,} pairs would decide with a chance of 80 %, if the figure stays where it is"
            )
            place = figure_place(decision.figure)
            yield f"{decision.requirement.text} ({place}): {how}; {decision.figure.pairs:,} entered."


def _requirements(decisions: Sequence[GateDecision]) -> StudyTable:
    columns = (
        StudyColumn(name="requirement", label="requirement"),
        StudyColumn(name="figure", label="of", definition="Condition, readout, and what a bias audit changed."),
        StudyColumn(
            name="decision",
            label="decision",
            definition=(
                "pass: the whole interval keeps the limit; fail: none of it does, nor of a surer one where several "
                "figures are decided; undecided: neither; not measured: there is no figure, which is no pass."
            ),
        ),
        StudyColumn(name="value", label="figure", unit="share", definition="With its cluster interval."),
        StudyColumn(name="pairs", label="pairs", unit="count", definition="Pairs of the figure's scope."),
        StudyColumn(
            name="rests_on",
            label="rests on",
            definition=(
                "What entered the figure, of the pairs or presentations that were asked and might have. Fewer than "
                "half pass nothing, unless a requirement on the verdict rate says how many may be missing."
            ),
        ),
        StudyColumn(
            name="pairs_needed",
            label="pairs to decide",
            unit="count",
            definition="About how many pairs decide with a chance of 80 %, if the figure stays where it is.",
        ),
    )
    return StudyTable(
        id="requirements",
        title="Requirements",
        caption="Each decided on its interval's bound.",
        columns=columns,
        rows=tuple(_row(decision) for decision in decisions),
        row_units=tuple(printed_unit(decision.requirement.info) for decision in decisions),
        headers=2,
    )


def _row(decision: GateDecision) -> tuple[StudyValue, ...]:
    figure = decision.figure
    return (
        decision.requirement.text,
        figure_place(figure),
        WORDS[decision.standing],
        Refusal(reason=decision.why, n=0) if figure is None else figure.estimate,
        None if figure is None else figure.pairs,
        None if figure is None or figure.coverage is None else figure.coverage.text,
        decision.pairs_needed,
    )


def _answers(facts: GateFacts) -> StudyTable:
    counts = facts.counts
    return StudyTable(
        id="answers",
        title="Answers",
        caption="Whether the run may be judged at all: counted, not estimated.",
        columns=(
            StudyColumn(name="what", label="presentations"),
            StudyColumn(name="count", label="count", unit="count"),
        ),
        rows=(
            ("planned", counts.planned),
            ("answered", counts.finished),
            ("failed", counts.errors),
            ("not asked", counts.pending),
        ),
        notes=(
            f"{percent(facts.unanswered)} without an answer; at most {percent(facts.max_failures)} may be: "
            f"{'pass' if facts.answered else 'FAIL'}.",
        ),
    )


def _forest(decisions: Sequence[GateDecision]) -> Iterator[Forest]:
    rows = tuple(
        ForestRow(label=figure_place(d.figure), estimate=d.figure.estimate, group=d.requirement.text)
        for d in decisions
        if d.figure is not None and isinstance(d.figure.estimate, Estimate)
    )
    if rows and {d.requirement.info.unit for d in decisions} <= {"share", "difference"}:
        yield Forest(
            id="figures",
            title="Figures under the requirements",
            x_label="figure",
            rows=rows,
            unit="share",
            reference=None,
        )


def _notes(facts: GateFacts, *, decided: int) -> Iterator[str]:
    yield (
        "A requirement without a condition or readout is of every one of the run, and each must pass: readouts are "
        "different measurements, and none is chosen silently."
    )
    chance = (1 - facts.level) / 2
    yield (
        f"Passes are decided on two-sided intervals of level {facts.level:g}: a judge exactly on a limit keeps it in "
        f"at most about {percent(chance)} of runs. That all must pass needs no adjustment (an intersection-union test)."
    )
    if decided > 1:
        yield (
            f"A single fail stops the run, so fails are decided on intervals of level "
            f"{1 - (1 - facts.level) / decided:.4g}, for {decided} figures (Bonferroni): a judge that keeps every "
            f"limit, or lies exactly on it, fails in at most about {percent(chance)} of runs where each limit has one "
            "side."
        )
    if facts.manifest.generated_fraction is not None:
        yield (
            "Text was asked for of a random sample: generated figures are the prediction-powered ones, or the "
            "sample's where there is none."
        )
    if facts.manifest.swap is not None:
        yield "Order BA was asked of likely flips: figures of both orders are the selective ones."
