"""Order rules against hand tables, and their invariance to exchanging the two orders."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.mitigation.examples import judged
from evenhand.mitigation.order import BEFORE, ORDER_RULES, Mitigated, aggregate
from evenhand.stats import Refusal

LETTERS = np.array(["A", "B", "T", "-"])


def verdicts(name, pairs):
    way = aggregate(ORDER_RULES[name], pairs)
    assert isinstance(way, Mitigated), way
    return ["".join(LETTERS[row]) for row in way.preference]


ORDERS = ["AA", "BB", "AB", "BA", "AT", "TB", "TT", "A-", "-B", "--"]
GOLD = "." * len(ORDERS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("order AB", ["A", "B", "A", "B", "A", "T", "T", "A", "-", "-"]),
        ("order BA", ["A", "B", "B", "A", "T", "B", "T", "-", "B", "-"]),
        (BEFORE, ["AA", "BB", "AB", "BA", "AT", "TB", "TT", "--", "--", "--"]),
        ("tie on conflict", ["A", "B", "T", "T", "T", "T", "T", "-", "-", "-"]),
    ],
)
def test_hand_table(name, expected):
    assert verdicts(name, judged(ORDERS, gold=GOLD)) == expected


def test_probabilities_are_averaged_not_log_odds():
    # p(A) = .9991 and .37: the mean is above one half; so are the log-odds. -7 and 2: p = .0009 and .88, mean .44.
    pairs = judged(["AB", "BA", "AB", "A-"], gold="....", log_odds=[[7, -0.53], [-7, 2], [1.5, -1.5], [3, np.nan]])
    assert verdicts("averaged probabilities", pairs) == ["A", "B", "T", "-"]
    # 3 and -1, -1: confidence decides where probabilities saturate.
    near = judged(["AB"], gold=".", log_odds=[[0.5, -8.0]])
    assert verdicts("averaged probabilities", near) == ["B"]


def test_confidence_is_what_was_written_else_the_log_odds():
    written = judged(["AB", "AB", "AT", "A-"], gold="....", confidence=[[0.9, 0.6], [0.5, 0.5], [0.1, 1.0], [1, 1]])
    assert verdicts("confidence-weighted", written) == ["A", "T", "A", "-"]
    # The text's verdict may contradict the log-odds' sign; only their size is the confidence.
    read = judged(["AB", "AB"], gold="..", log_odds=[[-3.0, 1.0], [0.5, -2.0]])
    assert verdicts("confidence-weighted", read) == ["A", "B"]


def test_scores_are_averaged_and_equal_ones_tie():
    score_a, score_b = [[7, 5], [4, 8], [9, 9], [7, np.nan]], [[6, 6], [6, 6], [1, 2], [3, 3]]
    pairs = judged(["AB", "BA", "AA", "A-"], gold="....", score_a=score_a, score_b=score_b)
    assert verdicts("averaged scores", pairs) == ["T", "T", "A", "-"]


def test_independent_scores_cost_two_calls_and_no_order():
    pairs = judged(["AB", "BA", "AA"], gold="...", alone=[[7, 5], [4, 4], [np.nan, 3]])
    pairs = replace(pairs, alone_tokens=np.array([10.0, 12.0, np.nan]))
    way = aggregate(ORDER_RULES["independent scores"], pairs)
    assert verdicts("independent scores", pairs) == ["A", "T", "-"]
    assert (way.presentations.tolist(), way.order_free, way.by_order) == ([2.0] * 3, True, False)
    assert way.tokens.tolist()[:2] == [10.0, 12.0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("averaged probabilities", "log-odds of the labels in both orders"),
        ("confidence-weighted", "written confidence"),
        ("averaged scores", "score-each"),
        ("independent scores", "--alone"),
    ],
)
def test_what_is_missing_is_said(name, words):
    way = aggregate(ORDER_RULES[name], judged(["AA", "AB"], gold=".."))
    assert isinstance(way, Refusal)
    assert words in way.reason


def test_one_order_alone_has_no_before_of_two():
    single = judged(["A.", "B."], gold="AB", log_odds=[[1, np.nan], [2, np.nan]])
    for name in (BEFORE, "tie on conflict", "averaged probabilities"):
        assert aggregate(ORDER_RULES[name], single).reason == "no pair was asked in both orders"
    assert aggregate(ORDER_RULES["order BA"], single).reason == "no pair was asked in order BA"
    assert verdicts("order AB", single) == verdicts("the order asked", single) == ["A", "B"]
    mixed = judged(["A.", ".B"], gold="AB")
    assert "each pair was asked in one of the orders" in aggregate(ORDER_RULES["order AB"], mixed).reason
    assert verdicts("the order asked", mixed) == ["A", "B"]
    assert isinstance(aggregate(ORDER_RULES["the order asked"], judged(["AA"], gold="A")), Refusal)


def test_cost_in_tokens():
    pairs = judged(["AA"], gold="A", tokens=[[100, 120]])
    expected = {"order AB": [100.0], "order BA": [120.0], BEFORE: [110.0], "tie on conflict": [220.0]}
    assert {name: aggregate(ORDER_RULES[name], pairs).tokens.tolist() for name in expected} == expected


ROWS = st.tuples(
    st.text("ABT-", min_size=2, max_size=2), st.tuples(*[st.floats(-9, 9)] * 2), st.tuples(*[st.integers(1, 10)] * 4)
)


@given(st.lists(ROWS, min_size=1, max_size=12))
def test_order_free_rules_don_t_notice_which_order_came_first(rows):
    def made(swap):
        def turn(pair):
            return pair[::-1] if swap else pair

        return judged(
            [turn(codes) for codes, _, _ in rows],
            gold="." * len(rows),
            log_odds=[turn(odds) for _, odds, _ in rows],
            score_a=[turn(scores[:2]) for _, _, scores in rows],
            score_b=[turn(scores[2:]) for _, _, scores in rows],
        )

    for name, rule in ORDER_RULES.items():
        if rule.order_free and name != "independent scores":
            one, other = (aggregate(rule, made(swap)) for swap in (False, True))
            if isinstance(one, Refusal):
                assert one == other
            else:
                assert (one.preference == other.preference).all(), name
