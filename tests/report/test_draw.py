import matplotlib as mpl
import pytest

from evenhand.records import Readout
from evenhand.report import draw


@pytest.mark.parametrize("figure", [draw.rates, draw.differences, draw.locks, draw.outcomes])
def test_figures_touch_no_global_state(view, figure):
    before = dict(mpl.rcParams)
    with mpl.rc_context(draw.STYLE):
        drawn = figure(view)
    assert dict(mpl.rcParams) == before
    assert drawn.axes


def test_every_state_and_series_has_a_colour_of_its_own_class():
    colours = [colour for colour, _ in draw.SERIES.values()] + list(draw.STATES.values())
    assert set(colours) <= set(draw.CLASSES)
    assert len(set(draw.STATES.values())) == len(draw.STATES) == 7


def test_a_bar_is_as_long_as_its_share(view):
    with mpl.rc_context(draw.STYLE):
        axes = draw.locks(view).axes[0]
    widths = [patch.get_width() for patch in axes.patches]
    assert widths[:4] == pytest.approx([0.0, 57 / 60, -4 / 58, 22 / 58])


def test_every_readout_has_a_series_and_no_two_share_a_colour_and_a_mark():
    assert {readout.value for readout in Readout} <= set(draw.SERIES)
    readouts = [draw.SERIES[readout.value] for readout in Readout]
    assert len({colour for colour, _ in readouts}) == len({mark for _, mark in readouts}) == len(readouts)
