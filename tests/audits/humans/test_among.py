"""Raw agreement of people, counted by hand."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.humans.label_tables import labelled, sampler
from evenhand.audits.humans.among import raw_agreement, two_people
from evenhand.stats import Estimate, Refusal


@given(st.lists(st.lists(st.sampled_from([0, 1, 2]), max_size=6), min_size=1, max_size=5))
def test_twos_are_those_that_one_would_count(rows: list[list[int]]) -> None:
    counts = np.array([[row.count(code) for code in range(3)] for row in rows], dtype=np.int64)
    twos = [list(itertools.combinations(row, 2)) for row in rows]
    found = two_people(counts)
    assert found.all.tolist() == [len(own) for own in twos]
    assert found.same.tolist() == [sum(a == b for a, b in own) for own in twos]
    assert found.pairs == sum(bool(own) for own in twos)


def test_every_two_counts_once_and_a_tie_is_a_preference() -> None:
    pairs = labelled(*["AA|AAB"] * 6, *["AA|tt-"] * 6, *["AA|A--"] * 20)
    found = raw_agreement(two_people(pairs.table.counts), sampler(pairs))
    assert isinstance(found, Estimate)
    # AAB: one of three twos; tt: one of one; a label alone has none.
    assert found.value == pytest.approx((6 + 6) / (18 + 6))
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_pairs_left_out_have_no_twos_and_few_are_refused() -> None:
    pairs = labelled(*["AA|AA"] * 9, *["AA|AB"] * 9)
    half = two_people(pairs.table.counts).among(np.arange(18) < 9)
    assert (half.pairs, int(half.same.sum())) == (9, 9)
    found = raw_agreement(half, sampler(pairs))
    assert isinstance(found, Refusal)
    assert found.reason == "needs at least 10 pairs with labels of two annotators, has 9"
