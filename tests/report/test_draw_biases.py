import matplotlib as mpl
import pytest

from evenhand.report.draw import CLASSES, STYLE
from evenhand.report.draw_biases import BIAS_SERIES, bias_words, draw_biases
from report.panel_examples import bias_rows


def drawn(rows):
    with mpl.rc_context(STYLE):
        (axes,) = draw_biases(rows).axes
    return axes


def test_shown_effects_differ_in_colour_and_mark_from_the_others():
    marks = {
        line.get_marker(): line.get_color()
        for line in drawn(bias_rows()).lines
        if line.get_marker() not in ("None", None)
    }
    assert marks == {mark: colour for colour, mark in BIAS_SERIES.values()}
    assert {colour for colour, _ in BIAS_SERIES.values()} <= set(CLASSES)


def test_dotted_lines_reach_as_far_as_a_repeat_s_changes():
    axes = drawn(bias_rows())
    upright = sorted(line.get_xdata()[0] for line in axes.lines if list(line.get_ydata()) == [0, 1])
    assert upright == pytest.approx([-0.08, 0.0, 0.08])
    without = drawn([row for row in bias_rows() if row.series != "repeat"])
    assert [line.get_xdata()[0] for line in without.lines if list(line.get_ydata()) == [0, 1]] == [0.0]


def test_a_long_name_stays_in_its_margin():
    axes = drawn(bias_rows("tone=assertive against tone=hedged under the second condition"))
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = axes.figure
    renderer = FigureCanvasAgg(figure).get_renderer()
    left = axes.get_window_extent(renderer).x0
    names = [text for text in axes.texts if text.get_ha() == "left" and text.get_fontweight() == "normal"]
    assert len(names) == 4
    assert all(text.get_window_extent(renderer).x1 < left for text in names)


def test_words_say_what_the_star_means():
    words = [bias_words(row) for row in bias_rows()]
    assert words[0] == "position, net lean, generated: +30.0 pp [+20.0, +40.0], shown after Holm"
    assert words[3].endswith("[−15.0, +5.0]")
