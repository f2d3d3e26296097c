"""Vectorised judges: the same pulls as the live one's, and worlds confounded as told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths, Cues
from evenhand.judges.simulated_study import StudyParameters, draw_world, identity_pull, log_odds
from evenhand.records import Change, Order, Preference

N = 40_000
number = st.floats(-3, 3, allow_nan=False)


@given(
    length=number,
    own=st.sampled_from([-1.0, 0.0, 1.0]),
    position=number,
    compound=st.floats(-1, 2),
    target=st.sampled_from([Preference.A, Preference.B]),
    order=st.sampled_from(list(Order)),
)
def test_pulls_are_those_of_the_live_judge(length, own, position, compound, target, order):
    b = BiasStrengths(verbosity=0.9, sycophancy=0.6, self_preference=0.4, tone=0.3, compound=compound, family="x")
    p = StudyParameters(biases=b)
    changes = (
        Change(factor="endorsement", level="expert", target=target),
        Change(factor="tone", level="hedged", target=target),
    )
    pull = identity_pull(
        p, log_length=np.array([length]), own=np.array([own]), position=position, order=order, changes=changes
    )
    sign = 1 if order is Order.AB else -1
    toward = sign * (1 if target is Preference.A else -1)
    cues = Cues(length=sign * length, own=sign * own, endorsed=toward, tone=-toward)
    assert sign * pull[0] == pytest.approx(b.pull(cues, position=position))


def test_padding_lengthens_its_target():
    p = StudyParameters(padding=3.0, biases=BiasStrengths(verbosity=2.0))
    change = Change(factor="padding", level="redundant", target=Preference.B)
    zero = np.zeros(1)
    pull = identity_pull(p, log_length=zero, own=zero, position=0.0, order=Order.AB, changes=(change,))
    assert pull[0] == pytest.approx(-2 * np.log(3))


def test_confounding_is_as_told():
    p = StudyParameters(
        group_sd=0.5,
        own_share=0.5,
        length_slot=0.2,
        length_author=0.4,
        length_quality=0.6,
        quality_author=0.3,
        biases=BiasStrengths(family="x"),
    )
    world = draw_world(p, n_pairs=N, rng=np.random.default_rng(1))
    assert np.mean(world.own != 0) == pytest.approx(0.5, abs=0.02)
    for own in (-1, 0, 1):
        mine = world.own == own
        assert world.log_length[mine].mean() == pytest.approx(0.2 + 0.4 * own, abs=0.03)
        assert world.quality[mine].mean() == pytest.approx(0.3 * own, abs=0.06)
        assert np.corrcoef(world.quality[mine], world.log_length[mine])[0, 1] == pytest.approx(0.6, abs=0.03)
    assert world.quality[world.own == 0].std() == pytest.approx(np.hypot(1.0, 0.5), abs=0.03)


def test_pairs_of_a_question_share_its_part_of_quality():
    p = StudyParameters(quality_sd=0.5, group_sd=1.0)
    world = draw_world(p, n_pairs=N, n_groups=N // 2, rng=np.random.default_rng(2))
    pairs = world.quality.reshape(-1, 2)
    assert (world.group.reshape(-1, 2)[:, 0] == world.group.reshape(-1, 2)[:, 1]).all()
    assert np.corrcoef(pairs[:, 0], pairs[:, 1])[0, 1] == pytest.approx(0.8, abs=0.02)


def test_swapping_turns_the_log_odds_round_but_for_position_and_noise():
    p = StudyParameters(position=0.7, noise=1e-9, biases=BiasStrengths(verbosity=1.0))
    world = draw_world(p, n_pairs=50, rng=np.random.default_rng(3))
    ab, ba = (log_odds(p, world, order=order, rng=np.random.default_rng(4)) for order in Order)
    np.testing.assert_allclose(ab + ba, 1.4, atol=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"noise": 0.0}, "noise=0.0: must be positive"),
        ({"length_quality": 1.5}, "a correlation must lie"),
        ({"own_share": -0.1}, "own_share=-0.1: a share"),
        ({"tie": 0.6, "refusal": 0.6}, "more than 1"),
        ({"length_sd": -1.0}, "length_sd=-1.0: a spread"),
        ({"padding": 0.0}, "padding=0.0"),
        ({"biases": BiasStrengths(repeat_noise=1.0)}, "repeat_noise is the live judge's"),
    ],
)
def test_bad_worlds_are_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        StudyParameters(**settings)


def test_unknown_changes_and_sizes_are_refused():
    p, rng = StudyParameters(), np.random.default_rng(0)
    world = draw_world(p, n_pairs=5, rng=rng)
    with pytest.raises(ConfigError, match="colour=red:A"):
        log_odds(
            p, world, order=Order.AB, changes=(Change(factor="colour", level="red", target=Preference.A),), rng=rng
        )
    with pytest.raises(ConfigError, match="n_groups=6"):
        draw_world(p, n_pairs=5, n_groups=6, rng=rng)
