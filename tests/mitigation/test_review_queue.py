"""The review queue: who is in it, in which order, and that it names no side."""

from hypothesis import given
from hypothesis import strategies as st

from evenhand.mitigation.examples import judged
from evenhand.mitigation.panel import assemble
from evenhand.mitigation.review_queue import review_queue


def queue_of(*orders, fewest=1):
    gold = "." * len(orders[0])
    return review_queue(
        assemble([judged(each, gold=gold, judge=f"j{i}") for i, each in enumerate(orders)], fewest=fewest)
    )


def test_ranking_and_reasons():
    queue = queue_of(
        ["AA", "AA", "AB", "AA", "--", "AA"], ["AA", "BB", "AB", "AB", "--", "--"], ["AA", "BB", "BA", "AA", "--", "AA"]
    )
    assert [(item.pair_id, round(item.priority, 2), item.reason) for item in queue] == [
        ("p2", 2.0, "no judge prefers a response, 3 ties; 3 judges flip"),
        ("p4", 1.0, "no judge prefers a response, 3 without a verdict"),
        ("p1", 0.67, "judges split 2 to 1"),
        ("p3", 0.67, "judges split 2 to 0, 1 tie; 1 judge flips"),
        ("p5", 0.0, "judges agree, 1 without a verdict"),
    ]
    assert dict(queue[2].votes) == {"j0": "A", "j1": "B", "j2": "B"}
    assert [item.verdict for item in queue] == ["tie", "", "B", "A", "A"]


def test_one_judge_s_flips_are_a_queue_too():
    queue = queue_of(["AA", "AB", "A-", "AT", "TT", "BB"])
    assert [(item.pair_id, item.reason) for item in queue] == [
        ("p1", "flips"),
        ("p2", "no verdict"),
        ("p3", "tie"),
        ("p4", "tie"),
    ]


def test_pairs_asked_in_one_order_each_have_their_verdict():
    assert queue_of(["A.", ".B", "A."]) == ()


ROWS = st.lists(st.lists(st.text("ABT-", min_size=2, max_size=2), min_size=2, max_size=2), min_size=1, max_size=12)


@given(ROWS)
def test_no_reason_tells_the_side(rows):
    other = str.maketrans("AB", "BA")
    plain = queue_of(*zip(*rows, strict=True))
    turned = queue_of(*zip(*[[codes.translate(other) for codes in row] for row in rows], strict=True))
    assert [(item.pair_id, item.reason, item.priority) for item in plain] == [
        (item.pair_id, item.reason, item.priority) for item in turned
    ]
    assert [item.priority for item in plain] == sorted((item.priority for item in plain), reverse=True)
