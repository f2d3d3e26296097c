import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats import PredictionPowered, Refusal, cluster_mean, cluster_rate, ppi_mean, ppi_ratio


@pytest.fixture(scope="module")
def ppi_py():
    """The reference; its import warns of its own dependencies' futures, which is none of our business."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("ppi_py")


def data(seed, n=60, total=300):
    rng = np.random.default_rng(seed)
    cheap = rng.normal(size=total)
    return cheap + rng.normal(size=total), cheap, np.arange(total) < n


@st.composite
def rates(draw):
    """A rate with clusters, strata and a cheap value that is worth something, little or nothing."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    total = draw(st.integers(60, 200))
    cheap = rng.random(total) < 0.4
    flip = np.where(rng.random(total) < draw(st.sampled_from([0.0, 0.1, 1.0])), rng.random(total) < 0.4, cheap)
    decided = rng.random(total) < 0.9
    labelled = rng.random(total) < draw(st.sampled_from([0.3, 0.6]))
    labelled[:16] = True
    strata = np.where(np.arange(total) % 2, "a", "b")
    clusters = np.concatenate([np.arange(12), rng.integers(0, 60, total - 12)])
    return (flip & decided).astype(float), decided.astype(float), cheap, labelled, strata, clusters


def powered(sample, **options):
    top, bottom, cheap, labelled, strata, clusters = sample
    result = ppi_ratio(
        top[labelled],
        bottom[labelled],
        labelled=labelled,
        covariates=cheap,
        strata=strata,
        clusters=clusters,
        **options,
    )
    assert isinstance(result, PredictionPowered), result
    return result


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weight", [0.0, 0.3, 1.0])
def test_point_estimate_is_that_of_ppi_py(ppi_py, seed, weight):
    # ppi_py compares the labelled with the unlabelled, we with all units, from which they differ by that share less.
    y, cheap, labelled = data(seed)
    reference = ppi_py.ppi_mean_pointestimate(y[labelled], cheap[labelled], cheap[~labelled], lam=weight)
    ours = ppi_mean(y[labelled], labelled=labelled, covariates=cheap, coefficient=weight / (1 - labelled.mean()))
    assert ours.estimate.value == pytest.approx(float(np.squeeze(reference)), abs=1e-9)


@pytest.mark.parametrize("weight", [0.0, 0.8])
def test_interval_is_that_of_ppi_py_but_for_degrees_of_freedom(ppi_py, weight):
    # ppi_py centres each part by its own mean, divides by n and takes z: the same up to terms in 1 / n.
    y, cheap, labelled = data(7, n=2_000, total=10_000)
    low, high = (
        float(np.squeeze(limit))
        for limit in ppi_py.ppi_mean_ci(y[labelled], cheap[labelled], cheap[~labelled], alpha=0.05, lam=weight)
    )
    coefficient = weight / (1 - labelled.mean())
    ours = ppi_mean(y[labelled], labelled=labelled, covariates=cheap, coefficient=coefficient, prior_units=0)
    assert ours.estimate.interval.high - ours.estimate.interval.low == pytest.approx(high - low, rel=5e-3)
    assert ours.estimate.interval.low == pytest.approx(low, abs=1e-3)


def test_estimated_coefficient_is_close_to_ppi_py_s_power_tuning(ppi_py):
    y, cheap, labelled = data(3, n=2_000, total=10_000)
    reference = ppi_py.ppi_mean_pointestimate(y[labelled], cheap[labelled], cheap[~labelled])
    ours = ppi_mean(y[labelled], labelled=labelled, covariates=cheap)
    assert ours.estimate.value == pytest.approx(float(np.squeeze(reference)), abs=2e-3)
    assert ours.strata[0].coefficients[0] == pytest.approx(1.0, abs=0.05)


@given(sample=rates())
@settings(deadline=None, max_examples=40)
def test_everything_labelled_is_the_plain_rate(sample):
    top, bottom, cheap, labelled, strata, clusters = sample
    full = powered((top, bottom, cheap, np.ones_like(labelled), strata, clusters))
    plain = cluster_rate(top, bottom, clusters, rng=np.random.default_rng(0))
    assert full.estimate == full.classical == plain
    assert full.effective_labels == pytest.approx(full.units)
    assert full.units == full.labelled


def test_everything_labelled_is_the_plain_mean():
    y, cheap, _ = data(1)
    clusters = np.arange(300) // 2
    full = ppi_mean(y, labelled=np.ones(300), covariates=cheap, clusters=clusters)
    assert full.estimate == cluster_mean(y, clusters, rng=np.random.default_rng(0))


@given(sample=rates(), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=30)
def test_order_of_units_does_not_matter(sample, seed):
    shuffle = np.random.default_rng(seed).permutation(len(sample[0]))
    one, other = powered(sample), powered([column[shuffle] for column in sample])
    assert other.estimate.value == pytest.approx(one.estimate.value, abs=1e-12)
    assert other.estimate.interval.low == pytest.approx(one.estimate.interval.low, abs=1e-9)
    assert other.effective_labels == pytest.approx(one.effective_labels)


@given(sample=rates())
@settings(deadline=None, max_examples=40)
def test_interval_is_open_holds_the_estimate_and_stays_in_the_unit(sample):
    result = powered(sample)
    for estimate in (result.estimate, result.classical):
        assert 0 <= estimate.interval.low <= estimate.value <= estimate.interval.high <= 1
        assert estimate.interval.high - estimate.interval.low > 0.02


@given(sample=rates())
@settings(deadline=None, max_examples=30)
def test_coefficient_zero_is_the_classical_estimate(sample):
    result = powered(sample, coefficient=0.0)
    assert result.estimate.value == result.classical.value
    assert result.standard_error == result.classical_standard_error


@given(sample=rates())
@settings(deadline=None, max_examples=30)
def test_a_constant_covariate_changes_nothing(sample):
    top, bottom, cheap, *rest = sample
    result = powered((top, bottom, np.ones_like(cheap), *rest))
    assert result.estimate.value == pytest.approx(result.classical.value, abs=1e-12)


def test_the_classical_estimate_weighs_strata_by_their_units():
    # 10 of 90 labelled in a, all flips; 10 of 10 in b, none.
    strata = np.array(["a"] * 90 + ["b"] * 10)
    labelled = np.r_[np.ones(10), np.zeros(80), np.ones(10)]
    labels = np.r_[np.ones(10), np.zeros(10)]
    result = ppi_ratio(labels, None, labelled=labelled, covariates=np.zeros(100), strata=strata)
    assert result.classical.value == pytest.approx(0.9)
    assert [(s.name, s.units, s.labelled) for s in result.strata] == [("a", 90, 10), ("b", 10, 10)]


def test_a_missing_verdict_leaves_both_sums():
    labelled = np.arange(100) < 20
    decided = np.r_[np.ones(10), np.zeros(10)]
    flips = np.r_[np.ones(5), np.zeros(15)]
    result = ppi_ratio(flips, decided, labelled=labelled, covariates=np.zeros(100))
    assert result.classical.value == 0.5
    assert result.estimate.n == 10
    assert result.estimate.clusters == 10


def test_a_true_covariate_narrows_and_is_counted():
    rng = np.random.default_rng(2)
    flips = rng.random(1000) < 0.3
    labelled = np.arange(1000) < 100
    result = ppi_ratio(flips[labelled], None, labelled=labelled, covariates=flips)
    assert abs(result.estimate.value - flips.mean()) < 0.01
    assert result.effective_labels > 400
    assert result.standard_error < 0.6 * result.classical_standard_error


def test_a_useless_covariate_costs_little():
    rng = np.random.default_rng(3)
    flips = rng.random(1000) < 0.3
    labelled = np.arange(1000) < 100
    result = ppi_ratio(flips[labelled], None, labelled=labelled, covariates=rng.random(1000))
    assert 85 < result.effective_labels < 110
    assert abs(result.estimate.value - result.classical.value) < 0.02


@pytest.mark.parametrize("label", [0.0, 1.0])
def test_labels_all_alike_get_an_exact_interval(label):
    labelled = np.arange(200) < 20
    result = ppi_ratio(np.full(20, label), None, labelled=labelled, covariates=np.arange(200) % 2)
    assert result.estimate.value == label
    assert "Clopper–Pearson" in result.estimate.interval.method
    assert result.estimate.interval.high - result.estimate.interval.low > 0.1
    assert result.effective_labels == 20


def test_a_mean_without_variation_has_no_interval_and_says_so():
    result = ppi_mean(np.ones(20), labelled=np.arange(200) < 20, covariates=np.arange(200))
    assert result.estimate.interval is None
    assert "all labels are alike: no interval" in result.estimate.flags


def test_clusters_that_agree_widen_the_interval():
    rng = np.random.default_rng(4)
    clusters = np.arange(400) // 4
    flips = (rng.random(100) < 0.4)[clusters]
    labelled = rng.random(400) < 0.5
    options = {"labelled": labelled, "covariates": rng.random(400)}
    together = ppi_ratio(flips[labelled], None, clusters=clusters, **options)
    apart = ppi_ratio(flips[labelled], None, **options)
    assert together.standard_error > 1.3 * apart.standard_error


@pytest.mark.parametrize(("level", "units"), [(0.95, 3.8415), (0.8, 1.6424)])
def test_as_many_pseudo_units_as_wilson_adds_at_the_level(level, units):
    cheap = np.arange(300) % 5 == 0
    labelled = np.arange(300) < 40
    found = ppi_ratio(cheap[labelled], None, labelled=labelled, covariates=cheap, level=level)
    told = ppi_ratio(cheap[labelled], None, labelled=labelled, covariates=cheap, level=level, prior_units=units)
    # Texts that all agree with the first token: what is left of the variance is that of the pseudo-units.
    assert found.standard_error == pytest.approx(told.standard_error, rel=1e-4)
    without = ppi_ratio(cheap[labelled], None, labelled=labelled, covariates=cheap, level=level, prior_units=0)
    assert without.standard_error < 0.9 * found.standard_error


def test_refusals():
    few = ppi_ratio([1, 0, 0, 1], None, labelled=np.arange(50) < 4, covariates=np.zeros(50))
    assert isinstance(few, Refusal)
    assert few.reason == "needs at least 5 clusters with a label, has 4"
    strata = np.where(np.arange(50) < 40, "a", "b")
    unseen = ppi_ratio(np.ones(10), None, labelled=np.arange(50) < 10, covariates=np.zeros(50), strata=strata)
    assert isinstance(unseen, Refusal)
    assert unseen.reason.startswith("stratum 'b' has 10 units and no label")
    nothing = ppi_ratio(np.zeros(9), np.zeros(9), labelled=np.arange(50) < 9, covariates=np.zeros(50))
    assert isinstance(nothing, Refusal)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"numerator": [2.0] * 10}, "between 0 and its denominator"),
        ({"numerator": [1.0] * 9, "denominator": [1.0] * 9}, "10 units are labelled, 9 labels are given"),
        ({"covariates": np.zeros(49)}, "differ in length"),
        ({"covariates": np.full(50, np.nan)}, r"covariates\[:, 0\]\[0\] is nan"),
        ({"covariates": np.zeros((50, 1, 1))}, "one or two dimensions"),
        ({"labelled": np.arange(50)}, "labelled must be 0 or 1"),
        ({"level": 1.0}, "level"),
    ],
)
def test_wrong_arrays_are_refused(change, message):
    arguments = {
        "numerator": np.ones(10),
        "denominator": np.ones(10),
        "labelled": np.arange(50) < 10,
        "covariates": np.zeros(50),
    }
    with pytest.raises(StatisticsError, match=message):
        ppi_ratio(**{**arguments, **change})
