from __future__ import annotations

from dataclasses import replace

import pytest

from evenhand.analysis import Finding, Measure
from evenhand.records import Readout
from evenhand.report.studies.bias_claims import TOLERANCE, ClaimState, claims_of, run_names
from evenhand.stats import Estimate
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


def test_a_share_around_one_half_is_measured_from_there() -> None:
    near = finding("late", estimate(0.5, 0.46, 0.54), p_values(0.9, adjusted=1.0), audit="recency", measure="late_rate")
    far = replace(near, measures=(Measure(name="late_rate", estimate=estimate(0.01, 0.0, 0.03)),))
    assert (state(near), state(far)) == ("within", "undecided")
    assert [claim.strength for claim in claims_of(result(near, far))] == pytest.approx([0.0, 0.49])


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
