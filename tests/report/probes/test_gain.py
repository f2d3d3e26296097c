import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.report.probes.gain import gain_curve
from evenhand.stats import auroc

ROWS = st.lists(st.tuples(st.sampled_from((0.1, 0.2, 0.2001, 0.5, 0.9)), st.booleans()), min_size=2, max_size=40)


@given(ROWS)
def test_area_is_what_the_auroc_says(rows):
    """Half the flip rate, and the rest by AUROC: ties included."""
    risk, flips = np.array([r for r, _ in rows]), np.array([f for _, f in rows])
    curve = gain_curve(risk, flips)
    if not flips.any():
        assert curve is None
        return
    assert curve is not None
    area = float(np.trapezoid(curve.found, curve.swapped))
    rate = flips.mean()
    ranked = 0.0 if flips.all() else auroc(risk, flips).value
    assert area == pytest.approx(rate / 2 + (1 - rate) * ranked)


@given(ROWS)
def test_curve_rises_from_nothing_to_everything(rows):
    curve = gain_curve([r for r, _ in rows], [True, *(f for _, f in rows[1:])])
    assert (curve.swapped[0], curve.found[0]) == (0.0, 0.0)
    assert (curve.swapped[-1], curve.found[-1]) == (1.0, 1.0)
    assert (np.diff(curve.swapped) > 0).all()
    assert (np.diff(curve.found) >= 0).all()


def test_a_constant_is_swapping_at_random():
    curve = gain_curve([0.3] * 10, [1, 0] * 5)
    assert [curve.at(share) for share in (0.0, 0.25, 0.5, 1.0)] == [0.0, 0.25, 0.5, 1.0]


def test_a_perfect_predictor_finds_all_within_the_flip_rate():
    curve = gain_curve([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0])
    assert curve.at(0.5) == 1.0
    assert curve.at(0.25) == 0.5


def test_a_thinned_curve_keeps_its_ends_and_lies_on_the_whole_one():
    rng = np.random.default_rng(0)
    curve = gain_curve(rng.random(5000), rng.random(5000) < 0.3)
    thin = curve.thinned(50)
    assert len(thin.swapped) == 50
    assert (thin.swapped[0], thin.found[-1]) == (0.0, 1.0)
    assert [curve.at(x) for x in thin.swapped] == pytest.approx(list(thin.found))
    assert thin.thinned(50) is thin


@pytest.mark.parametrize(("risk", "flips"), [([0.1, 0.2], [1]), ([0.1, float("nan")], [0, 1])])
def test_what_is_no_prediction_is_refused(risk, flips):
    with pytest.raises(StatisticsError, match="gain needs"):
        gain_curve(risk, flips)
