import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.audits.bias.latent_quality import latent_quality


@pytest.mark.parametrize("correlation", [0.0, 0.5, -0.7])
def test_it_is_the_mean_of_quality_by_side_and_length(correlation):
    rng = np.random.default_rng(0)
    quality = rng.normal(size=400_000)
    length = 0.4 * (correlation * quality + np.sqrt(1 - correlation**2) * rng.normal(size=quality.size))
    gold = np.sign(quality)
    expected = latent_quality(length, gold)
    for side in (-1, 1):
        for low, high in ((-0.8, -0.3), (-0.1, 0.1), (0.3, 0.8)):
            here = (gold == side) & (length > low) & (length < high)
            assert expected[here].mean() == pytest.approx(quality[here].mean(), abs=0.02)


@given(seed=st.integers(0, 1000), n=st.integers(2, 40))
@settings(deadline=None, max_examples=30)
def test_exchanging_a_and_b_changes_the_sign(seed, n):
    rng = np.random.default_rng(seed)
    length, gold = rng.normal(size=n), rng.choice([-1.0, 0.0, 1.0], n)
    turn = rng.choice([-1.0, 1.0], n)
    one, other = latent_quality(length, gold), latent_quality(turn * length, turn * gold)
    assert other == pytest.approx(turn * one, abs=1e-8)
    assert np.isfinite(one).all()
    assert (np.sign(one) == gold)[np.abs(length) < 2].all()


def test_ties_and_no_lengths():
    assert latent_quality(np.zeros(3), np.array([1.0, 0.0, -1.0])) == pytest.approx([0.798, 0, -0.798], abs=1e-3)
    settled = latent_quality(np.array([1.0, -1.0, 2.0]), np.array([1.0, -1.0, 1.0]))
    assert np.isfinite(settled).all()
