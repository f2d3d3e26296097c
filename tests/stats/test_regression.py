import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats.regression import FEWEST_DF, NO_CLUSTER_DIFFERS, ONE_CLUSTER, Regression, logit, ols
from stats.regression_data import NAMES, SIZES, binary, clustered


def agrees_with_statsmodels(ours, theirs):
    assert ours.coefficients == pytest.approx(theirs.params, rel=1e-8, abs=1e-8)
    assert ours.covariance == pytest.approx(theirs.cov_params(), rel=1e-8, abs=1e-10)
    assert [t.test.p_value for t in ours.terms] == pytest.approx(theirs.pvalues, rel=1e-7, abs=1e-12)
    limits = [[t.estimate.interval.low, t.estimate.interval.high] for t in ours.terms]
    assert np.array(limits) == pytest.approx(theirs.conf_int(), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("shape", SIZES)
def test_cr1_least_squares_agrees_with_statsmodels(shape):
    y, x, clusters = clustered(SIZES[shape])
    ours = ols(y, x, clusters, names=NAMES, errors="CR1")
    fit = sm.OLS(y, sm.add_constant(x)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
    agrees_with_statsmodels(ours, fit)


@pytest.mark.parametrize("shape", SIZES)
def test_cr1_logistic_agrees_with_statsmodels(shape):
    y, x, clusters = binary(SIZES[shape])
    ours = logit(y, x, clusters, names=NAMES, errors="CR1")
    how = {"cov_type": "cluster", "cov_kwds": {"groups": clusters}, "use_t": True}
    fit = sm.Logit(y, sm.add_constant(x)).fit(disp=0, tol=1e-13, maxiter=100, warn_convergence=False, **how)
    agrees_with_statsmodels(ours, fit)


@given(
    scale=st.floats(0.01, 100).map(lambda s: round(s, 3)),
    shift=st.integers(-500, 500),
    times=st.floats(-20, 20).filter(lambda t: abs(t) > 0.05),
)
@settings(deadline=None, max_examples=30)
def test_units_of_a_column_change_its_coefficient_and_nothing_else(scale, shift, times):
    y, x, clusters = clustered(SIZES["few"])
    before = ols(y, x, clusters, names=NAMES)
    moved = x.copy()
    moved[:, 0] = scale * x[:, 0] + shift
    after = ols(times * y + 7, moved, clusters, names=NAMES)
    assert after.term("quality").estimate.value == pytest.approx(
        times / scale * before.term("quality").estimate.value, rel=1e-7
    )
    for name in NAMES:
        assert after.term(name).test.p_value == pytest.approx(before.term(name).test.p_value, rel=1e-6)
        assert after.term(name).df == pytest.approx(before.term(name).df, rel=1e-6)


@pytest.mark.parametrize("fit", [ols, logit])
def test_few_degrees_of_freedom_stand_beside_the_estimate_and_the_test(fit):
    # Set in 3 of 20 clusters: about 2 degrees of freedom. The other column varies within all of them.
    rng = np.random.default_rng(11)
    clusters = np.repeat(np.arange(20), 10)
    x = np.column_stack([clusters < 3, rng.normal(size=200)]).astype(float)
    y = (rng.random(200) < 0.5).astype(float)
    made = fit(y, x, clusters, names=["few", "many"])
    few, many = made.term("few"), made.term("many")
    assert few.df < FEWEST_DF < many.df
    assert few.test.caveat == f"{few.df:.1f} degrees of freedom: few clusters inform few"
    assert few.test.caveat in few.estimate.flags
    assert many.test.caveat is None
    assert "(CR2)" in made.method


@pytest.mark.parametrize("unit", [1e-100, 1e-30, 1e30, 1e100])
def test_units_however_small_or_large(unit):
    y, x, clusters = clustered(SIZES["few"])
    before = ols(y, x, clusters, names=NAMES).term("quality")
    x[:, 0] *= unit
    after = ols(y, x, clusters, names=NAMES).term("quality")
    assert after.df == pytest.approx(before.df)
    assert after.test.p_value == pytest.approx(before.test.p_value)


@pytest.mark.parametrize("fit", [ols, logit])
def test_order_of_rows_and_names_of_clusters_do_not_matter(fit):
    y, x, clusters = binary(SIZES["unbalanced"])
    order = np.random.default_rng(3).permutation(len(y))
    one = fit(y, x, clusters, names=NAMES)
    other = fit(y[order], x[order], [f"c{c}" for c in clusters[order]], names=NAMES)
    assert other.covariance == pytest.approx(one.covariance, rel=1e-7)
    assert other.coefficients == pytest.approx(one.coefficients, rel=1e-8)


@pytest.mark.parametrize("errors", ["CR1", "CR2"])
@pytest.mark.parametrize("fit", [ols, logit])
def test_rows_repeated_within_their_clusters_add_no_certainty(fit, errors):
    y, x, clusters = binary(SIZES["balanced"])
    one = fit(y, x, clusters, names=NAMES, errors=errors)
    twice = fit(np.tile(y, 2), np.tile(x, (2, 1)), np.tile(clusters, 2), names=NAMES, errors=errors)
    assert twice.coefficients == pytest.approx(one.coefficients, rel=1e-8)
    n, k = len(y), 4
    cr1 = (2 * n - 1) / (2 * n - k) / ((n - 1) / (n - k))
    assert twice.covariance == pytest.approx(one.covariance * (cr1 if errors == "CR1" else 1), rel=1e-8)


def test_a_term_in_one_cluster_has_no_interval_and_says_so():
    y, x, clusters = clustered(SIZES["balanced"])
    x[:, 2] = clusters == 3
    for errors in ("CR1", "CR2"):
        term = ols(y, x, clusters, names=NAMES, errors=errors).term("slot")
        assert term.estimate.interval is None
        assert ONE_CLUSTER in term.estimate.flags
        assert term.test.p_value == 1.0


def test_slots_that_cancel_in_every_cluster_are_not_tested():
    verdict = np.repeat(np.random.default_rng(0).integers(0, 2, 50), 2)
    slot = np.tile([0.5, -0.5], 50)
    term = ols(verdict, slot, np.arange(100) // 2, names=["slot"]).term("slot")
    assert (term.estimate.value, term.estimate.interval) == (0.0, None)
    assert NO_CLUSTER_DIFFERS in term.estimate.flags
    always_first = ols(slot > 0, slot, np.arange(100) // 2, names=["slot"]).term("slot")
    assert always_first.estimate.value == pytest.approx(1.0)
    assert always_first.estimate.interval is None


def test_few_clusters_are_flagged_and_many_are_not():
    fit = ols(*clustered(SIZES["few"]), names=NAMES)
    assert isinstance(fit, Regression)
    assert fit.flags == ("fewer than 30 clusters (9)",)
    assert fit.flags[0] in fit.term("quality").estimate.flags
    assert ols(*clustered(SIZES["balanced"]), names=NAMES).term("quality").estimate.flags == ()


def test_a_p_value_that_underflows_keeps_its_logarithm():
    x = np.random.default_rng(0).normal(size=3000)
    y = x + 1e-2 * np.random.default_rng(1).normal(size=3000)
    test = ols(y, x, range(3000), names=["x"], errors="CR1").term("x").test
    assert test.p_value == 0.0
    # One decade of t is about df decades of p.
    half = ols(y, x, range(3000), names=["x"], errors="CR1", intercept=False).term("x").test
    assert test.log10_p == pytest.approx(half.log10_p, rel=0.01)
    assert -8000 < test.log10_p < -4000


def test_a_callers_mistake_is_an_error():
    with pytest.raises(StatisticsError, match=r"y\[1\] is nan"):
        ols([1.0, np.nan, 2.0], [1, 2, 3], [0, 1, 2], names=["x"])
    with pytest.raises(StatisticsError, match="one column for each of the 2 names"):
        ols([1.0, 2.0], [1, 2], [0, 1], names=["x", "z"])
    with pytest.raises(StatisticsError, match="must be 0 or 1"):
        logit([0.5, 1.0], [1, 2], [0, 1], names=["x"])
    with pytest.raises(StatisticsError, match="distinct names"):
        ols([1.0, 2.0], [[1, 2], [3, 4]], [0, 1], names=["x", "x"])
    with pytest.raises(StatisticsError, match="no term 'y'"):
        ols(*clustered(SIZES["few"]), names=NAMES).term("y")
