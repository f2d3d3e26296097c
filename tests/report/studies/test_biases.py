from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.analysis import Finding
from evenhand.analysis.study import Forest
from evenhand.records import Readout, VariantsIdentity
from evenhand.report.studies.biases import bias_study
from evenhand.report.study.json_report import study_json, validate_study_json
from evenhand.report.study.write import write_study
from evenhand.store import PlanCounts
from report.studies.bias_examples import (
    LACKING,
    OPEN,
    SHOWN,
    WITHIN,
    estimate,
    finding,
    p_values,
    result,
    run_of,
)
from report.studies.tied import anchors_of

NOTED = replace(SHOWN, notes=("3 of 400 presentations had no verdict.",))


def test_a_study_of_one_run_names_its_judge_once(tmp_path: Path) -> None:
    study = bias_study([run_of(SHOWN, WITHIN, OPEN, LACKING)])
    assert (study.kind, study.title) == ("biases", "judge-1")
    assert study.subtitle == "Bias audits · 100 pairs of starter · 900 of 900 presentations answered"
    assert [table.id for table in study.tables] == ["comparisons", "sycophancy", "tone", "left-out"]
    facts = dict(study.facts)
    assert facts["changed conditions"] == "4"
    assert facts["conditions"] == "p, A/B"
    assert facts["repeated pairs"] == "50"
    validate_study_json(study_json(study))
    written = write_study(tmp_path, study)
    assert written.html.name == "biases.html"
    assert [path.name for path in written.figures] == ["biases-effects.svg"]


def test_the_forest_has_every_effect_with_a_figure_and_no_derived_one() -> None:
    hybrid = replace(SHOWN, readout=Readout.HYBRID, tests=SHOWN.tests[:1])
    model = finding("x", estimate(0.3, 0.1, 0.5), p_values(0.01), audit="interaction", measure="logit_slot")
    effects, coefficients = bias_study([run_of(SHOWN, hybrid, LACKING, model)]).figures
    assert isinstance(effects, Forest)
    assert isinstance(coefficients, Forest)
    assert [(row.group, row.label) for row in effects.rows] == [("sycophancy", "endorsement=user, generated")]
    assert [row.group for row in coefficients.rows] == ["interaction"]
    assert effects.reference == 0.0


@pytest.mark.parametrize(
    ("findings", "beginning"),
    [
        ((NOTED, WITHIN), "sycophancy, endorsement=user, generated: "),
        ((NOTED, replace(WITHIN, notes=NOTED.notes)), "sycophancy: "),
        ((NOTED, replace(WITHIN, notes=NOTED.notes), OPEN), "sycophancy (2 of 3 comparisons): "),
    ],
)
def test_a_note_says_whose_it_is_and_stands_once(findings: tuple[Finding, ...], beginning: str) -> None:
    notes = bias_study([run_of(*findings)]).notes
    assert [note for note in notes if "no verdict" in note] == [f"{beginning}3 of 400 presentations had no verdict."]
    assert "Intervals resample by question group (50 of them)." in notes


def test_runs_of_several_judges_and_what_they_show_together() -> None:
    across = result(finding("judge-1", estimate(0.2, 0.1, 0.3), p_values(1e-4, adjusted=2e-4), audit="self-preference"))
    runs = [run_of(SHOWN, model="judge-1"), run_of(WITHIN, model="judge-2")]
    study = bias_study(runs, across=across)
    assert study.title == "judge-1; judge-2"
    assert study.subtitle == "Bias audits of 2 runs"
    assert study.headline.verdict.startswith(
        "Bias is shown in 2 of 3 comparisons: judge-1, sycophancy (endorsement=user), self-preference (judge-1)"
    )
    assert {row[1] for row in study.tables[0].rows} == {"judge-1", "judge-2", "all"}
    assert "judge-2: judge" in dict(study.facts)


def test_nothing_is_ruled_out_while_answers_are_missing() -> None:
    counts = PlanCounts(planned=900, finished=650, errors=50, pending=200)
    study = bias_study([run_of(WITHIN, counts=counts)])
    assert study.headline.status == "undecided"
    assert study.headline.meaning[0] == "250 of 900 presentations have no answer yet; the figures are of the others."
    assert bias_study([run_of(SHOWN, counts=counts)]).headline.status == "bad"
    assert bias_study([run_of(WITHIN)]).headline.status == "good"


def test_rewrites_are_disclosed() -> None:
    run = run_of(SHOWN)
    variants = VariantsIdentity(spec="mine.csv", rewrites=7, sha256="e" * 64)
    study = bias_study([replace(run, manifest=replace(run.manifest, variants=variants))])
    assert dict(study.facts)["variants"] == f"mine.csv, 7 rewrites, sha256:{'e' * 64}"


def test_what_cannot_be_asked_is_refused_aloud() -> None:
    study = bias_study([run_of(WITHIN)], refused=(("self-preference", "has 1 run"),))
    assert study.headline.meaning[-1] == "Not looked at: self-preference (has 1 run)."
    with pytest.raises(ValueError, match="at least one run"):
        bias_study([])


def test_every_sentence_rests_on_the_comparisons_or_on_the_run() -> None:
    run = run_of(SHOWN, WITHIN, OPEN, LACKING)
    half = replace(run, counts=PlanCounts(planned=900, finished=650, errors=0, pending=250))
    study = bias_study([half], refused=[("self-preference", "has 1 run")])
    found = anchors_of(study)
    of_the_run = (study.headline.meaning[0], "Not looked at: self-preference (has 1 run).")
    assert [found[text] for text in of_the_run] == ["reproduce", "reproduce"]
    assert ("answered", "650 of 900 presentations") in study.facts
    assert {anchor for text, anchor in found.items() if text not in of_the_run} == {"table-comparisons"}
