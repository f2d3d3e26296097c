"""What figures of every report share: found by name, written in known formats, the same bytes each time."""

import pytest

from evenhand.errors import ConfigError
from evenhand.report.figure_files import Drawing, check_formats, drawing_svg, write_drawings


def made(name):
    def draw():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(2, 1))
        figure.subplots().plot([0, 1], [0, 1])
        return figure

    return Drawing(name=name, title=f"Title of {name}", description="a line.", salt=name, draw=draw)


def test_a_figure_is_found_by_its_name():
    svg = drawing_svg("two", [made("one"), made("two")])
    assert "Title of two" in svg
    assert "a line." in svg
    assert "fig-two" in svg
    with pytest.raises(ConfigError, match=r"no figure 'three' in this report \(it has: one, two\)"):
        drawing_svg("three", [made("one"), made("two")])
    with pytest.raises(ConfigError, match="it has: none"):
        drawing_svg("one", [])


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_the_same_figure_gives_the_same_bytes(tmp_path, form):
    (first,) = write_drawings([made("one")], tmp_path / "a", formats=[form])
    (second,) = write_drawings([made("one")], tmp_path / "b", formats=[form])
    assert first.name == f"one.{form}"
    assert first.read_bytes() == second.read_bytes()


def test_pdf_embeds_truetype_and_png_has_200_dots_an_inch_on_white(tmp_path):
    import struct

    from PIL import Image

    pdf, png = write_drawings([made("one")], tmp_path, formats=["pdf", "png"])
    data = pdf.read_bytes()
    assert b"/CIDFontType2" in data
    assert b"/FontFile2" in data
    assert b"/Type3" not in data
    assert struct.unpack(">II", png.read_bytes()[16:24]) == (400, 200)
    with Image.open(png) as image:
        assert round(image.info["dpi"][0]) == 200
        assert image.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255)


def test_an_unknown_format_writes_nothing(tmp_path):
    with pytest.raises(ConfigError, match="'gif'"):
        check_formats(["svg", "gif"])
    with pytest.raises(ConfigError, match="'gif'"):
        write_drawings([made("one")], tmp_path / "figures", formats=["svg", "gif"])
    assert not (tmp_path / "figures").exists()


def test_figures_that_a_report_no_longer_has_are_removed(tmp_path):
    write_drawings([made("one"), made("two")], tmp_path, formats=["svg", "pdf"], names=["one", "two"])
    for own in ("mine.svg", "one.txt"):
        (tmp_path / own).write_text("the user's")
    write_drawings([made("one")], tmp_path, formats=["svg"], names=["one", "two"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.svg", "one.svg", "one.txt"]
