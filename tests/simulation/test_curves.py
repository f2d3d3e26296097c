"""Do the intervals of calibration errors and of savings curves cover? Known truth, clusters that share their errors."""

import numpy as np
import pytest

from evenhand.audits.reliability import equal_bins
from evenhand.stats.calibration_error import binned_calibration_error, calibration_gap
from evenhand.stats.capture_curve import capture_curve

pytestmark = pytest.mark.simulation

RUNS = 400
"""A coverage of .95 is then known to a standard error of .011."""
SHARES = (0.1, 0.25, 0.5, 0.75)


def alone(pairs):
    return np.arange(pairs)


def fours(pairs):
    return np.arange(pairs) // 4


def judged(rng, clusters, *, slope):
    """Confidence, and whether the judge was right: ``slope`` 1 is calibrated, less is overconfident."""
    odds = np.abs(rng.normal(0, 1.5, len(clusters)))
    confidence = 1 / (1 + np.exp(-odds))
    # Pairs of a group share part of what makes them hard; on average over groups nothing changes.
    shared = rng.random(len(clusters))[clusters]
    luck = np.where(rng.random(len(clusters)) < 0.4, shared, rng.random(len(clusters)))
    return confidence, luck < 0.5 + slope * (confidence - 0.5)


@pytest.mark.parametrize("make", [alone, fours])
@pytest.mark.parametrize("slope", [1.0, 0.5, 0.0])
@pytest.mark.parametrize("pairs", [60, 300])
def test_the_calibration_error_of_the_bins_is_covered(make, slope, pairs):
    """The truth is the error of the drawn bins: the mean over each bin of sure minus its true chance of being right."""
    rng, clusters, covered, low = np.random.default_rng(7), make(pairs), 0, 0
    for _ in range(RUNS):
        confidence, right = judged(rng, clusters, slope=slope)
        bins = equal_bins(confidence, min(10, pairs // 20))
        gap = (1 - slope) * (confidence - 0.5)
        true = np.abs(np.bincount(bins, weights=gap)).sum() / pairs
        found = binned_calibration_error(confidence, right, bins, clusters, rng=rng)
        covered += found.interval.low <= true <= found.interval.high
        low += found.interval.low <= 0
    assert covered / RUNS > 0.93
    if slope == 0.0 and pairs == 300:
        assert low / RUNS < 0.05, "a judge that is never more often right than a coin is seen to be miscalibrated"


@pytest.mark.parametrize("make", [alone, fours])
@pytest.mark.parametrize(("middle", "pairs"), [(4.0, 60), (4.0, 300), (0.5, 60)])
def test_the_gap_of_a_calibrated_judge_is_covered(make, middle, pairs):
    rng, clusters, covered = np.random.default_rng(5), make(pairs), 0
    for _ in range(RUNS):
        confidence = 1 / (1 + np.exp(-np.abs(rng.normal(middle, 0.5, pairs))))
        shared = rng.random(pairs)[clusters]
        luck = np.where(rng.random(pairs) < 0.4, shared, rng.random(pairs))
        found = calibration_gap(confidence, luck < confidence, clusters)
        covered += found.interval.low <= 0 <= found.interval.high
    assert covered / RUNS > 0.92


def curve_data(rng, clusters):
    scores = rng.exponential(1.0, len(clusters)) + 0.5 * rng.exponential(1.0, len(clusters))[clusters]
    return scores, rng.random(len(clusters)) < np.exp(-scores) * 0.8


def truth(make, of):
    rng = np.random.default_rng(11)
    clusters = make(400_000)
    scores, events = curve_data(rng, clusters)
    points = capture_curve(scores, events, clusters, shares=SHARES, of=of)
    return [point.figure.value for point in points]


@pytest.mark.parametrize("make", [alone, fours])
@pytest.mark.parametrize("of", ["events", "units"])
@pytest.mark.parametrize("pairs", [100, 400])
def test_every_point_of_a_curve_is_covered(make, of, pairs):
    rng, clusters, true = np.random.default_rng(3), make(pairs), np.array(truth(make, of))
    covered = np.zeros(len(SHARES))
    for _ in range(RUNS):
        scores, events = curve_data(rng, clusters)
        figures = [p.figure for p in capture_curve(scores, events, clusters, shares=SHARES, of=of)]
        low, high = (np.array([getattr(f.interval, end) for f in figures]) for end in ("low", "high"))
        covered += (low <= true) & (true <= high)
    assert (covered / RUNS).min() > 0.91
    assert (covered / RUNS).mean() > 0.93
