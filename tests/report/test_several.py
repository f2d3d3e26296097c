from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from evenhand.report.several import above, clear_of_zero, decided, wider
from evenhand.stats import Interval, Refusal, cluster_rate, holm, wilson
from report.findings import estimate


def below(limit):
    return lambda interval: interval.high < limit


def names(found):
    return [name for name, _ in found]


def test_what_all_show_needs_no_adjustment():
    found = [(name, estimate(0.0, 0.049)) for name in "abcdefghi"]
    assert names(decided(found, below(0.05))) == list("abcdefghi")


@pytest.mark.parametrize("other", [estimate(0.0, 0.9), Refusal(reason="few"), None])
def test_what_some_show_needs_wider_intervals(other):
    assert names(decided([("a", estimate(0.0, 0.049)), ("b", other)], below(0.05))) == []
    assert names(decided([("a", estimate(0.0, 0.04)), ("b", other)], below(0.05))) == ["a"]


def test_what_one_of_many_shows_is_luck():
    found = [("a", estimate(0.0, 0.001)), *((name, estimate(0.0, 0.9)) for name in "bcde")]
    assert names(decided(found[:4], below(0.05))) == ["a"]
    assert decided(found, below(0.05)) == []
    assert decided([], below(0.05)) == []


@pytest.mark.parametrize("count", [0, 1, 6, 50, 200])
@pytest.mark.parametrize("looks", [2, 3, 4])
def test_a_wider_interval_is_no_narrower_than_one_made_at_that_level(count, looks):
    own = wilson(count, 200)
    asked = wilson(count, 200, level=1 - 0.05 / looks)
    made = wider(own, count / 200, looks=looks)
    assert made.level == pytest.approx(1 - 0.05 / looks)
    assert made.low <= asked.low + 1e-9
    assert made.high >= asked.high - 1e-3  # Wilson's centre moves by little more than the square


def test_one_look_changes_nothing():
    made = wider(Interval(low=0.1, high=0.4), 0.2, looks=1)
    assert (made.low, made.high, made.level) == pytest.approx((0.1, 0.4, 0.95))


def test_of_one_difference_the_interval_decides():
    assert names(clear_of_zero([("a", estimate(0.0001, 0.2))])) == ["a"]
    assert names(clear_of_zero([("a", estimate(-0.2, -0.0001))])) == ["a"]
    assert clear_of_zero([("a", estimate(-0.0001, 0.2))]) == []
    assert clear_of_zero([("a", estimate(0.0, 0.0))]) == []
    assert clear_of_zero([]) == []


def test_several_differences_are_adjusted_by_holm():
    values = np.array([0.30, 0.23, 0.21, 0.05])
    found = [(value, estimate(value - 0.196, value + 0.196)) for value in values]
    p = holm(2 * norm.sf(values / 0.1)).p_values
    assert p[0] < 0.05 < p[1]
    assert names(clear_of_zero(found)) == [0.30]
    assert names(clear_of_zero(found[:2])) == [0.30, 0.23]


@pytest.mark.parametrize("clusters", [5, 8, 40])
def test_few_clusters_have_the_tail_of_student(clusters):
    """By a normal tail 8 differences of 6 clusters were named in 15 % of cases where none is there."""
    quantile = student.ppf(0.975, clusters - 1)
    needed = student.ppf(1 - 0.05 / 16, clusters - 1)  # of eight differences the first is held to a level of 1 in 160
    for share, named in ((1.01, True), (0.99, False)):
        value = needed * 0.05 * share
        own = estimate(value - quantile * 0.05, value + quantile * 0.05)
        found = [("a", replace(own, clusters=clusters)), *((name, estimate(-0.1, 0.1)) for name in "bcdefgh")]
        assert bool(clear_of_zero(found)) is named


@pytest.mark.parametrize("looks", [2, 3, 4])
@pytest.mark.parametrize("clusters", [5, 8, 20])
def test_a_wider_interval_of_few_clusters_is_no_narrower_than_one_made_at_that_level(clusters, looks):
    flips, names = np.arange(clusters * 40) % 80 == 0, np.repeat(np.arange(clusters), 40)
    made = [
        cluster_rate(flips, None, names, rng=np.random.default_rng(0), level=level)
        for level in (0.95, 1 - 0.05 / looks)
    ]
    scaled = wider(made[0].interval, made[0].value, looks=looks, clusters=clusters)
    assert scaled.low <= made[1].interval.low + 1e-9
    assert scaled.high >= made[1].interval.high - 1e-3


def test_of_one_figure_its_interval_decides_whether_it_is_above():
    assert names(above([("a", estimate(0.0501, 0.2))], 0.05)) == ["a"]
    assert above([("a", estimate(0.05, 0.2))], 0.05) == []
    assert above([("a", Refusal(reason="few")), ("b", None)], 0.05) == []


def test_refusals_are_no_looks():
    assert names(above([("a", estimate(0.0501, 0.2)), ("b", Refusal(reason="few"))], 0.05)) == ["a"]


def test_of_several_figures_what_is_above_is_adjusted_by_holm():
    found = [(low, estimate(low, 0.4, value=0.2)) for low in (0.14, 0.065, 0.06, 0.01)]
    assert names(above(found, 0.05)) == [0.14]
    assert names(above(found[:2], 0.05)) == [0.14, 0.065]
    assert names(above(found[1:3], 0.05)) == []


@pytest.mark.parametrize("many", [2, 5, 30])
def test_one_planted_among_many_even_ones_is_named_alone(many):
    found = [("planted", estimate(0.3, 0.5)), *((f"even{i}", estimate(0.02, 0.09)) for i in range(many))]
    assert names(above(found, 0.05)) == ["planted"]
