"""Folds: whole groups, balanced, and nothing but names, sizes and the seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.probes.folds import grouped_folds, inner_seed

names = st.lists(st.text(max_size=3), min_size=1, max_size=60)


@given(names, st.integers(2, 6), st.integers(0, 5))
def test_every_group_is_in_one_fold_and_no_fold_is_empty(groups: list[str], folds: int, seed: int) -> None:
    if len(set(groups)) < folds:
        with pytest.raises(StatisticsError, match=f"need at least {folds} groups, there are {len(set(groups))}"):
            grouped_folds(groups, folds=folds, seed=seed)
        return
    fold = grouped_folds(groups, folds=folds, seed=seed)
    assert len({(group, at) for group, at in zip(groups, fold.tolist(), strict=True)}) == len(set(groups))
    assert set(fold.tolist()) == set(range(folds))


@given(names, st.integers(0, 5))
def test_sizes_differ_by_no_more_than_the_largest_group(groups: list[str], seed: int) -> None:
    if len(set(groups)) < 3:
        return
    sizes = np.bincount(grouped_folds(groups, folds=3, seed=seed))
    assert sizes.max() - sizes.min() <= max(groups.count(group) for group in groups)


@given(names, st.randoms())
def test_the_order_of_rows_does_not_matter(groups: list[str], random) -> None:
    if len(set(groups)) < 2:
        return
    order = list(range(len(groups)))
    random.shuffle(order)
    fold = grouped_folds(groups, folds=2, seed=0)
    assert grouped_folds([groups[i] for i in order], folds=2, seed=0).tolist() == fold[order].tolist()


def test_another_seed_deals_otherwise_and_the_same_seed_the_same() -> None:
    groups = [f"q{i}" for i in range(100)]
    first = grouped_folds(groups, folds=5, seed=0)
    assert first.tolist() == grouped_folds(groups, folds=5, seed=0).tolist()
    assert 0.1 < np.mean(first == grouped_folds(groups, folds=5, seed=1)) < 0.35


def test_the_deal_is_the_same_on_every_machine() -> None:
    assert grouped_folds([f"q{i}" for i in range(12)], folds=3, seed=7).tolist() == PINNED


PINNED = [0, 2, 0, 0, 2, 2, 1, 1, 1, 0, 1, 2]


def test_inner_seeds_differ_between_folds_and_seeds() -> None:
    assert len({inner_seed(seed, fold) for seed in range(20) for fold in range(20)}) == 400


def test_one_fold_is_no_cross_validation() -> None:
    with pytest.raises(StatisticsError, match="1 folds: cross-validation needs at least 2"):
        grouped_folds(["a", "b"], folds=1, seed=0)
