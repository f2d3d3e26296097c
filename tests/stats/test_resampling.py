"""The bootstrap's sums must have the law of drawing K of K clusters, whichever way they are drawn."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from evenhand.stats import resampling
from evenhand.stats.clusters import cluster_codes, total_by_cluster
from evenhand.stats.resampling import resampled_sums


def totals_of(rng, clusters=200):
    column = rng.integers(0, 2, size=clusters).astype(float)
    return total_by_cluster(cluster_codes(np.arange(clusters)), [column, None], contributes=[1])


def test_cells_and_draws_have_one_law():
    totals = totals_of(np.random.default_rng(0))
    by_cells = resampling._sums_by_cells(totals, rng=np.random.default_rng(1), resamples=20_000)
    by_draws = resampling._sums_by_draws(totals, rng=np.random.default_rng(2), resamples=20_000)
    assert (by_cells[:, 1] == 200).all()
    assert (by_draws[:, 1] == 200).all()
    rate = totals.sums[0] / 200
    for sums in (by_cells, by_draws):
        # Binomial(200, rate): both moments, at five standard errors of 20,000 draws.
        assert sums[:, 0].mean() == pytest.approx(200 * rate, abs=5 * np.sqrt(200 * rate * (1 - rate) / 20_000))
        assert sums[:, 0].var() == pytest.approx(200 * rate * (1 - rate), rel=0.05)
    assert ks_2samp(by_cells[:, 0], by_draws[:, 0]).pvalue > 0.001


@pytest.mark.parametrize("block", [64, 500, 1 << 21])
def test_block_size_is_no_part_of_the_law(monkeypatch, block):
    monkeypatch.setattr(resampling, "BLOCK_DRAWS", block)
    totals = totals_of(np.random.default_rng(0))
    sums = resampling._sums_by_draws(totals, rng=np.random.default_rng(3), resamples=4_000)
    assert (sums[:, 1] == 200).all()
    rate = totals.sums[0] / 200
    assert sums[:, 0].var() == pytest.approx(200 * rate * (1 - rate), rel=0.12)


def test_many_distinct_totals_are_drawn_and_few_are_counted(monkeypatch):
    called = []
    for name in ("_sums_by_cells", "_sums_by_draws"):
        original = getattr(resampling, name)
        monkeypatch.setattr(resampling, name, lambda *a, _f=original, _n=name, **k: called.append(_n) or _f(*a, **k))
    rng = np.random.default_rng(0)
    resampled_sums(totals_of(rng), rng=rng, resamples=100)
    column = rng.normal(size=50)
    many = total_by_cluster(cluster_codes(np.arange(50)), [column, None], contributes=[1])
    resampled_sums(many, rng=rng, resamples=100)
    assert called == ["_sums_by_cells", "_sums_by_draws"]
