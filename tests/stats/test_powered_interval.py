"""The interval of a prediction-powered difference, such as position bias strength: open, and of the right size."""

import numpy as np
import pytest
from scipy.stats import t

from evenhand.errors import StatisticsError
from evenhand.stats import PredictionPowered, cluster_difference, ppi_ratio


def locks(first, second, other):
    """Directed locks of pairs: +1, -1 and 0."""
    return np.r_[np.ones(first), -np.ones(second), np.zeros(other)]


def difference(labels, total, *, cheap=None, **options):
    covariates = np.zeros(total) if cheap is None else cheap
    labelled = np.arange(total) < len(labels)
    result = ppi_ratio(labels, None, labelled=labelled, covariates=covariates, interval="difference", **options)
    assert isinstance(result, PredictionPowered)
    return result.estimate


def test_labels_without_a_lock_have_an_interval_of_the_labels_number():
    found = difference(np.zeros(20), 200)
    # 20 pairs and one pseudo-pair in each direction: mean 0, mean square 2 / 22.
    half = t.ppf(0.975, 19) * (2 / 22 / 22) ** 0.5
    assert (found.interval.low, found.interval.high) == pytest.approx((-half, half))
    assert found.flags == ("fewer than 30 clusters (20)",)


@pytest.mark.parametrize("sign", [1, -1])
def test_labels_that_all_lock_alike_have_one_as_well(sign):
    found = difference(sign * np.ones(20), 200)
    assert found.value == sign
    assert -1 <= found.interval.low < found.interval.high <= 1
    assert found.interval.high - found.interval.low > 0.1


def test_a_small_sample_of_many_pairs_without_a_cheap_value_is_bonett_and_price_s():
    labels = locks(30, 10, 60)
    found = difference(labels, 1_000_000, prior_units=0)
    # Only the 99 degrees of freedom, and 99 in place of 100 in the variance, differ from theirs.
    more, less = 31 / 102, 11 / 102
    half = t.ppf(0.975, 99) * ((more + less - (more - less) ** 2) / 102) ** 0.5
    assert found.value == pytest.approx(0.2)
    assert found.interval.low == pytest.approx(more - less - half, abs=2e-3)
    assert found.interval.high == pytest.approx(more - less + half, abs=2e-3)


def test_everything_labelled_is_the_plain_difference():
    values, decided = locks(30, 5, 65), np.r_[np.ones(90), np.zeros(10)]
    clusters = np.random.default_rng(3).integers(0, 40, 100)
    full = ppi_ratio(
        values, decided, labelled=np.ones(100), covariates=values, clusters=clusters, interval="difference"
    )
    plain = cluster_difference(values > 0, decided, values < 0, decided, clusters, rng=np.random.default_rng(0))
    assert full.estimate == full.classical == plain


@pytest.mark.parametrize("level", [0.3, 0.95])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_open_holds_the_estimate_and_stays_between_its_bounds(level, seed):
    rng = np.random.default_rng(seed)
    truth = rng.choice([1, 0, -1], size=300, p=[0.9, 0.05, 0.05])
    # The first 15 to be labelled lock to the first slot more often than the others' cheap values say.
    found = difference(np.abs(truth[:15]), 300, cheap=truth, level=level)
    assert -1 <= found.interval.low <= found.value <= found.interval.high <= 1
    assert found.interval.low < found.interval.high


def test_a_numerator_beyond_its_denominator_is_refused():
    with pytest.raises(StatisticsError, match="between -1 and 1 times"):
        ppi_ratio(np.full(10, -2), None, labelled=np.arange(50) < 10, covariates=np.zeros(50), interval="difference")
