import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import average_precision_score, brier_score_loss
from sklearn.metrics import log_loss as sklearn_log_loss

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal, auprc, brier, log_loss, reliability_curve


@st.composite
def predictions(draw):
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    # Rounded: ties must occur.
    p = rng.random(n).round(draw(st.sampled_from([1, 2, 12])))
    label = rng.random(n) < p
    label[:2] = [False, True]
    return p, label


@given(predictions())
@settings(deadline=None, max_examples=40)
def test_agree_with_scikit_learn(drawn):
    p, label = drawn
    assert auprc(p, label).value == pytest.approx(average_precision_score(label, p))
    assert brier(p, label).value == pytest.approx(brier_score_loss(label, p))
    assert log_loss(p, label).value == pytest.approx(sklearn_log_loss(label, p, labels=[0, 1]), rel=1e-6)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
@given(predictions())
@settings(deadline=None, max_examples=40)
def test_reliability_agrees_with_scikit_learn(strategy, drawn):
    p, label = drawn
    rate, mean = calibration_curve(label, p, n_bins=5, strategy=strategy)
    curve = reliability_curve(p, label, bins=5, strategy=strategy)
    np.testing.assert_allclose([b.rate for b in curve.bins], rate)
    np.testing.assert_allclose([b.mean_probability for b in curve.bins], mean)
    assert sum(b.n for b in curve.bins) == curve.n == len(p)
    gaps = sum(b.n * abs(b.rate - b.mean_probability) for b in curve.bins) / len(p)
    assert curve.expected_calibration_error == pytest.approx(gaps)


def test_a_certain_and_wrong_prediction_is_flagged():
    estimate = log_loss([1.0, 0.5], [0, 1])
    assert np.isfinite(estimate.value)
    assert any("1 certain predictions were wrong" in flag for flag in estimate.flags)


def test_nothing_to_score_is_refused():
    assert isinstance(auprc([0.1, 0.2], [0, 0]), Refusal)
    for function in (brier, log_loss, reliability_curve):
        assert isinstance(function([], []), Refusal)


@pytest.mark.parametrize(
    ("p", "label", "message"),
    [([1.2], [1], "between 0 and 1"), ([0.2], [2], "0 or 1"), ([np.nan], [1], "missing"), ([0.1, 0.2], [1], "length")],
)
def test_bad_input_is_an_error(p, label, message):
    with pytest.raises(StatisticsError, match=message):
        brier(p, label)
