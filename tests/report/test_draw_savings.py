from dataclasses import replace

import matplotlib as mpl
import pytest

from evenhand.analysis.displays import Spending
from evenhand.report.draw import STYLE
from evenhand.report.draw_savings import draw_savings, savings_words
from report.panel_examples import curve, panels

(PANEL,) = panels().savings


def drawn(*made):
    with mpl.rc_context(STYLE):
        return draw_savings(made)


def lines(axes):
    return {line.get_label(): (list(line.get_xdata()), list(line.get_ydata())) for line in axes.lines}


def test_both_ends_of_a_swap_curve_are_known_and_chance_is_drawn():
    swaps, texts = drawn(PANEL).axes
    x, y = lines(swaps)["generated"]
    assert (x[0], y[0], x[-1], y[-1]) == (0.0, 0.0, 1.0, 1.0)
    assert lines(swaps)["at random"] == ([0, 1], [0, 1])
    assert {"first-token", "generated"} <= set(lines(swaps))
    x, y = lines(texts)["least sure first"]
    assert (x[-1], y[-1]) == (1.0, 1.0)
    assert x[0] == pytest.approx(0.1)
    assert lines(texts)["hybrid readout"] == ([0.3], [0.95])


def test_the_band_is_the_interval():
    swaps, _ = drawn(PANEL).axes
    band = swaps.collections[0].get_paths()[0].vertices
    for point in curve().points:
        own = band[abs(band[:, 0] - point.share) < 1e-9][:, 1]
        assert (own.min(), own.max()) == pytest.approx((point.figure.interval.low, point.figure.interval.high))


def test_what_a_run_lacks_is_not_drawn():
    (axes,) = drawn(replace(PANEL, text=None, hybrid=None)).axes
    assert axes.get_title(loc="left") == "flips found"
    (axes,) = drawn(replace(PANEL, swaps=())).axes
    assert axes.get_title(loc="left") == "agree with reading every text"
    assert len(drawn(PANEL, PANEL).axes) == 4


def test_words_tell_points_and_the_hybrid_readout():
    words = savings_words(PANEL)
    assert "flips of the generated readout found" in words
    assert "10.0 %: 31.0 % [0, 100]" in words
    assert "(100 flips of 200 pairs)" in words
    assert "generated 30.0 % [20.0, 40.0] and agreed in 95.0 % [90.0, 98.0]" in words
    assert Spending.TEXT.value == "text"
