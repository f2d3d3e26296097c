from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.analysis import Finding, Measure
from evenhand.audits.bias.verbosity import NOT_ONLY_LENGTH
from evenhand.records import Readout
from evenhand.report.studies.bias_claims import TOLERANCE, ClaimState, claims_of, run_names
from evenhand.stats import Estimate, Refusal
from report.studies.bias_examples import (
    DESCRIBED,
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


def state(one: Finding, **more: float) -> ClaimState:
    [claim] = claims_of(result(one), **more)
    return claim.state


@pytest.mark.parametrize(
    ("one", "expected"),
    [(SHOWN, "shown"), (WITHIN, "within"), (OPEN, "undecided"), (LACKING, "no data"), (DESCRIBED, "described")],
)
def test_each_finding_comes_to_one_state(one: Finding, expected: ClaimState) -> None:
    assert state(one) == expected


def test_the_adjusted_test_decides_not_the_raw_one() -> None:
    unadjusted = finding("x", estimate(0.1, 0.02, 0.18), p_values(0.01, adjusted=0.07))
    assert state(unadjusted) == "undecided"
    assert state(finding("x", estimate(0.1, 0.02, 0.18), p_values(0.01, n=5))) == "undecided"


def test_a_small_effect_is_within_the_tolerance_however_sure_it_is() -> None:
    small = finding("x", estimate(0.02, 0.01, 0.03), p_values(1e-9, adjusted=1e-8))
    assert state(small) == "within"
    assert state(small, tolerance=0.02) == "shown"


@pytest.mark.parametrize(("low", "high", "expected"), [(-0.05, 0.05, "within"), (-0.0501, 0.02, "undecided")])
def test_the_whole_interval_must_lie_within(low: float, high: float, expected: ClaimState) -> None:
    assert TOLERANCE == 0.05
    assert state(finding("x", estimate(0.0, low, high), p_values(0.9, adjusted=1.0))) == expected


def test_an_interval_that_is_not_there_decides_nothing() -> None:
    assert state(finding("x", Estimate(value=0.0, interval=None, n=9))) == "undecided"


def late(net: Estimate, accuracy: Estimate | Refusal, *, adjusted: float = 1.0) -> Finding:
    """The share of the late side is 1/2 + net shift / 2: its interval is half as wide as that of the net shift."""
    low, high = (0.5 + bound / 2 for bound in (net.interval.low, net.interval.high))  # type: ignore[union-attr]
    return finding(
        "late:A against late:B",
        estimate(0.5 + net.value / 2, low, high),
        p_values(0.04, adjusted=adjusted),
        audit="recency",
        measure="late_rate",
        more=(Measure(name="net_shift", estimate=net), Measure(name="control_accuracy", estimate=accuracy)),
    )


def test_recency_is_judged_by_the_net_shift_with_the_tolerance_of_every_other_change() -> None:
    sharp = estimate(0.9, 0.85, 0.95)
    [claim] = claims_of(result(late(estimate(0.02, -0.05, 0.09), sharp)))
    # Between .475 and .545 the share lies within .05 of one half, and the net shift does not lie within .05 of 0.
    assert (claim.measure, claim.unit, claim.state) == ("net_shift", "difference", "undecided")
    assert claim.strength == 0.02
    assert state(late(estimate(0.01, -0.03, 0.05), sharp)) == "within"
    assert state(late(estimate(0.2, 0.1, 0.3), sharp, adjusted=0.01)) == "shown"


@pytest.mark.parametrize(
    ("accuracy", "expected"),
    [
        (estimate(0.66, 0.60, 0.72), "within"),
        (estimate(0.65, 0.59, 0.71), "undecided"),
        (estimate(0.54, 0.52, 0.56), "undecided"),
        (Estimate(value=0.9, interval=None, n=9), "undecided"),
        (Refusal(reason="no gold"), "undecided"),
    ],
)
def test_a_judge_that_hardly_tells_better_from_worse_rules_no_recency_out(
    accuracy: Estimate | Refusal, expected: ClaimState
) -> None:
    """One that looks at the last turn alone has a net shift of 2 (accuracy - 1/2)."""
    assert state(late(estimate(0.01, -0.03, 0.05), accuracy)) == expected
    assert state(late(estimate(0.08, 0.03, 0.13), accuracy, adjusted=0.01)) == "shown"


def test_a_wide_tolerance_wants_a_more_accurate_judge() -> None:
    found = late(estimate(0.0, -0.1, 0.1), estimate(0.7, 0.65, 0.75))
    # At .65 a judge of the last turn alone has a net shift of .3.
    assert state(found, tolerance=0.15) == "within"
    assert state(found, tolerance=0.2) == "undecided"


def test_one_target_alone_comes_to_nothing_however_large_its_figure() -> None:
    alone = finding(
        "register=informal",
        Refusal(reason="has none for both targets"),
        audit="register",
        more=(Measure(name="net_shift_any_target", estimate=estimate(-0.3, -0.4, -0.2)),),
    )
    [claim] = claims_of(result(alone))
    assert (claim.measure, claim.state) == ("net_shift", "no data")


def test_an_interaction_is_judged_by_what_exceeds_the_sum() -> None:
    joint = finding(
        "order x length",
        estimate(0.4, 0.3, 0.5),
        p_values(0.9, adjusted=1.0),
        audit="interaction",
        measure="joint_shift",
        more=(Measure(name="excess_shift", estimate=estimate(0.0, -0.01, 0.01)),),
    )
    [claim] = claims_of(result(joint))
    assert (claim.measure, claim.state) == ("excess_shift", "within")


def test_a_coefficient_has_no_tolerance() -> None:
    flat = finding("x", estimate(0.01, -0.02, 0.04), p_values(0.4, adjusted=0.8), measure="logit_slot")
    assert state(flat) == "undecided"


def test_a_hybrid_that_was_not_adjusted_follows_from_its_readouts() -> None:
    hybrid = replace(SHOWN, readout=Readout.HYBRID)
    assert state(replace(hybrid, tests=hybrid.tests[:1])) == "derived"
    assert state(hybrid) == "shown"


def test_several_controls_are_told_apart() -> None:
    [claim] = claims_of(result(SHOWN), conditions=["p, A/B", "p, X/Y"])
    assert claim.subset == "endorsement=user (p, A/B)"
    [alone] = claims_of(result(SHOWN), conditions=["p, A/B"])
    assert alone.subset == "endorsement=user"


def test_a_finding_without_figures_gives_its_notes_as_the_reason() -> None:
    [claim] = claims_of(result(replace(LACKING, measures=(), notes=("Nothing there.",))))
    assert claim.state == "no data"
    assert claim.effect.reason == "Nothing there."  # type: ignore[union-attr]


def test_runs_are_told_apart_by_their_judges() -> None:
    assert run_names([run_of()]) == ("",)
    assert run_names([run_of(model="a"), run_of(model="b")]) == ("a", "b")
    assert run_names([run_of(model="a"), run_of(model="a")]) == ("a", "a (2)")
    assert run_names([run_of(model="a", name="a (x)"), run_of(model="a", name="a (y)")]) == ("a (x)", "a (y)")


def padded(effect: Estimate | Refusal, adjusted: float) -> Finding:
    return finding("padding=redundant", effect, p_values(adjusted / 2, adjusted=adjusted), audit="verbosity")


def length(value: float = 0.08, *, notes: tuple[str, ...] = (NOT_ONLY_LENGTH,)) -> Finding:
    effect = estimate(value, value - 0.03, value + 0.03)
    tests = p_values(1e-4, adjusted=1e-3)
    return finding("length", effect, tests, audit="verbosity", measure="length_effect", notes=notes)


POSITIVE, NEGATIVE = estimate(0.1, 0.04, 0.16), estimate(-0.1, -0.16, -0.04)


@pytest.mark.parametrize(
    ("others", "expected", "said"),
    [
        ((), "undecided", "no padding was compared"),
        ((padded(Refusal(reason="no"), 1.0),), "undecided", "no padding was compared"),
        ((padded(estimate(0.01, -0.09, 0.11), 0.9),), "undecided", "padding isn't shown"),
        ((padded(NEGATIVE, 1e-3),), "undecided", "padding isn't shown"),
        ((padded(POSITIVE, 1e-3),), "shown", ""),
    ],
)
def test_a_judge_is_not_called_verbose_for_length_alone(
    others: tuple[Finding, ...], expected: ClaimState, said: str
) -> None:
    claim = claims_of(result(length(), *others))[0]
    assert claim.state == expected
    assert said in claim.finding.notes[0]
    assert claim.finding.notes[-1] == NOT_ONLY_LENGTH


def test_rated_quality_needs_no_padding() -> None:
    assert state(length(notes=())) == "shown"
