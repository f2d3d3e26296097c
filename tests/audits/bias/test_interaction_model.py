"""The logistic model of the factorial: planted coefficients come back, and exchanging names changes nothing."""

from dataclasses import replace

import numpy as np
import pytest

from audits.bias.factorials import simulated
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.interaction_model import (
    INTERACTIONS,
    MAIN,
    fit_interactions,
    interaction_measures,
    joint_test,
)
from evenhand.stats import Estimate, Refusal
from evenhand.stats.regression import Regression, logit


def sampler(pairs: int, per_group: int = 1) -> Sampler:
    return Sampler(clusters=np.arange(pairs) // per_group, seed=1, resamples=200, level=0.95)


def test_planted_coefficients_come_back() -> None:
    planted = {
        "logit_slot": 0.5,
        "logit_length": 0.4,
        "logit_endorsement": 0.7,
        "logit_slot_given_length": -0.3,
        "logit_slot_given_endorsement": 0.25,
        "logit_length_given_endorsement": 0.35,
        "logit_endorsement_given_length": -0.4,
        "logit_three_way": 0.2,
        "logit_slot_given_both": 0.3,
    }
    b = list(planted.values())
    made = simulated(
        np.random.default_rng(3),
        lambda s, le, e: (
            0.3
            + b[0] * s
            + b[1] * le
            + b[2] * e
            + b[3] * s * le**2
            + b[4] * s * e**2
            + b[5] * le * e**2
            + b[6] * e * le**2
            + b[7] * s * le * e
            + b[8] * s * le**2 * e**2
        ),
        pairs=6000,
        spread=0.0,
        ties=0.05,
        missing=0.05,
    )
    fit = fit_interactions(made, sampler(6000))
    assert isinstance(fit, Regression)
    assert tuple(planted) == (*MAIN, *INTERACTIONS)
    for measure in interaction_measures(fit):
        assert isinstance(measure.estimate, Estimate)
        assert measure.estimate.value == pytest.approx(planted[measure.name], abs=0.15), measure.name
        error = fit.term(measure.name).standard_error
        assert abs(measure.estimate.value - planted[measure.name]) < 4 * error
    [test] = joint_test(fit)
    assert test.log10_p < -10


def test_exchanging_the_names_turns_only_the_intercept() -> None:
    made = simulated(np.random.default_rng(1), lambda s, le, e: 0.4 + 0.5 * s + 0.4 * le * e**2 + 0.3 * e, pairs=200)
    other = replace(
        made,
        stood=-made.stood[:, ::-1, ::-1, ::-1],
        verdict=made.verdict[:, ::-1, ::-1, ::-1],
        log_odds=-made.log_odds[:, ::-1, ::-1, ::-1],
    )
    first, second = (fit_interactions(each, sampler(200)) for each in (made, other))
    assert isinstance(first, Regression)
    assert isinstance(second, Regression)
    assert second.coefficients[0] == pytest.approx(-first.coefficients[0])
    assert second.coefficients[1:] == pytest.approx(first.coefficients[1:])
    assert joint_test(second)[0].p_value == pytest.approx(joint_test(first)[0].p_value)


def test_the_joint_test_is_statsmodels_wald_test_scaled() -> None:
    import statsmodels.api as sm

    made = simulated(
        np.random.default_rng(8), lambda s, le, e: 0.2 * s + 0.3 * le * e**2 + 0.0 * e, pairs=120, per_group=2
    )
    pair, i, j, order = np.nonzero(made.verdict & (made.stood != 0))
    s, le, e = (1 - 2 * order).astype(float), i - 1.0, j - 1.0
    x = np.column_stack([s, le, e, s * le**2, s * e**2, le * e**2, e * le**2, s * le * e, s * le**2 * e**2])
    y = made.stood[pair, i, j, order] > 0
    fit = logit(y, x, pair // 2, names=(*MAIN, *INTERACTIONS), errors="CR1")
    ours = fit_interactions(made, sampler(120, 2))
    assert isinstance(fit, Regression)
    assert isinstance(ours, Regression)
    assert ours.coefficients == pytest.approx(fit.coefficients)
    theirs = sm.Logit(y.astype(float), sm.add_constant(x)).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": pair // 2}, use_t=True
    )
    wald = theirs.wald_test(np.eye(10)[4:], use_f=True, scalar=True)
    [test] = joint_test(fit)
    clusters, q = 60, 6
    assert test.statistic == pytest.approx(wald.statistic * (clusters - q) / (clusters - 1), rel=1e-6)
    assert test.n == clusters


def test_a_separated_design_is_refused_and_not_tested() -> None:
    made = simulated(np.random.default_rng(1), lambda s, le, e: 100.0 * s + 0 * le + 0 * e, pairs=50)
    fit = fit_interactions(made, sampler(50))
    assert isinstance(fit, Refusal)
    assert joint_test(fit) == ()
    assert all(measure.estimate is fit for measure in interaction_measures(fit))


def test_without_decided_verdicts_it_is_refused() -> None:
    made = simulated(np.random.default_rng(1), lambda s, le, e: s + le + e, pairs=20, ties=1.0)
    fit = fit_interactions(made, sampler(20))
    assert isinstance(fit, Refusal)
    assert "has none" in fit.reason


def test_few_clusters_have_no_joint_test() -> None:
    made = simulated(np.random.default_rng(1), lambda s, le, e: 0.1 * (s + le + e), pairs=240, per_group=20, spread=0.0)
    fit = fit_interactions(made, sampler(240, 20))
    assert isinstance(fit, Regression)
    assert fit.clusters == 12
    assert joint_test(fit) == ()
