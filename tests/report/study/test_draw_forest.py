from dataclasses import replace

import pytest

from evenhand.analysis.study import ForestRow
from evenhand.report.study.draw_forest import draw_forest, row_text
from evenhand.stats import Estimate
from report.study.examples import EFFECTS, NAN, TOO_FEW, figure
from report.study.figure_checks import check_readable

LONG = "Meta-Llama-3.1-70B-Instruct-Turbo under the rubric prompt with labels X/Y"


def rows(count, *, label="judge", groups=0):
    return tuple(
        ForestRow(
            label=f"{label} {i}",
            estimate=TOO_FEW if i % 9 == 8 else figure(0.01 * i - 0.1, 0.01 * i - 0.2, 0.01 * i),
            group=f"group {i // 8}" if groups else "",
        )
        for i in range(count)
    )


@pytest.mark.parametrize(
    "forest",
    [
        EFFECTS,
        replace(EFFECTS, rows=EFFECTS.rows[2:3]),
        replace(EFFECTS, rows=rows(1)),
        replace(EFFECTS, rows=rows(40, label=LONG, groups=5)),
        replace(EFFECTS, rows=rows(40)),
        replace(EFFECTS, rows=rows(3, label="x" * 500), x_label="a name " * 80),
        replace(EFFECTS, rows=(replace(EFFECTS.rows[0], group="a group with a long name " * 4),)),
        replace(EFFECTS, unit="dollars", reference=None),
        replace(EFFECTS, unit="number", x_label=""),
    ],
    ids=["sample", "one of a group", "one", "40 long", "40", "very long", "long group", "dollars", "nameless axis"],
)
def test_every_row_can_be_read(forest):
    texts = check_readable(lambda: draw_forest(forest))
    assert sum("[" in text for text in texts) == sum(isinstance(row.estimate, Estimate) for row in forest.rows)


def drawn(forest):
    axes = draw_forest(forest).axes[0]
    return axes, [line for line in axes.lines if len(line.get_ydata()) and line.get_marker() == "o"]


def test_dots_and_lines_are_where_the_figures_are():
    axes, dots = drawn(EFFECTS)
    assert [dot.get_xdata()[0] for dot in dots] == [0.12, 0.31, -0.02]
    intervals = [
        list(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2 and line.get_linewidth() == 1.5
    ]
    assert intervals == [[0.06, 0.18], [0.2, 0.42], [-0.09, 0.05]]
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the first row is on top"


def test_an_interval_that_dwarfs_the_others_ends_in_arrows():
    wild = ForestRow(label="ratio", estimate=figure(0.1, -30.0, 55.0))
    axes, dots = drawn(replace(EFFECTS, unit="number", rows=(*EFFECTS.rows, wild)))
    low, high = axes.get_xlim()
    assert low > -1.0
    assert high < 1.5
    assert sorted(line.get_marker() for line in axes.lines if line.get_marker() in "<>") == ["<", ">"]
    assert len(dots) == 4


def test_the_reference_is_on_the_axis_even_far_from_the_estimates():
    far = replace(EFFECTS, unit="share", reference=0.5, rows=(ForestRow(label="a", estimate=figure(0.95, 0.93, 0.97)),))
    low, high = draw_forest(far).axes[0].get_xlim()
    assert low < 0.5 < high <= 1.0


def test_texts_of_rows():
    assert row_text(TOO_FEW, "share") == "— needs at least 5 clusters, has 3"
    assert row_text(figure(NAN, 0, 1), "share") == "— not a finite number"
    assert row_text(Estimate(value=0.2, interval=None, n=3), "share") == "20.0 % (no interval)"
    assert row_text(figure(0.2, 0.1, 0.3), "share") == "20.0 % [10.0, 30.0]"
