"""Mitigations on simulated verdicts: what each recovers, and that choosing pairs is not improving verdicts."""

import numpy as np
import pytest

from evenhand.judges.simulated_figures import STRENGTHS, FigureSettings
from evenhand.judges.simulated_mitigation import METHODS, length_slope, mitigation_points, points_of_mitigation
from evenhand.judges.simulated_study import StudyParameters
from evenhand.judges.simulated_study_truth import study_truth


@pytest.fixture(scope="module")
def points():
    made = mitigation_points(FigureSettings(pairs=400, runs=30, seed=1))
    assert len(made) == points_of_mitigation()
    return {(p.method, p.strength): p for p in made}


def test_single_order_and_swap_are_as_the_exact_values_say(points):
    from evenhand.judges.simulated_figures import biased

    for strength in STRENGTHS:
        truth = study_truth(biased(StudyParameters(), position=strength, verbosity=strength))
        single, swap = points["single order", strength], points["swap and tie", strength]
        assert single.accuracy.value == pytest.approx(truth.accuracy, abs=0.02)
        assert swap.decided.value == pytest.approx(1 - truth.flip_rate, abs=0.02)
        assert swap.accuracy.value == pytest.approx(truth.accuracy_consistent, abs=0.04)


def test_with_the_undecided_drawn_by_lot_a_swap_gains_nothing(points):
    for strength in STRENGTHS:
        gain = points["swap and tie", strength].by_lot.value - points["single order", strength].accuracy.value
        assert abs(gain) < 0.015
    assert points["swap and tie", 1.0].accuracy.value > points["single order", 1.0].accuracy.value + 0.2


def test_averaging_takes_position_out_and_length_control_verbosity_too(points):
    fair = points["averaged probabilities", 0.0].accuracy.value
    for strength in STRENGTHS[1:]:
        assert points["averaged probabilities", strength].accuracy.value < fair - 0.01
        assert points["length-adjusted", strength].accuracy.value == pytest.approx(fair, abs=0.015)


def test_only_the_swap_leaves_pairs_out(points):
    for method in METHODS:
        decided = points[method, 1.0].decided
        assert decided == 1.0 if method != "swap and tie" else decided.value < 0.5


def test_the_slope_is_that_of_statsmodels():
    import statsmodels.api as sm

    rng = np.random.default_rng(2)
    gold, length = rng.choice([-1.0, 1.0], 100), rng.normal(size=100)
    y = gold + 0.7 * length + rng.normal(size=100)
    wanted = sm.OLS(y, np.column_stack([np.ones(100), gold, length])).fit().params[2]
    assert length_slope(y, gold, length) == pytest.approx(wanted)
