"""Verdicts, labels and half credit: missing is never a tie."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evenhand.mitigation.examples import judged
from evenhand.mitigation.judged import NONE, TIE, A, B, credit, preferred

CODES = st.lists(st.tuples(st.sampled_from([A, B, TIE, NONE]), st.sampled_from([A, B, TIE, NONE])), max_size=30)


def test_what_a_pair_of_orders_is():
    pairs = judged(["AA", "AB", "AT", "A-", "A.", "BA"], gold="ABT.AB")
    assert pairs.flips.tolist() == [False, True, False, False, False, True]
    assert pairs.verdict_both.tolist() == [True, True, True, False, False, True]
    assert pairs.labelled.tolist() == [True, True, True, False, True, True]
    assert pairs.asked.tolist() == [[True, True]] * 4 + [[True, False], [True, True]]


def test_credit_of_every_verdict_against_every_label():
    table = {
        (v, g): credit(np.array([v], dtype=np.int8), np.array([g], dtype=np.int8))[0]
        for v in (A, B, TIE)
        for g in (A, B, TIE)
    }
    assert table == {
        (A, A): 1, (A, B): 0, (A, TIE): 0.5,
        (B, A): 0, (B, B): 1, (B, TIE): 0.5,
        (TIE, A): 0.5, (TIE, B): 0.5, (TIE, TIE): 1,
    }  # fmt: skip


@given(CODES)
def test_exchanging_the_names_of_the_responses_changes_no_credit(codes):
    verdict, gold = (np.array([each[i] for each in codes], dtype=np.int8) for i in (0, 1))
    other = np.array([1, 0, 2, -1], dtype=np.int8)
    assert np.array_equal(credit(other[verdict], other[gold]), credit(verdict, gold), equal_nan=True)
    assert np.isnan(credit(verdict, gold)).tolist() == [NONE in each for each in codes]


def test_two_columns_are_credited_each():
    two = credit(np.array([[A, B], [A, NONE]], dtype=np.int8), np.array([A, A], dtype=np.int8))
    assert np.array_equal(two, [[1.0, 0.0], [1.0, np.nan]], equal_nan=True)


@given(st.lists(st.floats(-5, 5), max_size=20))
def test_an_advantage_turned_round_prefers_the_other(values):
    other = np.array([1, 0, 2, -1])
    advantage = np.array(values)
    assert (other[preferred(advantage)] == preferred(-advantage)).all()
