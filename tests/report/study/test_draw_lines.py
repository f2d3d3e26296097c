from dataclasses import replace

import pytest

from evenhand.analysis.study import LineChart, Series
from evenhand.report.study.draw_lines import draw_lines, runs_of
from report.study.examples import CONTROL, NAN
from report.study.figure_checks import check_readable


def chart(count, *, points=7, label="mitigation", **more):
    xs = tuple(float(i) for i in range(points))
    series = tuple(
        Series(label=f"{label} {k}", x=xs, y=tuple(0.9 - 0.02 * k - 0.01 * x for x in xs)) for k in range(count)
    )
    return LineChart(id="c", title="t", x_label="strength", y_label="accuracy", series=series, **more)


@pytest.mark.parametrize(
    ("lines", "turned"),
    [
        (CONTROL, True),
        (replace(CONTROL, x_ticks=()), False),
        (replace(CONTROL, x_ticks=("a", "b", "c", "d", "e")), False),
        (chart(1), False),
        (chart(10), False),
        (chart(40, label="a mitigation with quite a long name indeed that goes on"), False),
        (chart(1, points=60, x_ticks=tuple(f"2026-01-{i:02} gpt-4o-mini" for i in range(60))), True),
        (chart(1, limits=tuple((f"limit number {i}", 0.9 + i / 1e4) for i in range(6))), False),
        (replace(chart(2), x_label="a name " * 40, y_label="a name " * 40), False),
        (chart(1, points=1), False),
    ],
    ids=["control", "scale", "short names", "one", "10", "40 long", "60 runs", "limits", "long axes", "one point"],
)
def test_every_text_can_be_read(lines, turned):
    texts = check_readable(lambda: draw_lines(lines), turned=turned)
    for name, _ in lines.limits:
        assert any(text.replace("\n", " ").startswith(name) for text in texts)


def test_a_gap_is_a_gap():
    series = Series(label="", x=(0.0, 1.0, 2.0, 3.0, 4.0), y=(0.1, 0.2, NAN, 0.3, NAN))
    assert list(runs_of(series)) == [[0, 1], [3]]
    axes = draw_lines(replace(CONTROL, series=(series,), limits=(), x_ticks=())).axes[0]
    assert [list(line.get_xdata()) for line in axes.lines] == [[0.0, 1.0], [3.0]]


def test_a_point_between_gaps_is_marked_even_among_many():
    y = tuple(0.5 if i in (0, 1, 2, 30) else NAN for i in range(60))
    series = Series(label="", x=tuple(range(60)), y=y, low=tuple(v - 0.1 for v in y), high=tuple(v + 0.1 for v in y))
    axes = draw_lines(replace(CONTROL, series=(series,), limits=(), x_ticks=())).axes[0]
    run, alone, bar = axes.lines
    assert run.get_marker() in ("None", None)
    assert alone.get_marker() == "s"
    assert list(bar.get_ydata()) == [0.4, 0.6]
    assert len(axes.collections) == 1, "a band where there is a line"


def test_few_lines_have_bands_and_many_have_bars():
    banded = replace(CONTROL.series[0], y=(0.1, 0.2, 0.3, 0.2, 0.1), low=(0.05,) * 5, high=(0.35,) * 5)
    few = draw_lines(replace(CONTROL, series=(banded,) * 3)).axes[0]
    many = draw_lines(replace(CONTROL, series=(banded,) * 4)).axes[0]
    assert len(few.collections) == 3
    assert len(many.collections) == 0
    assert len(many.lines) == 4 + 4 * 5 + 3


def test_limits_and_intervals_are_on_the_axis():
    low, high = draw_lines(CONTROL).axes[0].get_ylim()
    assert low <= 0.06
    assert high >= 0.37
    assert draw_lines(chart(1, limits=(("far", 0.1), ("none", NAN)))).axes[0].get_ylim()[0] <= 0.1


def test_a_line_without_a_name_has_no_legend():
    nameless = replace(CONTROL, series=(replace(CONTROL.series[0], label=""),))
    assert draw_lines(nameless).axes[0].get_legend() is None
    assert draw_lines(CONTROL).axes[0].get_legend() is not None
