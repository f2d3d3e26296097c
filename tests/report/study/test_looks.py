import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.draw import CLASSES
from evenhand.report.study.looks import axis_name, bounds_of, look_of, spread, text_width, ticks_of, wrapped

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e6, max_value=1e6)


def test_series_differ_without_colour_and_the_style_sheet_knows_their_colours():
    looks = [look_of(index) for index in range(40)]
    assert len({(look.mark, str(look.dash)) for look in looks}) == 40
    assert {look.colour for look in looks} <= set(CLASSES)


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=400), st.integers(1, 3))
def test_a_wrapped_label_fits_its_lines(text, lines):
    made = wrapped(text, width=1.5, size=9.0, lines=lines).split("\n")
    assert len(made) <= lines
    assert all(text_width(line, size=9.0) <= 1.5 or len(line) == 1 for line in made)


@pytest.mark.parametrize(
    "text", ["gpt-4o-mini-2024-07-18", "Meta-Llama-3.1-70B-Instruct", "swap consistency, %", "+12.0 pp [+6.0, +18.0]"]
)
def test_the_room_for_a_text_is_what_the_typeface_takes_and_a_little_more(text):
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    path = TextPath((0, 0), text, size=9.0, prop=FontProperties(family="DejaVu Sans"))
    taken = path.get_extents().width / 72
    assert taken <= text_width(text, size=9.0) <= 1.2 * taken


def test_a_cut_label_keeps_both_ends():
    made = wrapped("meta-llama/" + "x" * 300 + "-Turbo, labels X/Y 17", width=2.0, size=9.0)
    assert made.startswith("meta-llama/")
    assert made.endswith("X/Y 17")
    assert "…" in made


def test_a_number_stays_with_its_unit():
    assert wrapped("upper control limit 20.0\u00a0%", width=1.3, size=8.0).split("\n")[-1] == "20.0\u00a0%"


@pytest.mark.parametrize("unit", ["share", "difference", "number", "count", "dollars", "p", "text"])
@given(values=st.lists(st.floats(min_value=-1.0, max_value=1.0), max_size=6))
def test_an_axis_has_width_and_holds_its_values(unit, values):
    low, high = bounds_of([*values, math.nan, math.inf], unit)
    assert low < high
    assert all(low <= value <= high for value in values)


def test_an_axis_of_shares_ends_at_0_and_1():
    assert bounds_of([0.0, 1.0], "share") == (0.0, 1.0)
    assert bounds_of([0.5], "share") == pytest.approx((0.472, 0.528))
    assert bounds_of([-0.9, 1.0], "difference") == (-1.0, 1.0)
    assert bounds_of([3.0, 9.0], "count")[0] >= 0.0


@given(FINITE, st.floats(min_value=1e-6, max_value=1e6))
def test_ticks_lie_on_the_axis_and_differ(low, span):
    places, names = ticks_of(low, low + span, "number")
    slack = max(abs(low), span) * 1e-9
    assert all(low - slack <= place <= low + span + slack for place in places)
    assert len(places) == len(names)


def test_ticks_are_named_in_the_axis_unit():
    assert ticks_of(0.0, 0.31, "share") == ([0.0, 0.1, 0.2, pytest.approx(0.3)], ["0", "10", "20", "30"])
    assert ticks_of(-0.1, 0.1, "difference")[1] == ["−10", "−5", "0", "+5", "+10"]


def test_an_axis_says_its_unit_once():
    assert axis_name("flip rate", "share") == "flip rate, %"
    assert axis_name("flip rate in %", "share") == "flip rate in %"
    assert axis_name("change (pp)", "difference") == "change (pp)"
    assert axis_name("", "dollars") == "$"
    assert axis_name("coefficient", "number") == "coefficient"


@given(st.lists(st.floats(min_value=0.0, max_value=1.0), max_size=8))
def test_names_moved_apart_keep_their_order_and_distance(places):
    moved = spread(places, least=0.1)
    order = sorted(range(len(places)), key=places.__getitem__)
    assert all(moved[b] - moved[a] >= 0.1 - 1e-9 for a, b in pairwise(order))
    if all(places[b] - places[a] >= 0.1 for a, b in pairwise(order)):
        assert moved == pytest.approx(places)


@given(st.lists(st.floats(min_value=0.0, max_value=1.0), max_size=8))
def test_names_moved_apart_stay_between_the_ends(places):
    moved = spread(places, least=0.1, floor=0.0, ceiling=1.0)
    assert all(-1e-9 <= place <= 1.0 + 1e-9 for place in moved)
    order = sorted(range(len(places)), key=places.__getitem__)
    assert all(moved[b] - moved[a] >= 0.1 - 1e-9 for a, b in pairwise(order))
