import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from evenhand.errors import StatisticsError
from evenhand.stats import benjamini_hochberg, holm


@pytest.mark.parametrize(("function", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(deadline=None, max_examples=15)
def test_agrees_with_statsmodels(function, name, p):
    np.testing.assert_allclose(function(p).p_values, multipletests(p, method=name)[1], atol=1e-12)


@pytest.mark.parametrize("function", [holm, benjamini_hochberg])
@given(p=st.lists(st.floats(0, 1), min_size=1, max_size=10), seed=st.integers(0, 99))
@settings(deadline=None, max_examples=40)
def test_order_does_not_matter_and_nothing_gets_smaller(function, p, seed):
    order = np.random.default_rng(seed).permutation(len(p))
    adjusted = np.array(function(p).p_values)
    np.testing.assert_array_equal(np.array(function(np.array(p)[order]).p_values), adjusted[order])
    assert (adjusted >= np.array(p)).all()


def test_an_empty_family_stays_empty():
    assert holm([]).p_values == ()


def test_a_p_value_above_one_is_an_error():
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        holm([0.5, 1.5])
