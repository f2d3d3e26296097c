from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from evenhand.errors import ConfigError
from evenhand.report.probes.figures import figure_svg, figures_of, write_figures
from evenhand.report.probes.view import build_probe_view
from report.probes.examples import TOO_RARE, make_predictions, refused


def test_there_are_four_figures(view):
    assert [info.name for info in figures_of(view)] == ["auroc", "calibration", "learning", "gain"]


def test_nothing_to_draw_no_figure(report):
    bare = build_probe_view(refused(report, TOO_RARE), make_predictions(report))
    assert [info.name for info in figures_of(bare)] == ["calibration"]
    with pytest.raises(ConfigError, match="no figure 'gain'"):
        figure_svg("gain", bare)


def test_figures_tell_what_they_show_and_hold_no_style(view):
    for info in figures_of(view):
        svg = figure_svg(info.name, view)
        root = ET.fromstring(svg)  # noqa: S314 - our own
        assert root.get("role") == "img"
        assert "style=" not in svg
        assert info.title in svg
        assert "probe" in svg
    assert "probe: 0.664 [0.601, 0.723]" in figure_svg("auroc", view)
    assert "at random" in figure_svg("gain", view)


def test_same_view_same_bytes(view, tmp_path):
    first = write_figures(view, tmp_path / "a", formats=("svg", "pdf"))
    second = write_figures(view, tmp_path / "b", formats=("svg", "pdf"))
    names = [f"{n}.{f}" for n in ("auroc", "calibration", "learning", "gain") for f in ("svg", "pdf")]
    assert [p.name for p in first] == names
    assert [p.read_bytes() for p in first] == [p.read_bytes() for p in second]


def test_an_unknown_format_writes_nothing(view, tmp_path):
    with pytest.raises(ConfigError, match="'gif'"):
        write_figures(view, tmp_path / "figures", formats=("svg", "gif"))
    assert not (tmp_path / "figures").exists()


def test_hostile_labels_are_text(hostile_view):
    for info in figures_of(hostile_view):
        svg = figure_svg(info.name, hostile_view)
        assert "<script" not in svg
        assert "<img" not in svg
        ET.fromstring(svg)  # noqa: S314 - our own


def test_a_view_without_predictions_has_no_gain(view):
    assert "gain" not in [info.name for info in figures_of(replace(view, gains=()))]
