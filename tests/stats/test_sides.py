import numpy as np
import pytest
from scipy import stats

from evenhand.stats.clusters import cluster_codes
from evenhand.stats.ranking import rank
from evenhand.stats.sides import Sides, no_discordance_interval, perfect_ranking_interval, sides


def test_clusters_are_counted_by_the_label_of_their_compared_rows():
    labels = np.array([1, 0, 1, 1, 0])
    # The fifth row's choice has no positive: it is compared with nothing.
    ranking = rank(np.arange(5), labels, ["A", "A", "A", "A", "B"])
    both = sides(ranking, cluster_codes(["x", "x", "y", "y", "z"]))
    assert (both.size, both.positive, both.negative, both.smaller) == (3, 2, 1, 1)


def test_few_clusters_of_either_label_are_refused_and_below_thirty_flagged():
    assert (
        Sides(size=9, positive=4, negative=9).refusal(20).reason == "needs at least 5 clusters with a positive, has 4"
    )
    assert (
        Sides(size=9, positive=9, negative=4).refusal(20).reason == "needs at least 5 clusters with a negative, has 4"
    )
    assert Sides(size=60, positive=5, negative=60).refusal(60) is None
    assert Sides(size=60, positive=5, negative=60).flags == ("fewer than 30 clusters with the rarer label (5)",)
    assert Sides(size=60, positive=30, negative=60).flags == ()


@pytest.mark.parametrize("clusters", [5, 12, 200])
def test_a_perfect_ranking_gets_the_exact_binomial_interval(clusters):
    exact = stats.binomtest(clusters, clusters).proportion_ci(0.9, method="exact")
    upper, lower = (perfect_ranking_interval(value, clusters, 0.9) for value in (1.0, 0.0))
    assert (upper.low, upper.high) == pytest.approx((exact.low, 1.0))
    assert (lower.low, lower.high) == pytest.approx((0.0, 1 - exact.low))


def test_no_discordance_is_bonett_and_prices_adjusted_wald():
    # b = c = 0: both adjusted shares are 1 / (n + 2).
    interval = no_discordance_interval(0.0, 48, 0.95)
    share = 1 / 50
    half = stats.norm.ppf(0.975) * np.sqrt((share + share) / 50)
    assert (interval.low, interval.high) == pytest.approx((-half, half))
