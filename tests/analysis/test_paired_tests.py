"""Paired tests: over clusters, and pair by pair."""

import numpy as np
import pytest

from evenhand.analysis.paired_tests import MCNEMAR, mcnemar_test, signs_test
from evenhand.analysis.sampler import Sampler
from evenhand.stats import mcnemar


def sampler(clusters: list[int]) -> Sampler:
    return Sampler(clusters=np.array(clusters), seed=0, resamples=200, level=0.95)


def test_clusters_not_pairs_are_exchanged() -> None:
    first, second = np.ones(12, dtype=np.bool_), np.zeros(12, dtype=np.bool_)
    three = sampler([i // 4 for i in range(12)])
    (test,) = signs_test(first, second, pairs=np.arange(12), sampler=three, what="flips here against there", stream="s")
    assert (test.p_value, test.n, test.statistic) == (0.25, 3, 12)
    assert test.name == "sign-flip test over clusters, exact, flips here against there"
    (apart,) = mcnemar_test(12, 0, what="flips here against there")
    assert apart.p_value == pytest.approx(2 / 2**12)
    assert apart.name == f"{MCNEMAR}, flips here against there"
    assert "independent" in apart.caveat


@pytest.mark.parametrize(("b", "c"), [(6, 1), (3, 3), (0, 9)])
def test_with_a_pair_a_cluster_both_agree(b: int, c: int) -> None:
    first = np.array([True] * b + [False] * c + [True] * 4)
    second = np.array([False] * b + [True] * c + [True] * 4)
    pairs = np.arange(first.size)
    (test,) = signs_test(first, second, pairs=pairs, sampler=sampler(list(pairs)), what="flips", stream="s")
    assert test.p_value == pytest.approx(mcnemar(b, c).p_value)


def test_a_pair_that_stands_there_twice_is_in_one_cluster() -> None:
    first, second = np.array([True, True, False]), np.array([False, False, True])
    (test,) = signs_test(first, second, pairs=np.array([5, 5, 2]), sampler=sampler([*range(6)]), what="x", stream="s")
    assert (test.n, test.statistic) == (2, 1)


def test_nothing_differs() -> None:
    same = np.array([True, False])
    assert signs_test(same, same, pairs=np.arange(2), sampler=sampler([0, 1]), what="x", stream="s") == ()
    assert mcnemar_test(0, 0, what="x") == ()
