import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats import cluster_rate
from evenhand.stats.equivalence import decide_tolerance, two_sided_level
from evenhand.stats.results import Estimate, Interval, Refusal


def between(low, high, level=0.95):
    return Estimate(value=(low + high) / 2, interval=Interval(low=low, high=high, level=level), n=100)


@pytest.mark.parametrize(
    ("low", "high", "side", "call"),
    [
        (0.05, 0.10, "at most", "kept"),
        (0.05, 0.15, "at most", "kept"),
        (0.15, 0.25, "at most", "undecided"),
        (0.16, 0.25, "at most", "broken"),
        (0.10, 0.20, "at most", "undecided"),
        (0.15, 0.25, "at least", "kept"),
        (0.10, 0.15, "at least", "undecided"),
        (0.10, 0.14, "at least", "broken"),
    ],
)
def test_the_whole_interval_decides(low, high, side, call):
    assert decide_tolerance(between(low, high), 0.15, side=side).call == call


@given(bounds=st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted), tolerance=st.floats(-1, 1))
def test_the_two_sides_are_mirror_images(bounds, tolerance):
    low, high = bounds
    one = decide_tolerance(between(low, high), tolerance, side="at most")
    other = decide_tolerance(between(-high, -low), -tolerance, side="at least")
    assert one.call == other.call


def test_no_data_is_neither_pass_nor_failure():
    refused = decide_tolerance(Refusal(reason="needs at least 5 clusters, has 3", n=3), 0.15)
    assert (refused.call, refused.reason, refused.error) == ("undecided", "needs at least 5 clusters, has 3", None)
    alone = decide_tolerance(Estimate(value=0.1, interval=None, n=9), 0.15)
    assert (alone.call, alone.reason) == ("undecided", "0.1 has no interval")


def test_each_call_errs_as_rarely_as_it_says():
    rng = np.random.default_rng(0)
    level = two_sided_level(0.05)
    calls = []
    for _ in range(1000):
        flips = rng.random(400) < 0.15
        rate = cluster_rate(flips, None, range(400), rng=rng, level=level)
        decision = decide_tolerance(rate, 0.15)
        assert decision.error == pytest.approx(0.05)
        calls.append(decision.call)
    # At the tolerance itself both calls are errors: 5 % each, known to .007.
    assert calls.count("broken") / 1000 < 0.07
    assert calls.count("kept") / 1000 < 0.07
    assert calls.count("undecided") / 1000 > 0.86


def test_senseless_limits_are_errors():
    with pytest.raises(StatisticsError, match="not a number"):
        decide_tolerance(between(0, 1), float("nan"))
    with pytest.raises(StatisticsError, match="a one-sided error must lie"):
        two_sided_level(0.5)
