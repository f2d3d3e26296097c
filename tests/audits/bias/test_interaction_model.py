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
    informative_pairs,
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
        pairs=3000,
        spread=2.0,
        ties=0.05,
        missing=0.05,
    )
    fit = fit_interactions(made, sampler(3000))
    assert isinstance(fit, Regression)
    assert tuple(planted) == (*MAIN, *INTERACTIONS)
    for measure in interaction_measures(fit):
        assert isinstance(measure.estimate, Estimate)
        assert measure.estimate.value == pytest.approx(planted[measure.name], abs=0.25), measure.name
        error = fit.term(measure.name).standard_error
        assert abs(measure.estimate.value - planted[measure.name]) < 4 * error
    [test] = joint_test(fit)
    assert test.log10_p < -10


def test_exchanging_the_names_changes_nothing() -> None:
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
    assert second.coefficients == pytest.approx(first.coefficients)
    assert np.sqrt(np.diag(second.covariance)) == pytest.approx(np.sqrt(np.diag(first.covariance)))
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
    assert isinstance(fit, Regression)
    theirs = sm.Logit(y.astype(float), sm.add_constant(x)).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": pair // 2}, use_t=True
    )
    wald = theirs.wald_test(np.eye(10)[4:], use_f=True, scalar=True)
    [test] = joint_test(fit)
    clusters, q = 60, 6
    assert test.statistic == pytest.approx(wald.statistic * (clusters - q) / (clusters - 1), rel=1e-6)
    assert test.n == clusters


def test_with_two_presentations_a_pair_it_is_the_conditional_likelihood() -> None:
    """Where a pair has two presentations only, the composite likelihood is the conditional one: statsmodels has it."""
    from statsmodels.discrete.conditional_models import ConditionalLogit

    rng = np.random.default_rng(11)
    made = simulated(rng, lambda s, le, e: 0.5 * s + 0.4 * le + 0.6 * e + 0.3 * le * e**2, pairs=1500, spread=1.5)
    order = rng.random((1500, 18)).argsort(axis=1)
    made = replace(made, verdict=(order < 2).reshape(1500, 3, 3, 2))
    fit = fit_interactions(made, sampler(1500))
    assert isinstance(fit, Regression)
    pair, i, j, o = np.nonzero(made.verdict)
    s, le, e = (1 - 2 * o).astype(float), i - 1.0, j - 1.0
    x = np.column_stack([s, le, e, s * le**2, s * e**2, le * e**2, e * le**2, s * le * e, s * le**2 * e**2])
    y = (made.stood[pair, i, j, o] > 0).astype(float)
    mixed = np.isin(np.bincount(pair, weights=y), [1.0])[pair]  # the others carry no information, of which it warns
    theirs = ConditionalLogit(y[mixed], x[mixed], groups=pair[mixed])
    # Their search ends near the top; at ours their likelihood is higher and their gradient 0.
    found = theirs.fit(disp=0).params
    assert fit.coefficients == pytest.approx(found, abs=2e-3)
    assert theirs.loglike(fit.coefficients) >= theirs.loglike(found)
    assert np.abs(theirs.score(fit.coefficients)).max() < 1e-4
    assert fit.n == informative_pairs(made)


def test_pairs_that_differ_much_show_no_interaction_of_biases_that_add_up() -> None:
    """A third of the pairs are close, the others clear. A model of shares over all pairs sees interactions there."""
    rng = np.random.default_rng(5)
    parts = [simulated(rng, lambda s, le, e, q=q: q + 1.5 * (s + le + e), pairs=600, spread=0.5) for q in (-5, 0, 5)]
    made = replace(
        parts[0],
        pairs=np.arange(1800),
        verdict=np.concatenate([part.verdict for part in parts]),
        stood=np.concatenate([part.stood for part in parts]),
        log_odds=np.concatenate([part.log_odds for part in parts]),
    )
    fit = fit_interactions(made, sampler(1800))
    assert isinstance(fit, Regression)
    assert joint_test(fit)[0].p_value > 0.01
    errors = np.array([term.standard_error for term in fit.terms[:3]])
    assert (np.abs(fit.coefficients[:3] - 1.5) < 4 * errors).all()
    assert errors.max() < 0.15
    pair, i, j, o = np.nonzero(made.verdict)
    s, le, e = (1 - 2 * o).astype(float), i - 1.0, j - 1.0
    x = np.column_stack([s, le, e, s * le**2, s * e**2, le * e**2, e * le**2, s * le * e, s * le**2 * e**2])
    shares = logit(made.stood[pair, i, j, o] > 0, x, pair, names=(*MAIN, *INTERACTIONS))
    assert joint_test(shares)[0].p_value < 1e-4


def test_pairs_decided_alike_everywhere_say_nothing() -> None:
    made = simulated(np.random.default_rng(1), lambda s, le, e: 0.5 * (s + le + e), pairs=60)
    stood = np.concatenate([made.stood, np.ones((40, 3, 3, 2), dtype=np.int8)])
    verdict = np.concatenate([made.verdict, np.ones((40, 3, 3, 2), dtype=np.bool_)])
    more = replace(made, pairs=np.arange(100), stood=stood, verdict=verdict, log_odds=np.zeros(stood.shape))
    assert informative_pairs(more) == informative_pairs(made) <= 60
    ours, theirs = fit_interactions(more, sampler(100)), fit_interactions(made, sampler(100))
    assert isinstance(ours, Regression)
    assert isinstance(theirs, Regression)
    assert ours.coefficients == pytest.approx(theirs.coefficients)
    assert ours.clusters == theirs.clusters


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
