import numpy as np
import pytest

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import as_labels, as_numbers, check_level, check_same_length


def test_a_missing_entry_is_named():
    with pytest.raises(StatisticsError, match=r"scores\[1\] is nan; leave out missing entries"):
        as_numbers("scores", [0.0, float("nan")])
    with pytest.raises(StatisticsError, match="scores must be numbers"):
        as_numbers("scores", [None, "tie"])


def test_large_finite_numbers_pass_although_their_sum_overflows():
    assert as_numbers("scores", [1e308, 1e308]).tolist() == [1e308, 1e308]


def test_labels_are_zero_or_one():
    assert as_labels("labels", [1, 0]).tolist() == [True, False]
    with pytest.raises(StatisticsError, match="labels must be 0 or 1"):
        as_labels("labels", [0.5])
    with pytest.raises(StatisticsError, match="one dimension"):
        as_labels("labels", np.array([[True]]))


def test_lengths_and_levels():
    with pytest.raises(StatisticsError, match="a has 1, b has 2"):
        check_same_length(a=[1], b=[1, 2])
    with pytest.raises(StatisticsError, match="level"):
        check_level(1.0)
