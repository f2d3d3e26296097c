"""Exact values against another library and against a million simulated pairs."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_study import StudyParameters, draw_world, log_odds
from evenhand.judges.simulated_study_truth import both_positive, study_truth
from evenhand.records import Change, Order, Preference

N = 400_000


@pytest.mark.parametrize("correlation", [-0.95, -0.3, 0.0, 0.5, 0.99])
def test_the_bivariate_normal_is_scipys(correlation):
    rng = np.random.default_rng(1)
    first, second = rng.normal(0, 1.5, (2, 25))
    first[0] = second[1] = 0.0
    wanted = [
        multivariate_normal.cdf([x, y], mean=[0, 0], cov=[[1, correlation], [correlation, 1]])
        for x, y in zip(first, second, strict=True)
    ]
    np.testing.assert_allclose(both_positive(first, second, correlation), wanted, atol=1e-7)


def test_wholly_dependent_normals():
    x, y = np.array([0.3, -1.0]), np.array([1.0, -0.2])
    np.testing.assert_allclose(both_positive(x, y, 1.0), [0.617911, 0.158655], atol=1e-6)
    np.testing.assert_allclose(both_positive(x, y, -1.0), [0.617911 + 0.841345 - 1, 0.0], atol=1e-6)


WORLDS = [
    StudyParameters(),
    StudyParameters(
        position=0.8, group_position_sd=0.5, group_sd=0.5, length_slot=0.3, biases=BiasStrengths(verbosity=1)
    ),
    StudyParameters(
        own_share=0.5,
        length_author=0.4,
        length_quality=0.3,
        quality_author=0.3,
        position=0.6,
        biases=BiasStrengths(verbosity=0.8, self_preference=0.5, family="q", compound=0.5, sycophancy=0.7),
    ),
    StudyParameters(quality_sd=0.0, length_sd=0.0, length_slot=1.0, biases=BiasStrengths(verbosity=0.5)),
    # Only authors differ in quality: most pairs are equally good, and B is gold of those.
    StudyParameters(quality_sd=0.0, length_sd=0.0, length_slot=1.0, own_share=0.4, quality_author=0.6, position=1.0),
]
CHANGED = (
    Change(factor="endorsement", level="user", target=Preference.B),
    Change(factor="padding", level="redundant", target=Preference.A),
)


@pytest.mark.parametrize("changes", [(), CHANGED], ids=["control", "changed"])
@pytest.mark.parametrize("p", WORLDS, ids=["fair", "position", "all", "equal", "equal but for authors"])
def test_every_value_is_what_simulation_tends_to(p, changes):
    rng = np.random.default_rng(7)
    world = draw_world(p, n_pairs=N, rng=rng)
    ab, again = (log_odds(p, world, order=Order.AB, changes=changes, rng=rng) > 0 for _ in range(2))
    ba = log_odds(p, world, order=Order.BA, changes=changes, rng=rng) <= 0
    truth = study_truth(p, changes)
    gold, longer = world.gold_is_a, world.log_length > 0
    simulated = {
        "prefers_a": (ab.mean() + ba.mean()) / 2,
        "first_slot_rate": (ab.mean() + 1 - ba.mean()) / 2,
        "flip_rate": (ab != ba).mean(),
        "longer_wins": ((ab == longer).mean() + (ba == longer).mean()) / 2,
        "repeat_flip_rate": (ab != again).mean(),
        "accuracy": ((ab == gold).mean() + (ba == gold).mean()) / 2,
        "accuracy_consistent": (ab == gold)[ab == ba].mean(),
    }
    for name, value in simulated.items():
        assert getattr(truth, name) == pytest.approx(value, abs=0.005), name


def test_equally_good_responses_of_a_fair_judge_are_a_coin():
    truth = study_truth(StudyParameters(quality_sd=0.0, length_sd=0.0))
    assert (truth.accuracy, truth.longer_wins, truth.flip_rate) == pytest.approx((0.5, 0.5, 0.5))


def test_no_exact_value_where_a_varying_position_compounds():
    with pytest.raises(ConfigError, match="group_position_sd and compound"):
        study_truth(StudyParameters(group_position_sd=1.0, biases=BiasStrengths(compound=1.0)))
