"""Numbers published in "The First Token Is Not the Verdict" (2026), reproduced from their counts."""

import numpy as np
import pytest

from evenhand.stats import Estimate, binomial_test, cluster_difference, cluster_rate, mcnemar

ROWS = np.arange(924)


def test_mcnemar_of_405_against_15():
    assert f"{mcnemar(405, 15).p_value:.1e}" == "1.0e-99"


def test_binomial_of_827_in_829():
    assert f"{binomial_test(827, 829).p_value:.1e}" == "1.9e-244"


@pytest.mark.parametrize(("count", "printed"), [(829, ".897"), (439, ".475")])
def test_flip_rates_of_the_924_non_compliant_pairs(count, printed):
    estimate = cluster_rate(count > ROWS, None, ROWS, rng=np.random.default_rng(0))
    assert isinstance(estimate, Estimate)
    assert f"{estimate.value:.3f}".removeprefix("0") == printed


def test_flip_difference_from_its_discordant_pairs():
    # 424 flip under both, 405 only when forced, 15 only when generated: 829 and 439 in all.
    forced = ROWS < 424 + 405
    generated = (ROWS < 424) | (ROWS >= 924 - 15)
    assert (forced.sum(), generated.sum()) == (829, 439)
    estimate = cluster_difference(forced, None, generated, None, ROWS, rng=np.random.default_rng(0))
    assert isinstance(estimate, Estimate)
    assert f"{estimate.value:.3f}" == "0.422"
    assert estimate.interval.low > 0.3


def test_hybrid_saves_all_but_1678_of_11596_generations():
    presentation = np.arange(11_596)
    estimate = cluster_rate(presentation >= 1_678, None, presentation // 2, rng=np.random.default_rng(0))
    assert isinstance(estimate, Estimate)
    assert f"{estimate.value:.1%}" == "85.5%"
