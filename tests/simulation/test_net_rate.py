"""Do intervals of a net shift cover? Pairs of four presentations, known truth, clusters that differ in the effect."""

from functools import cache

import numpy as np
import pytest

from evenhand.stats import cluster_net_rate

pytestmark = pytest.mark.simulation

RUNS = 1_000
"""A coverage of .95 is then known to a standard error of .007."""

ORDERS = np.array([0.3, -0.3])
"""The judge's lean to the first slot, by order."""


def alone(pairs):
    return np.arange(pairs)


def fours(pairs):
    return np.arange(pairs) // 4


def unequal(pairs):
    """A third of the pairs in one cluster, and small ones."""
    return np.concatenate([np.zeros(pairs // 3, dtype=int), 1 + np.arange(pairs - pairs // 3) // 2])


def turns(rng, clusters, shift, noise, spread):
    """Turned toward and away per pair: a pair's quality, its cluster's share in it and in the effect, fresh noise."""
    pairs = len(clusters)
    quality = rng.normal(0, 0.6, pairs)[clusters] + rng.normal(0, 0.8, pairs)
    effect = (shift + rng.normal(0, spread, pairs)[clusters])[:, None]
    odds = quality[:, None] + ORDERS
    control = np.sign(odds + noise * rng.normal(size=(pairs, 2)))
    toward, away = np.zeros(pairs), np.zeros(pairs)
    for side in (1, -1):
        step = side * (np.sign(odds + side * effect + noise * rng.normal(size=(pairs, 2))) - control)
        toward, away = toward + (step > 0).sum(axis=1), away + (step < 0).sum(axis=1)
    return toward, away


@cache
def truth(shift, noise, spread):
    toward, away = turns(np.random.default_rng(9), np.arange(400_000), shift, noise, spread)
    return float((toward - away).mean() / 4)


@pytest.mark.parametrize("make", [alone, fours, unequal])
@pytest.mark.parametrize(("shift", "noise", "spread"), [(0.0, 0.5, 0.0), (0.05, 0.1, 0.3), (0.2, 0.1, 0.2)])
@pytest.mark.parametrize("pairs", [40, 100])
def test_coverage(make, shift, noise, spread, pairs):
    rng, clusters, covered = np.random.default_rng(1), make(pairs), 0
    true = truth(shift, noise, spread)
    for _ in range(RUNS):
        found = cluster_net_rate(*turns(rng, clusters, shift, noise, spread), np.full(pairs, 4), clusters, rng=rng)
        assert found.interval.low < found.interval.high
        covered += found.interval.low <= true <= found.interval.high
    # Above .97 at ten clusters, and where an effect spreads over fewer clusters than it is spread over.
    assert 0.93 <= covered / RUNS <= (0.98 if pairs == 100 and make is not unequal else 0.995)


@pytest.mark.parametrize(("noise", "shift"), [(0.1, 0.0), (0.5, 0.2)])
def test_the_width_is_what_the_spread_of_the_estimates_asks_for(noise, shift):
    """A pseudo-pair for each direction would make it 1.3 to 2.2 times as wide."""
    rng, clusters = np.random.default_rng(2), np.arange(100)
    made = [
        cluster_net_rate(*turns(rng, clusters, shift, noise, 0.0), np.full(100, 4), clusters, rng=rng)
        for _ in range(RUNS)
    ]
    width = np.mean([found.interval.high - found.interval.low for found in made])
    assert 0.93 <= width / (2 * 1.96 * np.std([found.value for found in made])) <= 1.15
