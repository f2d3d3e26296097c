import itertools

import matplotlib as mpl
import pytest

from evenhand.analysis.displays import Flow, FlowCell, Lead
from evenhand.records import Order, Outcome, Readout
from evenhand.report.draw import STYLE
from evenhand.report.draw_flow import draw_flow, flow_words
from evenhand.report.panel_model import FlowPanel
from evenhand.stats import Refusal
from report.panel_examples import flow, panels, share

DIVERGED = "#d55e00"


def drawn(*made):
    with mpl.rc_context(STYLE):
        return draw_flow(made)


def bands(axes):
    """Colour and height at the left end of every band."""
    for band in axes.collections:
        points = band.get_paths()[0].vertices
        left = points[points[:, 0] == points[:, 0].min()]
        yield mpl.colors.to_hex(band.get_facecolor()[0]), left[:, 1].max() - left[:, 1].min()


def test_bands_are_as_wide_as_their_counts_and_divergence_is_orange():
    (panel,) = panels().flows
    (axes,) = drawn(panel).axes
    found = list(bands(axes))
    counts = [70, 8, 2, 4, 5, 1]
    unit = found[0][1] / 70
    assert [height / unit for _, height in found] == pytest.approx(counts, rel=1e-6)
    assert [colour == DIVERGED for colour, _ in found] == [False, True, True, False, False, False]
    said = [text.get_text() for text in axes.texts]
    assert any("ended on the other label: 10 of 80, 12.5 % [7.0, 22.0]" in text for text in said)
    assert "first label 78" in said
    assert "refused 5, 5.6 %" in said


def test_every_node_is_inside_the_plot_and_apart_from_the_next():
    many = tuple(
        FlowCell(order=Order.AB, lead=lead, conclusion=end, count=1 if end is not Outcome.FIRST else 5000)
        for lead in Lead
        for end in Outcome
    )
    panel = FlowPanel(flow=Flow(condition="c", readout=Readout.GENERATED, cells=many), divergence=None)
    (axes,) = drawn(panel).axes
    for column in (0.0, 1.0):
        nodes = sorted(
            (patch.get_xy()[:, 1].min(), patch.get_xy()[:, 1].max())
            for patch in axes.patches
            if (patch.get_xy()[:, 0].min() < 0.5) == (column == 0.0)
        )
        assert nodes[0][0] >= -1e-9
        assert nodes[-1][1] <= 1 + 1e-9
        assert all(below[0] > above[1] for above, below in itertools.pairwise(nodes))


def test_one_node_on_a_side_is_drawn():
    cells = (FlowCell(order=Order.AB, lead=Lead.FIRST, conclusion=Outcome.FIRST, count=3),)
    panel = FlowPanel(flow=Flow(condition="c", readout=Readout.GENERATED, cells=cells), divergence=share(0, 3, 0, 0.6))
    (axes,) = drawn(panel).axes
    assert len(axes.patches) == 2


def test_words_tell_every_band_by_order_and_the_divergence():
    words = flow_words(FlowPanel(flow=flow(), divergence=Refusal(reason="needs at least 5 clusters, has 2")))
    for cell in flow().cells:
        assert f"ended {cell.conclusion.value}: {cell.count}" in words
    assert "order BA, led with no verdict token" not in words
    assert "order AB, led with no verdict token, ended refused: 5" in words
    assert "10 of 80 that led with a label" in words
    assert "no rate: needs at least 5 clusters" in words
