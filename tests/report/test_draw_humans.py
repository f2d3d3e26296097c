import matplotlib as mpl
import pytest

from evenhand.report.draw import SERIES, STYLE
from evenhand.report.draw_humans import draw_humans, human_points, human_words
from report.humans_examples import BELOW, beside, human_rows, scope


def drawn(rows):
    with mpl.rc_context(STYLE):
        (axes,) = draw_humans(rows).axes
    return axes


def test_every_readout_has_its_own_mark_and_a_refused_one_none():
    marks = [line.get_marker() for line in drawn(human_rows()).lines if line.get_marker() not in ("None", None)]
    assert marks == [SERIES["generated"][1], SERIES["first-token"][1]]


def test_no_difference_and_what_is_negligible_have_a_line():
    upright = sorted(line.get_xdata()[0] for line in drawn(human_rows()).lines if list(line.get_ydata()) == [0, 1])
    assert upright == pytest.approx([-0.05, 0.0])


def test_a_figure_far_off_is_within_the_axes():
    (point,) = human_points(beside(scope(gap=BELOW)), names={"c": "short"})
    assert (point.group, point.value, point.low, point.high) == ("short", -0.2, -0.3, -0.1)
    low, high = drawn([point]).get_xlim()
    assert low < -0.3
    assert high > 0.25


def test_rows_are_told_in_words():
    assert human_words(human_rows()[0]) == "c, generated: −20.0 pp [−30.0, −10.0]"
    assert human_words(human_rows()[2]).startswith("c, hybrid: refused: ")
