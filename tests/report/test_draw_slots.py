import matplotlib as mpl

from evenhand.report.draw import STYLE
from evenhand.report.draw_slots import draw_slots, slot_words
from report.panel_examples import table


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_four_cells_as_strong_as_their_shares():
    with mpl.rc_context(STYLE):
        (axes,) = draw_slots([table()]).axes
    strengths = [patch.get_alpha() for patch in axes.patches]
    both_a, first, second, both_b = strengths
    assert first > both_a > second == both_b > 0
    assert max(patch.get_alpha() for patch in axes.patches) <= 0.6, "letters stay legible"
    said = [text.get_text() for text in axes.texts]
    assert {
        "60",
        "60.0 %",
        "1st slot twice",
        "100 decided in both orders",
        "3 with a tie",
        "7 without a verdict",
    } <= set(said)


def test_cells_lie_where_both_verdicts_say():
    with mpl.rc_context(STYLE):
        (axes,) = draw_slots([table(both_a=1, both_b=2, first_twice=3, second_twice=4)]).axes
    place = {t.get_text(): tuple(int(v) for v in t.get_position()) for t in axes.texts if t.get_text() in "1234"}
    # x: order BA chose the second slot (0), the first (1); y: order AB the first (0), the second (1).
    assert place == {"1": (0, 0), "3": (1, 0), "4": (0, 1), "2": (1, 1)}


def test_seven_tables_take_three_rows_and_none_stands_on_another():
    with mpl.rc_context(STYLE):
        figure = draw_slots([table(f"c{i}") for i in range(7)])
    boxes = [axes.get_position() for axes in figure.axes]
    assert len({round(box.y0, 3) for box in boxes}) == 3
    assert min(box.y0 for box in boxes) > 0
    assert max(box.y1 for box in boxes) < 1


def test_words_tell_every_count():
    words = slot_words(table(sampled=True))
    for count in ("both orders 20", "both orders 10", "first slot twice 60", "slot twice 10", "of 100 pairs", "tie 3"):
        assert count in words
    assert "in the sample" in words
