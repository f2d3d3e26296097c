from dataclasses import replace

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from audits.bias.observed import Sample, Truth, draw_pairs, judge, observed, pairs_of, sampler, verdict_frame
from evenhand.audits.bias.features import pair_features
from evenhand.audits.bias.length_model import fit_length, length_rows, per_doubling
from evenhand.stats import Estimate, Interval, Refusal


def made(seed=0, *, names=None, **options):
    rng = np.random.default_rng(seed)
    sample = draw_pairs(rng, 120, length_by_quality=0.2)
    chose = judge(rng, sample, Truth(length=0.6, slot=0.5, own=0.6))
    return sample, chose, observed(verdict_frame(sample, chose, **options), pairs_of(sample, **(names or {})))


def fit(data, **options):
    features = pair_features(data)
    rows = length_rows(data.wide.scopes[0], features)
    return fit_length(rows, features, sampler(data), **{"outcome": "choice", "quality": True, **options})


def test_rows_and_coefficients_by_hand():
    sample, chose, data = made()
    rows = length_rows(data.wide.scopes[0], pair_features(data))
    assert len(rows.pairs) == 240
    assert rows.chose_a.reshape(120, 2).tolist() == chose.tolist()
    assert rows.slot.reshape(120, 2).tolist() == [[0.5, -0.5]] * 120
    x = np.column_stack([np.repeat(sample.log_ratio, 2), np.repeat(sample.gold, 2), np.tile([0.5, -0.5], 120)])
    theirs = OLS(chose.ravel() - 0.5, x).fit().params
    regression = fit(data).regression
    assert regression.coefficients == pytest.approx(theirs)
    assert [term.name for term in regression.terms] == ["length", "quality", "slot"]


@pytest.mark.parametrize("outcome", ["choice", "odds"])
def test_which_response_is_called_a_makes_no_difference(outcome):
    sample, chose, data = made(names={"mine": "x", "other": "y"})
    turned = np.random.default_rng(9).random(120) < 0.5

    def swap(a, b):
        return np.where(turned, b, a)

    other = Sample(
        gold=swap(sample.gold, -sample.gold),
        own=swap(sample.own, -sample.own),
        length_a=swap(sample.length_a, sample.length_b),
        length_b=swap(sample.length_b, sample.length_a),
        group=sample.group,
    )
    # The other name in the other order is the same presentation.
    renamed = np.where(turned[:, None], ~chose[:, ::-1], chose)
    again = observed(verdict_frame(other, renamed), pairs_of(other, mine="x", other="y"))
    one, two = fit(data, outcome=outcome).regression, fit(again, outcome=outcome).regression
    assert two.coefficients == pytest.approx(one.coefficients, rel=1e-6, abs=1e-8)
    assert two.covariance == pytest.approx(one.covariance, rel=1e-6, abs=1e-10)


def test_authors_have_terms_where_all_are_known():
    _, _, data = made(names={"mine": "x", "other": "y"})
    assert [term.name for term in fit(data).regression.terms][3:] == ["author x"]
    assert fit(data).authors
    pairs = dict(data.pairs)
    pairs["p00003"] = replace(pairs["p00003"], author_a=None)
    assert not fit(replace(data, pairs=pairs)).authors


def test_the_three_ratios_are_made_where_asked():
    _, _, data = made()
    ratios = dict(fit(data, ratio=True).ratio)
    regression = fit(data).regression
    value = regression.term("length").estimate.value / regression.term("quality").estimate.value
    assert list(ratios) == ["fieller", "delta", "bootstrap"]
    assert [ratio.value for ratio in ratios.values()] == pytest.approx([value] * 3)
    assert fit(data).ratio == ()
    assert fit(data, quality=False, ratio=True).ratio == ()


def test_rows_without_quality_do_not_enter_and_none_is_refused():
    _, _, data = made(gold=False)
    assert isinstance(fit(data), Refusal)
    assert fit(data, quality=False).regression.n == 240


def test_per_doubling_scales_value_and_interval():
    doubled = per_doubling(Estimate(value=1.0, interval=Interval(low=-1.0, high=3.0), n=9))
    assert (doubled.value, doubled.interval.low, doubled.interval.high) == pytest.approx(
        (np.log(2), -np.log(2), 3 * np.log(2))
    )
