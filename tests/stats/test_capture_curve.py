"""Capture curves against a plain loop; their intervals against resampling. Coverage: tests/simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal
from evenhand.stats.capture_curve import capture_curve

SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)


def by_hand(scores, events, share, of):
    """The figure at a share, unit by unit."""
    ordered = sorted(scores)
    taken = int(np.ceil(share * len(scores) - 1e-9))
    threshold = ordered[taken - 1] if taken else -np.inf
    found = sum(e for s, e in zip(scores, events, strict=True) if s <= threshold)
    total = sum(events)
    return found / total if of == "events" else 1 - (total - found) / len(scores)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=8, max_size=60),
    st.sampled_from(["events", "units"]),
)
def test_each_point_by_hand(rows, of):
    scores, events = [float(s) for s, _ in rows], [e for _, e in rows]
    found = capture_curve(scores, events, range(len(rows)), shares=SHARES, of=of)
    if sum(events) < (5 if of == "events" else 1):
        assert isinstance(found, Refusal)
        return
    got = {point.share: point.figure.value for point in found}
    for share in SHARES:
        threshold = sorted(scores)[int(np.ceil(share * len(scores) - 1e-9)) - 1]
        own = sum(s <= threshold for s in scores) / len(scores)
        assert got[own] == pytest.approx(by_hand(scores, events, share, of))
    for point in found:
        interval = point.figure.interval
        assert 0 <= interval.low <= point.figure.value <= interval.high <= 1
        assert interval.low < interval.high


def test_curves_rise_and_a_useless_score_is_the_diagonal():
    rng = np.random.default_rng(0)
    scores, events = rng.random(4000), rng.random(4000) < 0.3
    points = capture_curve(scores, events, np.arange(4000), shares=SHARES)
    values = [point.figure.value for point in points]
    assert values == sorted(values)
    assert values == pytest.approx(SHARES, abs=0.04)


@pytest.mark.parametrize("of", ["events", "units"])
def test_the_error_is_that_of_fresh_data_whose_threshold_is_found_anew(of):
    rng, clusters, shares = np.random.default_rng(5), np.repeat(np.arange(300), 3), SHARES[:3]

    def draw():
        scores = rng.random(900) + 0.4 * rng.random(300)[clusters]
        return scores, rng.random(900) < np.clip(1.1 - scores, 0.02, 0.98)

    figures = [[point.figure for point in capture_curve(*draw(), clusters, shares=shares, of=of)] for _ in range(300)]
    values = [[figure.value for figure in row] for row in figures]
    errors = [[(f.interval.high - f.interval.low) / 2 / 1.968 for f in row] for row in figures]
    assert np.mean(errors, axis=0).tolist() == pytest.approx(np.std(values, axis=0).tolist(), rel=0.12)


def test_ties_are_taken_together_and_points_given_once():
    points = capture_curve([1.0] * 12, [1] * 6 + [0] * 6, range(12), shares=SHARES)
    assert [(point.share, point.figure.value) for point in points] == [(1.0, 1.0)]
    none = capture_curve(np.arange(12.0), [0, 1] * 6, range(12), shares=(0.0,), of="units")
    assert [(point.share, point.threshold, point.figure.value) for point in none] == [(0.0, -np.inf, 0.5)]


def test_what_is_refused_and_what_is_wrong():
    assert capture_curve([1.0, 2.0], [0, 0], [0, 1], shares=SHARES) == Refusal(
        reason="needs at least 1 event, has 0", n=2
    )
    few = capture_curve(np.arange(20.0), [1] * 10 + [0] * 10, [0] * 10 + list(range(1, 11)), shares=SHARES)
    assert few.reason == "needs at least 5 clusters with an event, has 1"
    with pytest.raises(StatisticsError, match="shares"):
        capture_curve([1.0], [1], [0], shares=(1.5,))
