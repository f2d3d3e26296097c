"""The bootstrap of sums against the rate's own bootstrap and a plain loop; what it refuses."""

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.stats import Estimate, Refusal, bootstrap_of_sums, cluster_rate

RNG = np.random.default_rng(4)
GROUPS = np.repeat(np.arange(40), RNG.integers(1, 5, 40))
TOP = RNG.random(len(GROUPS)) < 0.4
ONES = np.ones(len(GROUPS))


def ratio(sums):
    return sums[:, 0] / sums[:, 1]


def test_a_rate_is_the_rates_own_bootstrap():
    # Same draws, one column more: the resampled sums agree in distribution; the seeds need not.
    rate = cluster_rate(TOP, None, GROUPS, rng=np.random.default_rng(1), method="percentile", resamples=20_000)
    own = bootstrap_of_sums([TOP, ONES], GROUPS, ratio, rng=np.random.default_rng(2), resamples=20_000)
    assert own.value == rate.value
    assert own.interval.low == pytest.approx(rate.interval.low, abs=0.008)
    assert own.interval.high == pytest.approx(rate.interval.high, abs=0.008)
    assert own.interval.method == rate.interval.method


def test_against_a_plain_loop_on_a_figure_that_is_no_ratio():
    def figure(sums):
        return np.abs(sums[:, 0] / sums[:, 1] - 0.5)

    found = bootstrap_of_sums([TOP, ONES], GROUPS, figure, rng=np.random.default_rng(2), resamples=10_000)
    rng = np.random.default_rng(3)
    replicates = []
    for _ in range(10_000):
        rows = np.concatenate([np.flatnonzero(g == GROUPS) for g in rng.integers(0, 40, 40)])
        replicates.append(abs(TOP[rows].mean() - 0.5))
    low, high = np.quantile(replicates, [0.025, 0.975])
    assert found.interval.low == pytest.approx(low, abs=0.01)
    assert found.interval.high == pytest.approx(high, abs=0.01)


def test_clusters_without_anything_count():
    top = np.where(GROUPS < 20, 0.0, 1.0)
    found = bootstrap_of_sums([top, ONES], GROUPS, ratio, rng=np.random.default_rng(0))
    assert found.clusters == 40


def test_refusals():
    def undefined(sums):
        return np.full(len(sums), np.nan)

    def sometimes(sums):
        return np.where(sums[:, 0] > TOP.sum(), np.nan, sums[:, 0])

    rng = np.random.default_rng(0)
    few = bootstrap_of_sums([[1, 2]], [0, 1], lambda s: s[:, 0], rng=rng)
    assert few == Refusal(reason="needs at least 5 clusters, has 2", n=2)
    assert "undefined for these data" in bootstrap_of_sums([TOP], GROUPS, undefined, rng=rng).reason
    assert "of the resamples" in bootstrap_of_sums([TOP], GROUPS, sometimes, rng=rng).reason


def test_a_few_undefined_resamples_are_flagged_and_no_spread_gives_no_interval():
    def rarely(sums):
        return np.where(sums[:, 0] > np.quantile(sums[:, 0], 0.97), np.nan, sums[:, 0]) if len(sums) > 1 else sums[:, 0]

    found = bootstrap_of_sums([TOP], GROUPS, rarely, rng=np.random.default_rng(0))
    assert isinstance(found, Estimate)
    assert any("left out" in flag for flag in found.flags)
    flat = bootstrap_of_sums([ONES, ONES], GROUPS, ratio, rng=np.random.default_rng(0))
    assert (flat.value, flat.interval) == (1.0, None)
    assert any("no interval" in flag for flag in flat.flags)


def test_few_clusters_are_flagged_and_lengths_checked():
    found = bootstrap_of_sums([TOP[:12]], np.arange(12), lambda s: s[:, 0], rng=np.random.default_rng(0))
    assert found.flags == ("fewer than 30 clusters (12)",)
    with pytest.raises(StatisticsError, match="differ in length"):
        bootstrap_of_sums([TOP, ONES[:3]], GROUPS, ratio, rng=np.random.default_rng(0))
