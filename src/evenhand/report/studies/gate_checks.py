"""A gate for continuous integration: its decisions as JUnit cases and as annotations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import assert_never

from evenhand.audits.drift.gates import GateDecision
from evenhand.report.annotations import Annotation
from evenhand.report.format import estimate_text, percent
from evenhand.report.junit import Case, CaseOutcome
from evenhand.report.studies.gate import WORDS, GateFacts, figure_place, rests_on

__all__ = ["decision_text", "gate_annotations", "gate_cases"]


def decision_text(decision: GateDecision) -> str:
    """A decision in one line: what was found where, and what would decide."""
    place = figure_place(decision.figure)
    if decision.figure is None:
        return f"{WORDS[decision.standing]}: {decision.why}"
    figure = estimate_text(decision.figure.estimate, decision.requirement.info.unit)
    told = f"{WORDS[decision.standing]}: {figure} ({place})"
    if decision.thin is not None:
        told = f"{told}; {rests_on(decision.thin)}"
    if decision.standing == "undecided" and decision.pairs_needed is not None:
        return f"{told}; about {decision.pairs_needed:,} pairs would decide"
    return told


def gate_cases(decisions: Sequence[GateDecision], facts: GateFacts) -> tuple[Case, ...]:
    """One case a decision, and one for the answers of the run."""
    return (_answers_case(facts), *(_case(decision, facts) for decision in decisions))


def _answers_case(facts: GateFacts) -> Case:
    return Case(
        name="answers",
        classname="evenhand.gate",
        outcome="passed" if facts.answered else "failure",
        message=_answers_text(facts),
    )


def _answers_text(facts: GateFacts) -> str:
    return (
        f"{percent(facts.unanswered)} of {facts.counts.planned:,} presentations have no answer; at most "
        f"{percent(facts.max_failures)} may be"
    )


def _case(decision: GateDecision, facts: GateFacts) -> Case:
    return Case(
        name=decision.requirement.text,
        classname=f"evenhand.gate.{figure_place(decision.figure)}",
        outcome=_outcome(decision, facts),
        message=decision_text(decision),
    )


def _outcome(decision: GateDecision, facts: GateFacts) -> CaseOutcome:
    match decision.standing:
        case "kept":
            return "passed"
        case "broken":
            return "failure"
        case "not measured":
            return "error"
        case "undecided":
            return "skipped" if facts.allow_undecided else "failure"
        case _:
            assert_never(decision.standing)


def gate_annotations(decisions: Sequence[GateDecision], facts: GateFacts) -> Iterator[Annotation]:
    """Errors for what stops the run, warnings for what is let through with doubt, a notice for what passes."""
    if not facts.answered:
        yield Annotation(level="error", title="evenhand gate: answers", message=_answers_text(facts))
    passed = 0
    for decision in decisions:
        if decision.standing == "kept":
            passed += 1
            if decision.thin is None:
                continue
        allowed = decision.standing == "kept" or (decision.standing == "undecided" and facts.allow_undecided)
        yield Annotation(
            level="warning" if allowed else "error",
            title=f"evenhand gate: {decision.requirement.text}",
            message=decision_text(decision),
        )
    if passed:
        yield Annotation(
            level="notice", title="evenhand gate", message=f"{passed} of {len(decisions)} requirements pass"
        )
