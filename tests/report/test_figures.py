from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from evenhand.errors import ConfigError
from evenhand.report.figures import FIGURES, figure_svg, figures_of, write_figures
from evenhand.report.text import visible
from report.humans_examples import human_rows
from report.panel_examples import bias_rows, panels

BY_HAND = {
    "slots",
    "biases",
    "humans",
    "flow",
    "calibration",
    "savings",
}  # drawn from panels, which this audit has none of
NAMES = [info.name for info in FIGURES if info.name not in {"design", *BY_HAND}]  # this view has no grid


@pytest.mark.parametrize("name", NAMES)
def test_same_view_same_bytes_and_named_for_those_who_hear_it(view, name):
    svg = figure_svg(name, view)
    assert svg == figure_svg(name, view)
    root = ET.fromstring(svg)  # noqa: S314 - our own figure
    assert root.get("role") == "img"
    labelled = root.get("aria-labelledby").split()
    ids = {e.get("id"): e for e in root.iter() if e.get("id")}
    assert all(ids[label].text for label in labelled)


def test_figures_show_the_figures(view):
    assert "95.0 % [88.0, 99.0]" in figure_svg("rates", view)
    assert "refused: " in figure_svg("differences", view)
    assert "4 : 22 of 58" in figure_svg("locks", view)
    states = figure_svg("outcomes", view)
    assert all(f">{state}</text>" in states for state in ("first", "tie", "refused", "unparsed", "truncated", "error"))


def test_dollars_are_no_mathematics():
    from evenhand.report import draw

    assert draw.STYLE["text.parse_math"] is False


def test_hostile_names_are_text(hostile_view):
    for info in figures_of(hostile_view):
        svg = figure_svg(info.name, hostile_view)
        root = ET.fromstring(svg)  # noqa: S314 - our own figure
        assert {e.tag for e in root.iter()} <= {
            "svg", "title", "desc", "g", "path", "rect", "circle", "line", "text", "tspan", "use", "defs", "clipPath"
        }  # fmt: skip
        for element in root.iter():
            assert "style" not in element.attrib
            assert element.get("href", "#").startswith("#")


def test_files_are_written_in_each_format_and_the_same_each_time(view, tmp_path):
    small = replace(view, differences=(), locks=(), outcomes=())
    paths = write_figures(small, tmp_path / "figures", formats=("svg", "pdf", "png"))
    assert [p.name for p in paths] == ["rates.svg", "rates.pdf", "rates.png"]
    first = [p.read_bytes() for p in paths]
    for data, start in zip(first, (b"<?xml", b"%PDF", b"\x89PNG"), strict=True):
        assert data.startswith(start)
    write_figures(small, tmp_path / "figures", formats=("svg", "pdf", "png"))
    assert first == [p.read_bytes() for p in paths]


@pytest.mark.parametrize("name", sorted(BY_HAND))
def test_panels_are_drawn_and_told_in_words(view, name):
    full = replace(view, panels=panels(), biases=bias_rows(), people=human_rows())
    svg = figure_svg(name, full)
    assert svg == figure_svg(name, full)
    root = ET.fromstring(svg)  # noqa: S314 - our own figure
    words = root.find("desc").text
    info = next(info for info in FIGURES if info.name == name)
    assert words.startswith(info.caption)
    assert len(words) > len(info.caption) + 100
    assert all("style" not in element.attrib for element in root.iter())
    assert name not in [info.name for info in figures_of(view)]


def test_every_figure_comes_in_every_format_with_truetype_fonts(view, tmp_path):
    full = replace(view, panels=panels(), biases=bias_rows(), people=human_rows())
    paths = write_figures(full, tmp_path, formats=("svg", "pdf", "png"))
    names = {*NAMES, *BY_HAND}
    assert {path.name for path in paths} == {f"{each}.{form}" for each in names for form in ("svg", "pdf", "png")}
    for path in paths:
        data = path.read_bytes()
        if path.suffix == ".pdf":
            assert b"/FontFile2" in data
            assert b"/Type3" not in data


def test_hostile_names_of_panels_are_text(hostile, view):
    name = visible(hostile)
    full = replace(view, panels=panels(name), biases=bias_rows(name), people=human_rows(name))
    for figure in sorted(BY_HAND):
        svg = figure_svg(figure, full)
        assert len(svg) < 1_500_000
        root = ET.fromstring(svg)  # noqa: S314 - our own figure
        assert {e.tag for e in root.iter()} <= {
            "svg", "title", "desc", "g", "path", "rect", "circle", "line", "text", "tspan", "use", "defs", "clipPath"
        }  # fmt: skip
        assert all("style" not in element.attrib for element in root.iter())


def test_figures_stay_narrow_and_of_few_marks(view):
    full = replace(view, panels=panels(), biases=bias_rows(), people=human_rows())
    for info in figures_of(full):
        root = ET.fromstring(figure_svg(info.name, full))  # noqa: S314 - our own figure
        _, _, width, _ = map(float, root.get("viewBox").split())
        # Letters of 7 points are then 8 pixels or more at the narrowest, 29rem wide inside its scrolling region.
        assert width <= 5.6 * 72 + 1
        sizes = [float(e.get("font-size").removesuffix("px")) for e in root.iter("text") if e.get("font-size")]
        assert min(sizes) >= 6.5
        assert sum(1 for _ in root.iter("path")) + sum(1 for _ in root.iter("use")) < 400


def test_unknown_names_and_formats_are_refused(view, tmp_path):
    with pytest.raises(ConfigError, match="no figure 'pie' in this report"):
        figure_svg("pie", view)
    with pytest.raises(ConfigError, match="figure format 'gif'"):
        write_figures(view, tmp_path, formats=("gif",))


def test_a_figure_of_refusals_alone_is_not_drawn(view):
    from dataclasses import replace

    from evenhand.report.figures import figures_of

    refused = tuple(replace(point, value=None, low=None, high=None) for point in view.differences)
    names = [info.name for info in figures_of(replace(view, differences=refused))]
    assert "differences" not in names
    assert "differences" in [info.name for info in figures_of(view)]


def test_a_grid_has_a_figure_of_its_levels(designed, view_of):
    view = view_of(designed)
    svg = figure_svg("design", view)
    assert svg == figure_svg("design", view)
    assert "criteria=none, against before" in svg
    assert "flips, generated" in svg


def test_every_series_has_a_colour_in_light_and_dark(remedied, budgeted, designed, view_of):
    from importlib.resources import files

    from evenhand.report import draw

    css = files("evenhand.report").joinpath("templates/report.css").read_text(encoding="utf-8")
    light, dark = css.split("prefers-color-scheme: dark", 1)
    for run in (remedied, budgeted, designed):
        view = view_of(run)
        for point in (*view.rates, *view.effects):
            name = draw.CLASSES[draw.SERIES[point.series][0]]
            assert f"--{name}:" in light
            assert f"--{name}:" in dark
            assert f".f-{name} {{" in css


def test_a_figure_that_the_view_lost_leaves_no_file(view, tmp_path):
    write_figures(replace(view, people=human_rows()), tmp_path, formats=("svg", "pdf"))
    assert (tmp_path / "humans.pdf").exists()
    paths = write_figures(view, tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted(paths)
