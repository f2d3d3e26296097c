"""Calibrated judges are as asked for, exactly and in simulation."""

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_calibrated import (
    SHIFTS,
    calibrated_judge,
    flip_repeat_discordance,
    net_shift,
    shift_changes,
    shift_spread,
    with_net_shift,
)
from evenhand.judges.simulated_study_truth import study_truth
from evenhand.records import Preference


@pytest.mark.parametrize(("flips", "repeats"), [(0.3, 0.1), (0.2, 0.2), (0.05, 0.01), (0.9, 0.05)])
def test_rates_are_as_asked_for(flips, repeats):
    truth = study_truth(calibrated_judge(flip_rate=flips, repeat_rate=repeats))
    assert (truth.flip_rate, truth.repeat_flip_rate) == pytest.approx((flips, repeats), abs=1e-7)


@pytest.mark.parametrize("bias", SHIFTS)
def test_net_shifts_are_as_asked_for_and_leave_the_rates_of_the_control(bias):
    judge = calibrated_judge(flip_rate=0.3, repeat_rate=0.1)
    shifted = with_net_shift(judge, bias=bias, shift=0.07)
    assert net_shift(shifted, bias) == pytest.approx(0.07, abs=1e-7)
    assert net_shift(judge, bias) == pytest.approx(0, abs=1e-12)
    assert study_truth(shifted).flip_rate == pytest.approx(0.3, abs=1e-6)
    assert [changes[0].target for changes in shift_changes(bias)] == [Preference.A, Preference.B]


def test_spreads_of_a_judge_without_bias():
    # Two verdicts of one order differ for noise alone, on a share r of the pairs: a change is another asking.
    judge = calibrated_judge(flip_rate=0.2, repeat_rate=0.2)
    assert judge.biases == BiasStrengths()
    spread = shift_spread(judge, "sycophancy", rng=np.random.default_rng(1))
    # Mean of two orders of (A's changed minus B's changed) / 2: the control cancels, each difference has variance r.
    assert spread == pytest.approx((0.2 / 8) ** 0.5, rel=0.02)
    # Flips and repeats share order AB: 2 r (1 - r) if they were independent, less here.
    assert 0.1 < flip_repeat_discordance(judge, rng=np.random.default_rng(2)) < 2 * 0.2 * 0.8


@pytest.mark.parametrize(("flips", "repeats"), [(0.1, 0.2), (0.2, 0.0), (0.9, 0.2), (0.5, 0.5)])
def test_impossible_rates_are_refused(flips, repeats):
    with pytest.raises(ConfigError, match="expected 0 < repeat rate"):
        calibrated_judge(flip_rate=flips, repeat_rate=repeats)


def test_impossible_shifts_are_refused():
    judge = calibrated_judge(flip_rate=0.3, repeat_rate=0.1)
    for bias, shift, message in (
        ("sycophancy", 0.9, "no strength of sycophancy"),
        ("sycophancy", 0.0, "expected a positive share"),
        ("colour", 0.1, "bias 'colour'"),
    ):
        with pytest.raises(ConfigError, match=message):
            with_net_shift(judge, bias=bias, shift=shift)
