import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal, cohen_kappa


@given(pairs=st.lists(st.tuples(st.sampled_from("ABC"), st.sampled_from("ABC")), min_size=1, max_size=60))
@settings(deadline=None, max_examples=40)
def test_agrees_with_scikit_learn(pairs):
    a, b = zip(*pairs, strict=True)
    ours = cohen_kappa(a, b)
    if len(set(a) | set(b)) == 1:
        assert isinstance(ours, Refusal)
        return
    theirs = cohen_kappa_score(a, b)
    assert not math.isnan(theirs)
    assert ours.value == pytest.approx(theirs)


def test_labels_of_any_hashable_kind():
    assert cohen_kappa([("a", 1), None, 3], [("a", 1), None, 3]).value == pytest.approx(1.0)


def test_no_items_is_refused_and_unequal_lengths_are_an_error():
    assert isinstance(cohen_kappa([], []), Refusal)
    with pytest.raises(StatisticsError, match="a has 1, b has 2"):
        cohen_kappa([1], [1, 2])
