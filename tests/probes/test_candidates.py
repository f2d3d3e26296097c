"""Candidates: blocks cover their columns, and what can't be fitted is named."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.probes.candidates import Block, Candidate, check_candidates
from evenhand.probes.standardise import standardised


def test_joined_parts_have_equal_shares_of_a_standardised_rows_length() -> None:
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=(50, 6)), rng.normal(size=(50, 96)).astype(np.float32)]
    both = Candidate.joined("both", parts)
    assert both.blocks == (Block(width=6, weight=4.0), Block(width=96, weight=1.0))
    z, _ = standardised(both.features, np.arange(50), both.column_weights)
    assert (z[:, :6] ** 2).sum() == pytest.approx((z[:, 6:] ** 2).sum())


def test_weights_of_one_are_none() -> None:
    x = np.zeros((3, 2))
    assert Candidate(name="a", features=x).column_weights is None
    assert Candidate(name="a", features=x, blocks=(Block(width=2),)).column_weights is None
    blocks = (Block(width=1, weight=3.0), Block(width=1))
    weights = Candidate(name="a", features=x, blocks=blocks).column_weights
    assert weights is not None
    assert weights.tolist() == [3.0, 1.0]


@pytest.mark.parametrize(
    ("features", "blocks", "message"),
    [
        (np.zeros(3), (), r"shape \(3,\), expected \(n, d\)"),
        (np.zeros((3, 0)), (), r"shape \(3, 0\)"),
        (np.zeros((3, 2)), (Block(width=3),), "blocks cover 3 columns, there are 2"),
        (np.zeros((3, 2)), (Block(width=2, weight=0.0),), "block weight 0.0"),
        (np.zeros((3, 2)), (Block(width=2, weight=np.nan),), "block weight nan"),
    ],
)
def test_malformed_candidates_are_refused(features: np.ndarray, blocks: tuple[Block, ...], message: str) -> None:
    with pytest.raises(StatisticsError, match=message):
        Candidate(name="odd", features=features, blocks=blocks)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_features_that_are_not_finite_are_named(value: float) -> None:
    x = np.zeros((5, 3), dtype=np.float32)
    x[3, 1] = value
    with pytest.raises(StatisticsError, match="'layer 7': features of row 3 are not finite"):
        check_candidates([Candidate(name="fine", features=np.zeros((5, 1))), Candidate(name="layer 7", features=x)], 5)


def test_large_finite_features_pass_though_their_sum_overflows() -> None:
    x = np.full((4, 3), 3e38, dtype=np.float32)
    check_candidates([Candidate(name="large", features=x)], 4)


def test_none_twice_or_of_another_length_is_refused() -> None:
    one = Candidate(name="a", features=np.zeros((4, 1)))
    with pytest.raises(StatisticsError, match="give at least one"):
        check_candidates([], 4)
    with pytest.raises(StatisticsError, match="'a' occurs twice"):
        check_candidates([one, one], 4)
    with pytest.raises(StatisticsError, match="'a' has 4 rows, expected 5"):
        check_candidates([one], 5)
