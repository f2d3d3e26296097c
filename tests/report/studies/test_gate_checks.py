from dataclasses import replace

import pytest

from evenhand.audits.drift.bounds import Standing
from evenhand.audits.drift.coverage import Coverage
from evenhand.report.studies.gate_checks import decision_text, gate_annotations, gate_cases
from evenhand.store import PlanCounts
from report.studies.test_gate import decision, facts

ALL: tuple[Standing, ...] = ("kept", "broken", "undecided", "not measured")


def test_a_decision_in_one_line() -> None:
    assert decision_text(decision("kept")) == "pass: 14.0 % [10.0, 20.0] (c, generated)"
    assert decision_text(decision("undecided")).endswith("; about 900 pairs would decide")
    assert decision_text(decision("not measured")) == "not measured: the run doesn't measure it"


@pytest.mark.parametrize(("allowed", "undecided"), [(False, "failure"), (True, "skipped")])
def test_cases(allowed: bool, undecided: str) -> None:
    cases = gate_cases([decision(each) for each in ALL], facts(allow_undecided=allowed))
    assert [case.outcome for case in cases] == ["passed", "passed", "failure", undecided, "error"]
    assert cases[1].name == "flip_rate<=0.15"
    assert cases[1].classname == "evenhand.gate.c, generated"


def test_too_few_answers_are_a_case_of_their_own() -> None:
    counts = PlanCounts(planned=120, finished=60, errors=60)
    (case,) = gate_cases([], facts(answered=False, unanswered=0.5, counts=counts))
    assert (case.name, case.outcome) == ("answers", "failure")
    assert case.message == "50.0 % of 120 presentations have no answer; at most 5.0 % may be"


@pytest.mark.parametrize(("allowed", "level"), [(False, "error"), (True, "warning")])
def test_annotations(allowed: bool, level: str) -> None:
    made = list(gate_annotations([decision(each) for each in ALL], facts(allow_undecided=allowed, answered=False)))
    assert [each.level for each in made] == ["error", "error", level, "error", "notice"]
    assert made[0].title == "evenhand gate: answers"
    assert made[-1].message == "1 of 4 requirements pass"


def test_a_pass_of_fewer_than_half_warns() -> None:
    kept = decision("kept")
    assert kept.figure is not None
    thin = replace(kept, figure=replace(kept.figure, coverage=Coverage(entered=6, asked=60, of="pairs")))
    assert decision_text(thin).endswith("; rests on 6 of 60 pairs (10.0 %), fewer than half of what was asked")
    made = list(gate_annotations([thin, kept], facts()))
    assert [each.level for each in made] == ["warning", "notice"]
    assert made[-1].message == "2 of 2 requirements pass"
