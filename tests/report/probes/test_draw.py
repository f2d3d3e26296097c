from dataclasses import replace

import pytest

from evenhand.report.probes import draw
from evenhand.report.probes.lines import KIND_NAMES


def test_the_auroc_axis_holds_every_interval_and_chance(view):
    low = replace(view.aurocs[0], low=0.21, high=0.33, value=0.27)
    axes = draw.aurocs(replace(view, aurocs=(low, *view.aurocs[1:]))).axes[0]
    assert axes.get_xlim()[0] < 0.21
    assert axes.get_xlim()[1] == 1.0
    assert any(list(line.get_xdata()) == [0.5, 0.5] for line in axes.lines)


def test_learning_bars_are_the_intervals(view):
    axes = draw.learning(view).axes[0]
    bars = {tuple(line.get_ydata()) for line in axes.lines if len(line.get_xdata()) == 2}
    (curve,) = view.learning
    assert set(zip(curve.low, curve.high, strict=True)) <= bars


def test_a_point_without_interval_has_no_bar(view):
    (curve,) = view.learning
    bare = replace(curve, low=(None,) * 4, high=(None,) * 4)
    axes = draw.learning(replace(view, learning=(bare,))).axes[0]
    assert [len(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 4] == [4]
    assert not [line for line in axes.lines if len(line.get_xdata()) == 2 and line.get_ydata()[0] != 0.5]


@pytest.mark.parametrize("name", ["calibration", "gains"])
def test_shares_are_drawn_from_nothing_to_all(view, name):
    axes = getattr(draw, name)(view).axes[0]
    assert (axes.get_xlim(), axes.get_ylim()) == ((0.0, 1.0), (0.0, 1.0))
    assert axes.get_legend() is not None


def test_unknown_flip_rate_draws_no_line_for_it(view):
    for name in ("calibration", "gains"):
        known = len(getattr(draw, name)(view).axes[0].lines)
        assert len(getattr(draw, name)(replace(view, flip_share=None)).axes[0].lines) == known - 1


def test_every_kind_of_predictor_has_a_look():
    assert {kind.value for kind in KIND_NAMES} <= draw.SERIES.keys()
