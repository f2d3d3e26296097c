import math
from dataclasses import replace

import pytest

from evenhand.report.study.draw_heat import draw_heat, grid_of, row_names
from report.study.examples import NAN, SWAPS
from report.study.figure_checks import check_readable, seen_texts


def grid(columns, rows):
    return replace(
        SWAPS,
        x=tuple(i / 10 for i in range(columns)),
        y=tuple(j / 10 for j in range(rows)),
        z=tuple(tuple(0.9 - 0.01 * i - 0.01 * j for i in range(columns)) for j in range(rows)),
    )


@pytest.mark.parametrize(
    "heat",
    [
        SWAPS,
        grid(1, 1),
        grid(30, 25),
        grid(2, 40),
        grid(40, 2),
        replace(SWAPS, unit="difference", z=((0.95, -0.1, 0.6, 0.0),) * 3),
        replace(SWAPS, unit="count", z=((1e6, 2e6, 3e6, 4e6),) * 3),
        replace(SWAPS, x_label="a name " * 40, y_label="a name " * 40, z_label="a name " * 40),
        replace(SWAPS, x=(0.0001, 0.001, 0.01, 123456.789)),
    ],
    ids=["sample", "one cell", "large", "tall", "broad", "difference", "counts", "long names", "long ticks"],
)
def test_every_figure_can_be_read(heat):
    check_readable(lambda: draw_heat(heat))


def test_the_cells_say_their_figures_and_a_gap_is_empty():
    axes = draw_heat(SWAPS).axes[0]
    texts = {(text.get_position()): text.get_text() for text in axes.texts}
    assert texts[(0.5, 0.5)] == "95.0"
    assert texts[(3.5, 2.5)] == "36.0", "the last row lies on top"
    assert texts[(1.5, 1.5)] == "—"
    faces = [patch.get_facecolor() for patch in axes.patches]
    assert faces[5][3] == 0.0
    assert [face[3] for face in faces].count(0.0) == 1


def cells(heat):
    return [text.get_text() for text in draw_heat(heat).axes[0].texts]


def test_all_cells_have_the_decimals_that_their_span_calls_for():
    narrow = replace(SWAPS, x=(0.0, 1.0), y=(0.0,), z=((0.08, 0.0761),))
    assert cells(narrow) == ["8.00", "7.61"]
    assert cells(replace(narrow, z=((0.8, 0.1234),))) == ["80.0", "12.3"]
    assert cells(replace(narrow, unit="difference", z=((-0.2, 0.0),))) == ["−20.0", "0.0"]
    assert cells(replace(narrow, unit="count", z=((1200.0, 3.0),))) == ["1,200", "3"]
    assert cells(replace(narrow, unit="number", z=((-1.5, 0.25),))) == ["−1.5", "0.2"]


@pytest.mark.parametrize(
    "heat", [grid(30, 25), grid(25, 3), replace(grid(10, 3), unit="count", z=((8e5, 9e5) * 5,) * 3)]
)
def test_no_figure_reaches_beyond_the_map(heat):
    figure = draw_heat(heat)
    (_, _), *texts = seen_texts(lambda: figure)
    plane = figure.axes[0].get_window_extent()
    inside = {text.get_text() for text in figure.axes[0].texts}
    boxes = [box for text, box in texts if text in inside and box.y0 > plane.y0 and box.x0 < plane.x1 - 1]
    assert len(boxes) > 10
    assert all(plane.x0 - 1 <= box.x0 + box.width / 8 and box.x1 - box.width / 8 <= plane.x1 + 1 for box in boxes)


def test_lighter_is_higher_so_that_grey_tells_it_too():
    axes = draw_heat(SWAPS).axes[0]
    values = [value for row in grid_of(SWAPS) for value in row]
    shades = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b, _ in (patch.get_facecolor() for patch in axes.patches)]
    order = sorted((i for i, value in enumerate(values) if math.isfinite(value)), key=values.__getitem__)
    assert [shades[i] for i in order] == sorted(shades[i] for i in order)


@pytest.mark.parametrize("heat", [SWAPS, grid(12, 12)])
def test_letters_stand_out_from_their_cell(heat):
    axes = draw_heat(heat).axes[0]
    faces = {(round(p.get_x()), round(p.get_y())): p.get_facecolor() for p in axes.patches}

    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    from matplotlib.colors import to_rgba

    for text in axes.texts:
        x, y = text.get_position()
        face = faces[(math.floor(x), math.floor(y))]
        if face[3] and text.get_text() != "—":
            light, dark = sorted((luminance(face), luminance(to_rgba(text.get_color()))), reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.1


def test_what_is_missing_from_a_ragged_map_is_a_gap():
    ragged = replace(SWAPS, z=((0.5,), (math.inf, 0.2, 0.3, 0.4)))
    found = grid_of(ragged)
    assert [len(row) for row in found] == [4, 4, 4]
    assert sum(math.isfinite(value) for row in found for value in row) == 4
    check_readable(lambda: draw_heat(ragged))
    assert math.isnan(NAN)


def test_rows_that_are_no_scale_have_names_cut_to_fit():
    long = "a judge with a name that is far longer than the room beside the map"
    heat = replace(SWAPS, y_names=("first", "裁判", long))
    check_readable(lambda: draw_heat(heat))
    names = row_names(heat)
    assert names[:2] == ["first", "裁判"]
    assert "…" in names[2]
    assert names[2].startswith("a judge")
    assert row_names(replace(SWAPS, y_names=("too few",))) == ["0", "1", "2"]
