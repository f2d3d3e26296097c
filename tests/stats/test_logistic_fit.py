import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.stats.design_matrix import design_matrix
from evenhand.stats.logistic_fit import LogisticFit, fit_logit
from evenhand.stats.regression import logit
from evenhand.stats.results import Refusal
from stats.regression_data import NAMES, SIZES, binary


def test_separation_is_named():
    y, x, clusters = binary(SIZES["balanced"])
    complete = logit(x[:, 0] > 0.1, x, clusters, names=NAMES)
    assert complete.reason.startswith("quality")
    assert complete.reason.endswith("completely: its coefficient is infinite")
    high = x[:, 0] > np.quantile(x[:, 0], 0.8)
    x[:, 2] = high
    some = logit(np.where(high, 1.0, y), x, clusters, names=NAMES)
    assert some.reason == "slot separates the outcomes of some rows: its coefficient is infinite"
    assert logit(np.ones(len(y)), x, clusters, names=NAMES).reason == "every outcome is 1: there is nothing to explain"


def test_a_large_effect_is_no_separation():
    rng = np.random.default_rng(1)
    x = rng.normal(size=4000)
    fit = logit(rng.random(4000) < 1 / (1 + np.exp(-8 * x)), x, np.arange(4000) // 4, names=["x"])
    assert fit.term("x").estimate.interval.low < 8 < fit.term("x").estimate.interval.high


@given(table=st.lists(st.integers(0, 6), min_size=4, max_size=4))
@settings(deadline=None, max_examples=60)
def test_two_by_two_tables_have_their_log_odds_ratio_or_are_refused(table):
    y = np.repeat([0.0, 1.0, 0.0, 1.0], table)
    x = np.repeat([0.0, 0.0, 1.0, 1.0], table)
    design = design_matrix(x, range(len(y)), names=["x"], intercept=True)
    if isinstance(design, Refusal):
        return
    fit = fit_logit(y, design)
    if 0 in table:
        assert isinstance(fit, Refusal)
    else:
        assert isinstance(fit, LogisticFit)
        odds = np.log(table[3] * table[0] / (table[1] * table[2]))
        assert (design.back @ fit.coefficients)[1] == pytest.approx(odds, abs=1e-7)
