import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from evenhand.errors import StatisticsError
from evenhand.stats import mcnemar, sign_flip_test

RNG = np.random.default_rng(1)
small = st.lists(st.integers(-4, 4), min_size=2, max_size=9)


def p_of(differences, clusters=None, **options):
    clusters = range(len(differences)) if clusters is None else clusters
    return sign_flip_test(differences, clusters, rng=np.random.default_rng(0), **options).p_value


def by_scipy(sums):
    """All assignments of signs, by SciPy. With one sample its test of paired data flips signs."""
    result = permutation_test((np.asarray(sums, float),), np.sum, permutation_type="samples", n_resamples=np.inf)
    return result.pvalue


@given(small)
@settings(deadline=None, max_examples=60)
def test_whole_numbers_agree_with_scipy(sums):
    assert p_of(sums) == pytest.approx(by_scipy(sums), rel=1e-12)


@given(small)
@settings(deadline=None, max_examples=30)
def test_other_numbers_agree_with_scipy(sums):
    # Quarters, which floating point holds exactly: with tenths SciPy takes 0.2 + 0.3 - 0.2 - 0.3 for more than 0.
    quarters = np.asarray(sums) * 0.25
    assert p_of(quarters) == pytest.approx(by_scipy(quarters), rel=1e-12)


def test_rounding_makes_no_difference():
    assert p_of(np.asarray([2, 3, -2, -3]) * 0.1) == p_of([2, 3, -2, -3]) == 1.0


@pytest.mark.parametrize(("b", "c"), [(0, 1), (5, 5), (8, 2), (405, 15), (0, 60)])
def test_one_difference_in_each_cluster_is_mcnemars_test(b, c):
    result = sign_flip_test([1] * b + [-1] * c + [0] * 50, range(b + c + 50), rng=RNG)
    exact = mcnemar(b, c)
    assert result.p_value == pytest.approx(exact.p_value, rel=1e-11)
    assert result.log10_p == pytest.approx(exact.log10_p, rel=1e-12)
    assert (result.n, result.statistic) == (b + c, b - c)


def test_the_logarithm_survives_underflow():
    result = sign_flip_test([1] * 1200, range(1200), rng=RNG)
    assert result.p_value == 0.0
    assert result.log10_p == pytest.approx(-1199 * math.log10(2), rel=1e-13)


def test_rows_of_a_cluster_count_together():
    # Four clusters that all say the same: 2 of 16 assignments are as far out, however many rows there are.
    assert p_of([1] * 40, [0, 1, 2, 3] * 10) == pytest.approx(2 / 16)
    assert p_of([1, -1, 1, -1], ["a", "a", "b", "b"]) == 1.0  # every cluster sums to 0


def test_nothing_to_tell_is_no_evidence():
    result = sign_flip_test([0, 0, 0], [1, 2, 3], rng=RNG)
    assert (result.p_value, result.n, result.caveat) == (1.0, 0, None)
    assert p_of([]) == 1.0


def test_few_clusters_carry_a_caveat():
    result = sign_flip_test([1, 1, 1, 1, 1], range(5), rng=RNG)
    assert result.p_value == pytest.approx(0.0625)
    assert result.caveat == "only 5 clusters differ: p can't be below 0.062"
    assert sign_flip_test([1] * 6, range(6), rng=RNG).caveat is None


def test_draws_where_the_distribution_cannot_be_counted():
    values = np.linspace(-0.5, 1.0, 40)
    drawn = sign_flip_test(values, range(40), rng=np.random.default_rng(3), resamples=19_999)
    assert drawn.name.endswith("19,999 draws")
    # In hundredths of 1.5 / 39 the same values are whole numbers, which are counted.
    whole = np.rint(values * 78).astype(int)
    counted = p_of(whole)
    assert np.allclose(whole / 78, values)
    assert 0.001 < counted < 0.1
    assert drawn.p_value == pytest.approx(counted, abs=4 * math.sqrt(counted / 20_000))
    again = sign_flip_test(values, range(40), rng=np.random.default_rng(3), resamples=19_999)
    assert again == drawn


def test_draws_never_give_zero():
    assert p_of(np.full(200, 0.3), resamples=999) == pytest.approx(1 / 1000)


def test_very_many_clusters_are_drawn_and_not_counted():
    result = sign_flip_test(np.ones(6_000), range(6_000), rng=RNG, resamples=100)
    assert result.name.endswith("100 draws")


@pytest.mark.parametrize(
    ("differences", "clusters", "message"),
    [([1, math.nan], [1, 2], "is nan"), ([1, 2], [1], "differ in length")],
)
def test_wrong_arrays_are_refused(differences, clusters, message):
    with pytest.raises(StatisticsError, match=message):
        p_of(differences, clusters)


def test_it_holds_its_level_for_clustered_data():
    """Clusters of five rows that lean together: a test that takes rows for independent rejects far too often."""
    rng = np.random.default_rng(20261130)
    runs, clusters = 1500, np.repeat(np.arange(30), 5)
    by_cluster = by_row = 0
    for _ in range(runs):
        lean = np.repeat(rng.normal(0, 1.5, 30), 5)
        rows = np.where(rng.random(150) < 1 / (1 + np.exp(-lean)), 1, -1)
        by_cluster += sign_flip_test(rows, clusters, rng=rng).p_value < 0.05
        by_row += sign_flip_test(rows, range(150), rng=rng).p_value < 0.05
    assert 0.03 <= by_cluster / runs <= 0.055
    assert by_row / runs > 0.15
