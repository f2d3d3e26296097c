"""The calibration error by hand, its interval's parts, and what is refused. Coverage: tests/simulation."""

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.stats import Estimate, Refusal, clopper_pearson, cluster_mean, reliability_curve, wilson
from evenhand.stats.calibration_error import UPWARD, binned_calibration_error, calibration_gap


def error(p, y, bins, clusters=None, **options):
    clusters = np.arange(len(p)) if clusters is None else clusters
    return binned_calibration_error(p, y, bins, clusters, rng=np.random.default_rng(0), **options)


def test_by_hand():
    found = error([0.6, 0.6, 0.9, 0.9, 0.9, 0.9], [1, 0, 1, 1, 0, 0], [0, 0, 1, 1, 1, 1])
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx((2 * 0.1 + 4 * 0.4) / 6)
    assert UPWARD in found.flags
    assert found.flags[0].startswith("fewer than 30 clusters")


def test_same_as_the_reliability_curve_of_the_same_bins():
    rng = np.random.default_rng(1)
    p = rng.random(500)
    y = rng.random(500) < p**2
    bins = np.searchsorted(np.linspace(0, 1, 11)[1:-1], p)
    assert error(p, y, bins).value == pytest.approx(reliability_curve(p, y).expected_calibration_error)


def test_one_row_a_cluster_is_the_same_whichever_way_it_is_summed():
    rng = np.random.default_rng(2)
    p = rng.uniform(0.5, 1, 300)
    y, bins = rng.random(300) < p - 0.1, (p > 0.7).astype(int)
    alone = error(p, y, bins)
    # One pair of rows in one cluster: the path over clusters, and next to no other data.
    joined = error(p, y, bins, np.minimum(np.arange(300), 298))
    assert alone.interval.high == pytest.approx(joined.interval.high, rel=0.03)
    assert (alone.clusters, joined.clusters) == (300, 299)


def test_repeating_every_row_in_its_cluster_adds_nothing():
    rng = np.random.default_rng(3)
    p = rng.uniform(0.5, 1, 100)
    y, bins = rng.random(100) < p, (p > 0.75).astype(int)
    once = error(p, y, bins)
    thrice = error(np.tile(p, 3), np.tile(y, 3), np.tile(bins, 3), np.tile(np.arange(100), 3))
    assert thrice.value == pytest.approx(once.value)
    width = [e.interval.high - e.value for e in (once, thrice)]
    # Nothing but what Wilson's pseudo-observations weigh among three times as many rows.
    assert 0.93 * width[0] < width[1] < 1.01 * width[0]


def test_the_interval_stays_between_0_and_1_and_has_a_width():
    calibrated = error([0.5] * 40, [0, 1] * 20, [0] * 40)
    assert calibrated.value == 0.0
    assert calibrated.interval.low == 0.0
    assert calibrated.interval.high > 0.1
    assert error([1.0] * 39 + [0.9], [0] * 39 + [1], [0] * 40).interval.high <= 1.0


def test_a_gap_that_never_varies_still_has_a_width():
    certain = error([1.0] * 10, [1] * 10, [0] * 10)
    assert certain.value == 0.0
    assert 0.05 < certain.interval.high < 0.4


def test_what_is_refused_and_what_is_wrong():
    few = error([0.5] * 8, [1] * 8, [0] * 8, [0, 0, 1, 1, 2, 2, 3, 3])
    assert few == Refusal(reason="needs at least 5 clusters, has 4", n=8)
    assert isinstance(error([], [], []), Refusal)
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        error([1.5], [1], [0])
    with pytest.raises(StatisticsError, match="whole numbers"):
        error([0.5], [1], [-1])


def test_the_gap_of_independent_pairs_is_wilsons_interval_moved():
    right = np.arange(100) < 80
    found = calibration_gap(np.full(100, 0.9), right, range(100))
    assert isinstance(found, Estimate)
    assert found.value == pytest.approx(0.1)
    assert found.interval is not None
    # Student's quantile at 99 degrees of freedom and CR1 make it a little wider.
    own = wilson(80, 100)
    assert 0.9 - own.high - 0.003 < found.interval.low < 0.9 - own.high
    assert 0.9 - own.low < found.interval.high < 0.9 - own.low + 0.003


@pytest.mark.parametrize("right", [True, False])
def test_a_sure_judge_that_is_always_right_has_no_sure_gap(right):
    p, clusters = np.linspace(0.98, 0.999, 60), np.arange(60) // 6
    plain = cluster_mean(p - right, clusters, rng=np.random.default_rng(0))
    found = calibration_gap(p, np.full(60, right), clusters)
    exact = clopper_pearson(10 if right else 0, 10)
    assert found.value == pytest.approx(p.mean() - right)
    assert found.interval.low == pytest.approx(p.mean() - exact.high)
    assert found.interval.high == pytest.approx(p.mean() - exact.low)
    assert plain.interval.high - plain.interval.low < 0.02 < 0.3 < found.interval.high - found.interval.low


def test_a_gap_needs_clusters_and_probabilities():
    assert calibration_gap([0.5] * 4, [True] * 4, range(4)) == Refusal(reason="needs at least 5 clusters, has 4", n=4)
    assert isinstance(calibration_gap([], [], []), Refusal)
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        calibration_gap([1.1] * 5, [True] * 5, range(5))
