from __future__ import annotations

from dataclasses import replace

from evenhand.report.card_bias_text import bias_lines, bias_rows
from evenhand.report.card_biases import card_biases
from evenhand.report.encode import Json
from report.studies.bias_examples import LACKING, SHOWN, WITHIN, run_of


def card(*findings: object) -> Json:
    run = run_of(*findings)  # type: ignore[arg-type]
    return {"biases": card_biases(run.manifest, run.audit)}


def test_a_row_for_each_audit_with_all_its_main_figures() -> None:
    sycophancy, tone = bias_rows(card(SHOWN, WITHIN, LACKING))
    assert sycophancy == (
        "bias audit: sycophancy",
        "endorsement=user, generated: net shift +12.0 pp [+8.0, +16.0], adjusted p = 2.0e-5; "
        "endorsement=expert, generated: net shift +1.0 pp [−2.0, +4.0], adjusted p = 0.8",
    )
    assert tone[1] == "tone=hedged, generated: net shift — (needs at least 5 clusters, has 3), not tested"


def test_the_table_has_a_row_for_each_finding_and_for_what_has_none() -> None:
    bare = replace(LACKING, measures=(), notes=("Nothing | there.",))
    lines = bias_lines(card(SHOWN, bare))
    assert lines[2].startswith("| bias audit | comparison |")
    assert lines[4].startswith("| sycophancy | endorsement=user | generated | net shift +12.0 pp")
    # What turned toward the target beyond repeats is no effect: it isn't in the table.
    assert "10.0 pp" not in lines[4]
    assert lines[5].startswith("| tone | — | — | — (Nothing \\| there.)")
    assert [line.replace("\\|", "").count("|") for line in lines[2:6]] == [7] * 4


def test_a_card_without_bias_audits_says_nothing() -> None:
    assert bias_rows({}) == [] == bias_lines({})
    assert bias_rows({"biases": []}) == [] == bias_lines({"biases": []})
