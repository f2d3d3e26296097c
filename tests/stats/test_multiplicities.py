import numpy as np
import pytest

from evenhand.stats import multiplicities
from evenhand.stats.clusters import cluster_codes
from evenhand.stats.multiplicities import multiplicity_blocks, resampling_units


@pytest.mark.parametrize("block", [1, 1_000, 1 << 17])
@pytest.mark.parametrize("pooled", [True, False])
def test_each_resample_draws_as_many_clusters_as_there_are(monkeypatch, block, pooled):
    monkeypatch.setattr(multiplicities, "BLOCK_WEIGHTS", block)
    clusters = np.arange(100) if pooled else np.arange(100) // 2
    units = resampling_units(cluster_codes(clusters), [np.arange(100.0) % 2])
    assert (units.representatives is not None) == pooled
    drawn = np.concatenate(list(multiplicity_blocks(units, rng=np.random.default_rng(0), resamples=700)))
    assert drawn.shape == (700, len(units.copies))
    assert (drawn.sum(axis=1) == units.copies.sum()).all()
    # Multinomial moments; 700 resamples know the mean of a count to about 4 % of its standard deviation.
    share = units.copies / units.copies.sum()
    variance = units.copies.sum() * share * (1 - share)
    np.testing.assert_allclose(drawn.mean(axis=0), units.copies, atol=0.2 * np.sqrt(variance.max()))
    assert drawn.var(axis=0).mean() == pytest.approx(variance.mean(), rel=0.15)


def test_unused_codes_are_no_clusters():
    units = resampling_units(cluster_codes([0, 0, 90, 1100]), [np.arange(4.0)])
    assert units.copies.tolist() == [1, 1, 1]
    assert units.unit_of_row.tolist() == [0, 0, 1, 2]
