import matplotlib as mpl
import pytest

from evenhand.report.draw import STYLE
from evenhand.report.draw_reliability import draw_reliability, reliability_words
from report.panel_examples import refused_reliability, reliability


def drawn(*made):
    with mpl.rc_context(STYLE):
        return draw_reliability(made)


def test_a_dot_for_each_bin_where_it_belongs():
    (axes,) = drawn(reliability()).axes
    dots = [
        (line.get_xdata()[0], line.get_ydata()[0]) for line in axes.lines if line.get_marker() not in ("None", None)
    ]
    assert dots == [pytest.approx(place) for place in ((0.55, 0.4), (0.7, 0.6), (0.9, 0.7))]
    whiskers = [
        tuple(line.get_ydata()) for line in axes.lines if len(set(line.get_xdata())) == 1 < len(line.get_xdata())
    ]
    assert whiskers == [(0.2, 0.9)] * 3


def test_figures_stand_beside_the_diagram():
    said = [text.get_text().replace("\n", " ") for text in drawn(reliability()).texts]
    assert "60 pairs in 3 bins of 20" in said
    assert "compliance 41.7 %" in said
    assert "calibration error 11.5 % [0, 26.5]" in said
    assert any("sure minus right +10.0 pp [−1.0, +20.0]" in text for text in said)
    assert "left out: 4 without log-odds" in said


def test_a_refusal_stands_in_the_place_of_a_diagram():
    figure = drawn(refused_reliability())
    assert figure.axes == []
    assert "refused: needs at least 40 pairs, has 12" in [text.get_text() for text in figure.texts]
    both = drawn(reliability(), refused_reliability())
    assert len(both.axes) == 1
    assert both.get_size_inches()[1] < 2 * drawn(reliability()).get_size_inches()[1]


def test_words_tell_bins_and_figures():
    words = reliability_words(reliability())
    assert "sure at 50.0 % to 60.0 %, 55.0 % on average: right in 40.0 % [20.0, 90.0] of 20 pairs" in words
    assert "calibration error 11.5 % [0, 26.5]" in words
    assert "no diagram, needs at least 40 pairs" in reliability_words(refused_reliability())
