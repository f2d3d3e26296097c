import math
from dataclasses import replace

import pytest

from evenhand.report.study.draw_heat import draw_heat, grid_of
from report.study.examples import NAN, SWAPS
from report.study.figure_checks import check_readable


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
    assert texts[(0.5, 0.5)] == "95"
    assert texts[(3.5, 2.5)] == "36", "the last row lies on top"
    assert texts[(1.5, 1.5)] == "—"
    faces = [patch.get_facecolor() for patch in axes.patches]
    assert faces[5][3] == 0.0
    assert [face[3] for face in faces].count(0.0) == 1


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
