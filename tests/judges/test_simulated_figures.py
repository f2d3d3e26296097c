"""The figures' simulated points agree with their exact values, and show what the chapter says."""

import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_figures import (
    STRENGTHS,
    FigureSettings,
    accuracy_points,
    consistency_points,
    length_points,
    points_in_all,
)
from evenhand.judges.simulated_study import StudyParameters

SETTINGS = FigureSettings(pairs=200, runs=30, seed=3)


@pytest.fixture(scope="module")
def points():
    return consistency_points(SETTINGS), accuracy_points(SETTINGS), length_points(SETTINGS)


def test_exact_values_lie_in_95_percent_of_the_intervals(points):
    every = [point for figure in points for point in figure]
    assert len(every) == points_in_all()
    outside = [
        point
        for point in every
        if not point.simulated.interval.low - 1e-12 <= point.exact <= point.simulated.interval.high + 1e-12
    ]
    assert len(outside) <= 10  # of 82 at 5 %: 4.1 expected, three standard deviations more


def test_position_makes_inconsistent_and_verbosity_consistent(points):
    exact = {(p.position, p.verbosity): p.exact for p in points[0]}
    for other in STRENGTHS:
        along = [exact[position, other] for position in STRENGTHS]
        assert along == sorted(along, reverse=True)
        along = [exact[other, verbosity] for verbosity in STRENGTHS]
        assert along == sorted(along)


def test_every_bias_costs_accuracy_and_none_at_0(points):
    for bias in ("position", "verbosity", "sycophancy"):
        exact = [p.exact for p in points[1] if p.bias == bias]
        assert exact == sorted(exact, reverse=True)
        assert exact[0] == pytest.approx(points[1][0].exact)
        assert exact[-1] < 0.7


def test_the_longer_wins_as_the_normal_distribution_says(points):
    from scipy.stats import norm

    for p in points[2]:
        assert p.exact == pytest.approx(norm.cdf(p.verbosity * p.log_ratio / 0.5), abs=1e-6)


def test_a_point_does_not_depend_on_the_others(points):
    again = FigureSettings(pairs=200, runs=30, seed=3)
    assert consistency_points(again) == points[0]
    assert consistency_points(FigureSettings(pairs=200, runs=30, seed=4)) != points[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"pairs": 5}, "pairs is 5"), ({"runs": 2}, "runs is 2"), ({"world": StudyParameters(group_sd=1.0)}, "group_sd")],
)
def test_too_little_is_refused(settings, message):
    with pytest.raises(ConfigError, match=message):
        FigureSettings(**settings)
