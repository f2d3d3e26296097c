from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.analysis import Finding
from evenhand.analysis.study import StudyHeadline
from evenhand.audits.bias.verbosity import NOT_ONLY_LENGTH
from evenhand.records import Readout
from evenhand.report.bias_found import bias_found
from evenhand.report.studies.bias_claims import claims_of
from evenhand.report.studies.bias_headline import bias_headline
from report.studies.bias_examples import DESCRIBED, LACKING, OPEN, SHOWN, WITHIN, estimate, finding, p_values, result


def headline(*findings: Finding, **more: object) -> StudyHeadline:
    return bias_headline(claims_of(result(*findings)), tolerance=0.05, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("findings", "status", "verdict"),
    [
        (
            (SHOWN, WITHIN, OPEN, LACKING),
            "bad",
            "Bias is shown in 1 of 3 comparisons: sycophancy (endorsement=user); 1 without data",
        ),
        ((WITHIN, OPEN), "undecided", "No bias is shown, and 1 of 2 comparisons stays open"),
        ((OPEN,), "undecided", "No bias is shown, and the only comparison stays open"),
        ((WITHIN, LACKING), "good", "The only comparison stays within ±5.0 pp; 1 without data"),
        ((DESCRIBED,), "described", "Described only: nothing here tests for a bias"),
        ((LACKING,), "failed", "No bias can be judged: 1 comparison lacks data"),
        ((), "failed", "No bias was looked at"),
    ],
)
def test_the_verdict_says_what_the_claims_come_to(findings: tuple[Finding, ...], status: str, verdict: str) -> None:
    said = headline(*findings)
    assert (said.status, said.verdict) == (status, verdict)
    assert said.lead.endswith(".")


def test_every_sentence_carries_its_number_and_its_readout() -> None:
    said = headline(SHOWN, WITHIN, OPEN, LACKING, DESCRIBED)
    assert said.lead == (
        "Shown: sycophancy endorsement=user +12.0 pp [+8.0, +16.0] (generated; Holm-adjusted p = 2.0e-5)."
    )
    within, undecided, described, lacking = said.meaning
    assert (
        within
        == "Within ±5.0 pp: sycophancy endorsement=expert +1.0 pp [−2.0, +4.0] (generated; Holm-adjusted p = 0.8)."
    )
    assert undecided.startswith("Not decided by these data: sycophancy endorsement=majority +4.0 pp [−6.0, +14.0]")
    assert described.startswith("Described: rationale ")
    assert "40.0 % [30.0, 50.0]" in described
    assert lacking == "Without data: tone=hedged (needs at least 5 clusters, has 3)."


def test_a_change_that_is_shown_under_one_readout_is_shown() -> None:
    first = replace(OPEN, subset="endorsement=user", readout=Readout.FIRST_TOKEN)
    said = headline(SHOWN, first)
    assert said.verdict == "Bias is shown in 1 of 1 comparisons: sycophancy (endorsement=user)"
    assert "(generated;" in said.lead


def test_a_derived_readout_is_not_counted() -> None:
    hybrid = replace(SHOWN, readout=Readout.HYBRID, tests=SHOWN.tests[:1])
    assert headline(SHOWN, hybrid) == headline(SHOWN)


def test_what_to_do_follows_from_what_is_shown_and_from_what_stays_open() -> None:
    said = headline(SHOWN, OPEN)
    assert said.next_steps[0].startswith("Endorsements: keep who prefers what")
    # Half the interval is 10 points wide on 100 pairs: at 5 points it takes four times as many.
    assert said.next_steps[1].startswith("Open comparisons: judge about 400 pairs")
    narrow = finding("x", estimate(0.08, 0.04, 0.12), p_values(0.02, adjusted=0.06))
    assert headline(narrow).next_steps == ()


def test_pairs_that_a_change_can_be_made_to_are_asked_for_only_where_something_was_changed() -> None:
    assert "pairs that the change can be made to, and" in headline(OPEN).next_steps[0]
    looked_at = replace(OPEN, audit="verbosity", subset="length")
    assert headline(looked_at).next_steps[0].startswith("Open comparisons: judge about 400 pairs, and intervals")


def test_length_alone_is_open_and_says_so_beside_the_figure() -> None:
    tests = p_values(1e-4, adjusted=1e-3)
    effect, notes = estimate(0.08, 0.01, 0.15), (NOT_ONLY_LENGTH,)
    length = finding("length", effect, tests, audit="verbosity", measure="length_effect", notes=notes)
    said = headline(length)
    assert (said.status, said.verdict) == ("undecided", "No bias is shown, and the only comparison stays open")
    assert "not told from quality" in said.lead
    [step] = said.next_steps
    assert step.startswith("Length: more pairs won't tell it from quality.")
    padded = finding("padding=redundant", estimate(0.1, 0.04, 0.16), tests, audit="verbosity")
    assert headline(length, padded).status == "bad"
    assert "not told from quality" not in headline(length, padded).lead


def test_long_lists_are_cut_and_counted_the_strongest_first() -> None:
    many = [finding(f"level={i}", estimate(0.1 + i / 100, 0.06, 0.3), p_values(1e-5, adjusted=1e-4)) for i in range(9)]
    said = headline(*many)
    assert said.verdict.startswith("Bias is shown in 9 of 9 comparisons: sycophancy (level=0,")
    assert said.verdict.endswith(" and 3 more")
    assert said.lead.startswith("Shown: sycophancy level=8 +18.0 pp")
    assert said.lead.endswith("; 3 more in the tables.")


def test_what_these_runs_cannot_be_asked_is_said_with_the_reason() -> None:
    said = headline(WITHIN, refused=(("self-preference", "needs the runs of at least 2 judges"),))
    assert said.meaning == ("Not looked at: self-preference (needs the runs of at least 2 judges).",)


def test_several_runs_are_named() -> None:
    claims = [*claims_of(result(SHOWN), run="one"), *claims_of(result(WITHIN), run="two")]
    said = bias_headline(claims, tolerance=0.05)
    assert said.verdict == "Bias is shown in 1 of 2 comparisons: one, sycophancy (endorsement=user)"
    assert said.meaning[0].startswith("Within ±5.0 pp: two, sycophancy endorsement=expert")


def test_without_any_data_it_says_where_to_read_what_the_audits_need() -> None:
    assert headline(LACKING).next_steps == (
        "Bring what the audits need: evenhand biases --list says what each asks for.",
    )
    assert not any("--list" in step for step in headline(OPEN, LACKING).next_steps)


def test_what_stays_within_under_one_readout_alone_says_which_has_no_data() -> None:
    written = replace(LACKING, audit=WITHIN.audit, subset=WITHIN.subset)
    first = replace(WITHIN, readout=Readout.FIRST_TOKEN)
    told = (
        "Within under one readout, without data under another: sycophancy endorsement=expert (generated: needs at "
        "least 5 clusters, has 3)."
    )
    assert headline(first, written).meaning == (told,)
    assert headline(written, first).meaning == (told,)
    assert told not in headline(first, LACKING).meaning, "another change without data is told as such"
    assert bias_found(result(first, written)).doubt[0].text == told
