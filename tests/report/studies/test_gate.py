from dataclasses import replace

import pytest

from evenhand.analysis import FindingKind
from evenhand.analysis.study import Study
from evenhand.audits.drift.bounds import Standing
from evenhand.audits.drift.coverage import Coverage
from evenhand.audits.drift.gates import Figure, GateDecision
from evenhand.audits.drift.requirements import parse_requirement
from evenhand.records import DataIdentity, JudgeIdentity, Readout, RunManifest
from evenhand.report.studies.gate import GateFacts, figure_place, gate_study
from evenhand.stats import Estimate, Interval, Refusal
from evenhand.store import PlanCounts
from report.studies.tied import anchors_of

RATE = Estimate(value=0.14, interval=Interval(low=0.1, high=0.2), n=200)


def decision(standing: Standing, text: str = "flip_rate<=.15", estimate: Estimate | Refusal = RATE) -> GateDecision:
    figure = Figure(
        measure="flip_rate",
        estimate=estimate,
        condition="c",
        readout=Readout.GENERATED,
        kind=FindingKind.READOUT,
        pairs=200,
    )
    return GateDecision(
        requirement=parse_requirement(text),
        figure=None if standing == "not measured" else figure,
        standing=standing,
        why="the run doesn't measure it" if standing == "not measured" else "",
        pairs_needed=900 if standing == "undecided" else None,
    )


def facts(**more: object) -> GateFacts:
    made: dict[str, object] = {
        "manifest": RunManifest(
            kind="live",
            judge=JudgeIdentity(spec="openai:m", model="m"),
            data=DataIdentity(spec="starter", pairs=60, sha256="a" * 64),
            conditions=(),
            readouts=("generated",),
        ),
        "place": "runs/r",
        "counts": PlanCounts(planned=120, finished=120),
        "answered": True,
        "unanswered": 0.0,
        "max_failures": 0.05,
        "outcome": "pass",
        "allow_undecided": False,
        "level": 0.95,
        "resampled_by": "question group",
    }
    return GateFacts(**{**made, **more})  # type: ignore[arg-type]


def cells(study: Study, table: str, column: str) -> list[object]:
    found = study.table(table)
    assert found is not None
    place = [each.name for each in found.columns].index(column)
    return [row[place] for row in found.rows]


def test_a_passed_gate_is_good() -> None:
    study = gate_study([decision("kept")], facts())
    assert (study.kind, study.headline.status) == ("gate", "good")
    assert study.headline.verdict == "Gate passed (1 pass)"
    assert cells(study, "requirements", "decision") == ["pass"]
    assert cells(study, "requirements", "value") == [RATE]


@pytest.mark.parametrize(
    ("standing", "outcome", "status", "verdict"),
    [
        ("broken", "fail", "bad", "Gate failed (1 pass, 1 fail)"),
        ("undecided", "undecided", "undecided", "Gate undecided: the data are too few to tell (1 pass, 1 undecided)"),
        ("not measured", "fail", "bad", "Gate failed (1 pass, 1 not measured)"),
    ],
)
def test_anything_else_is_said_first(standing: Standing, outcome: str, status: str, verdict: str) -> None:
    study = gate_study([decision("kept"), decision(standing)], facts(outcome=outcome))
    assert (study.headline.status, study.headline.verdict) == (status, verdict)


def test_undecided_says_how_many_pairs_would_decide() -> None:
    study = gate_study([decision("undecided")], facts(outcome="undecided"))
    assert study.headline.next_steps == (
        "flip_rate<=0.15 (c, generated): about 900 pairs would decide with a chance of 80 %, if the figure stays where "
        "it is; 200 entered.",
    )
    assert cells(study, "requirements", "pairs_needed") == [900]


def test_failed_calls_and_nothing_measured_are_failures_of_the_run() -> None:
    counts = PlanCounts(planned=120, finished=60, errors=60)
    study = gate_study([decision("kept")], facts(answered=False, unanswered=0.5, counts=counts, outcome="fail"))
    assert study.headline.status == "failed"
    assert study.headline.verdict.startswith("Gate failed: 50.0 % of the presentations have no answer")
    assert cells(study, "answers", "count") == [120, 60, 60, 0]
    nothing = gate_study([decision("not measured")], facts(outcome="fail"))
    assert nothing.headline.verdict.startswith("Gate failed: nothing was measured")
    assert cells(nothing, "requirements", "value") == [Refusal(reason="the run doesn't measure it", n=0)]


def test_a_figure_s_place_names_what_a_bias_audit_changed() -> None:
    figure = Figure(
        measure="net_shift", estimate=RATE, condition="c", readout=Readout.GENERATED, audit="tone", subset="assertive"
    )
    assert figure_place(figure) == "c, generated, tone, assertive"
    assert figure_place(None) == "—"


def test_fails_of_several_figures_are_said_to_be_adjusted() -> None:
    several = " ".join(gate_study([decision("kept"), decision("broken"), decision("not measured")], facts()).notes)
    assert "fails are decided on intervals of level 0.975, for 2 figures (Bonferroni)" in several
    assert "Bonferroni" not in " ".join(gate_study([decision("broken")], facts()).notes)


def test_position_bias_is_printed_as_the_audit_does() -> None:
    made = gate_study([decision("kept"), decision("kept", "|position_bias_strength|<=.4")], facts())
    table = made.table("requirements")
    assert table is not None
    assert table.row_units == ("share", "number")


def test_a_figure_of_fewer_than_half_is_named_with_its_share() -> None:
    thin = Coverage(entered=6, asked=60, of="pairs")
    kept = decision("kept")
    assert kept.figure is not None
    kept = replace(kept, figure=replace(kept.figure, coverage=thin))
    passed = gate_study([kept], facts())
    assert passed.headline.verdict == "Gate passed (1 pass); a figure rests on 10.0 % of what was asked"
    assert any("rests on 6 of 60 pairs (10.0 %), fewer than half" in text for text in passed.headline.meaning)
    assert cells(passed, "requirements", "rests_on") == ["6 of 60 pairs"]
    withheld = replace(kept, standing="undecided", withheld=True)
    study = gate_study([withheld], facts(outcome="undecided"))
    assert study.headline.status == "undecided"
    assert study.headline.verdict == "Gate undecided: a figure rests on 10.0 % of what was asked (1 undecided)"
    assert any("--min-verdict-rate" in step for step in study.headline.next_steps)


def test_every_sentence_rests_on_the_requirements_or_on_the_answers() -> None:
    kept, open_ = decision("kept"), decision("undecided")
    study = gate_study([kept, open_], facts(outcome="undecided"))
    assert len(anchors_of(study)) > 1
    assert set(anchors_of(study).values()) == {"table-requirements"}
    unanswered = anchors_of(gate_study([kept], facts(answered=False, unanswered=0.5, outcome="fail")))
    assert set(unanswered.values()) == {"table-answers"}


@pytest.mark.parametrize(("errors", "said"), [(60, "; see its journal for the errors."), (0, "again.")])
def test_the_journal_is_named_only_where_it_has_errors(errors, said):
    counts = PlanCounts(planned=120, finished=60, errors=errors)
    study = gate_study([decision("kept")], facts(answered=False, unanswered=0.5, counts=counts, outcome="fail"))
    assert study.headline.next_steps[0].endswith(said)
