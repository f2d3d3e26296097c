"""Chance on the same splits: reproducible draws, an interval that is the published formula, and few false claims."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evenhand.probes.triage_chance import AgainstChance, Chance
from evenhand.probes.triage_guarantee import realised
from evenhand.probes.triage_scores import RANDOM, RiskScore, ScoreKind, raw_scores
from evenhand.stats import Refusal
from probes.triage_examples import triage_data


def test_draws_are_those_of_the_pairs_whatever_their_order():
    names = ["c", "a", "b", "d"]
    first, again = (Chance(names, seed=1).draws(5) for _ in range(2))
    assert all((x == y).all() for x, y in zip(first, again, strict=True))
    turned = Chance(names[::-1], seed=1).draws(5)
    assert all((x == y[::-1]).all() for x, y in zip(first, turned, strict=True))
    assert any((x != y).any() for x, y in zip(first, Chance(names, seed=1).draws(6), strict=True))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=30), st.sampled_from([1 / 3, 1.0]))
def test_the_interval_is_nadeau_and_bengios(differences, tested):
    found = AgainstChance.of(differences, tested=tested, level=0.9)
    count = len(differences)
    error = np.sqrt((1 / count + tested) * np.var(differences, ddof=1))
    low, high = stats.t.interval(0.9, count - 1, loc=np.mean(differences), scale=1.0)
    half = (high - low) / 2 * error
    assert (found.low, found.high) == pytest.approx((found.mean - half, found.mean + half), abs=1e-9)
    # The plain interval, as if splits shared no pair, lies within.
    assert found.high - found.low >= 2 * half / np.sqrt(1 + count * tested) - 1e-12
    assert 0 <= found.fewer <= 1


def test_one_split_has_no_spread():
    assert AgainstChance.of([-0.3], tested=1.0, level=0.95) == Refusal(reason="one split has no spread", n=1)


def test_a_good_score_is_told_from_chance_and_chance_has_nothing_to_be_told_from():
    data = triage_data(400)
    good = RiskScore(
        name="probe", kind=ScoreKind.FROZEN, values=next(iter(data.activations.values()))[:, 0].astype(float)
    )
    scores = {"probe": good, RANDOM: raw_scores(data, seed=0)[RANDOM]}
    found = {name: realised(s, data, alphas=(0.2,), delta=None, splits=10, seed=0)[0] for name, s in scores.items()}
    assert found["probe"].against_chance.high < 0
    assert found["probe"].against_chance.fewer == 1.0
    assert found[RANDOM].against_chance is None


def test_a_score_that_knows_nothing_is_seldom_said_to_save():
    """60 sets of 120 pairs, noise as the score: the one-sided error of a .95 interval is .025 nominally."""
    claimed = 0
    for seed in range(60):
        data = triage_data(120, seed=seed, per_group=1)
        noise = RiskScore(
            name="noise", kind=ScoreKind.FROZEN, values=np.random.default_rng([seed, 9]).normal(size=len(data))
        )
        claimed += realised(noise, data, alphas=(0.2,), delta=None, splits=10, seed=seed)[0].against_chance.high < 0
    assert claimed <= 5


def test_a_probe_is_not_calibrated_on_what_it_was_fitted_on():
    data = triage_data(200)
    own = RiskScore(name="probe", kind=ScoreKind.OVERLAPPING, values=np.zeros(len(data)))
    assert "in-sample" in realised(own, data, alphas=(0.2,), delta=None, splits=2, seed=0).reason
