"""Which rows are computed together, and what they share."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.judges.hf.batches import Limits, common, families, sharing, take_batch


@given(st.lists(st.integers(0, 1), max_size=12), st.lists(st.integers(0, 1), max_size=12))
def test_the_common_beginning_is_as_long_as_said(one, other):
    size = common(one, other)
    assert one[:size] == other[:size]
    assert one[: size + 1] != other[: size + 1] or size == min(len(one), len(other))


def test_orders_of_a_pair_are_a_family_and_the_next_pair_is_another():
    preamble = [7] * 20
    pairs = [[*preamble, *[pair] * 30, order, *[9] * 40] for pair in (1, 2) for order in (3, 4)]
    assert [(f.members, f.shared) for f in families(pairs)] == [((0, 1), 50), ((2, 3), 50)]


def test_a_row_before_a_pair_does_not_come_between_its_orders():
    preamble = [7] * 20
    prompts = [[*preamble, 1, 2], [*preamble, *[8] * 30, 3], [*preamble, *[8] * 30, 4]]
    assert [(f.members, f.shared) for f in families(prompts)] == [((0,), 0), ((1, 2), 50)]


def test_rows_that_share_the_instructions_alone_are_one_family():
    prompts = [[*[7] * (50 + number % 3), number, *[9] * 20] for number in range(100, 106)]
    assert [(f.members, f.shared) for f in families(prompts)] == [((0, 1, 2, 3, 4, 5), 50)]


def test_repeats_and_other_ways_of_asking_stay_with_their_pair():
    prompt = [1] * 40 + [2, 3]
    assert [(f.members, f.shared) for f in families([[*prompt, 5], [*prompt, 6], [*prompt, 7, 8]])] == [((0, 1, 2), 42)]


def test_the_last_token_is_never_shared():
    [family] = families([[1] * 30, [1] * 30])
    assert family.shared == 29
    [shorter] = families([[1] * 30, [1] * 50])
    assert shorter.shared == 29


def test_short_beginnings_are_left_alone():
    assert [f.members for f in families([[1] * 10 + [2], [1] * 10 + [3]])] == [(0,), (1,)]


def test_sharing_saves_what_it_says():
    plan = sharing([100, 102, 50], [[0, 1], [2]], [60, 0])
    # The rest is 50 tokens, what the row by itself needs; the pair keeps what is before.
    assert plan is not None
    assert plan.kept == (50, 52, 0)
    assert plan.starts == ((1, 52), (2, 0))
    assert plan.sources == (0, 0, 1)


def test_sharing_that_does_not_pay_is_not_done():
    assert sharing([100, 100], [[0], [1]], [0, 0]) is None
    assert sharing([1000, 1000], [[0, 1]], [30]) is None
    assert sharing([100, 100], [[0, 1]], [30]) is not None


@given(st.lists(st.tuples(st.integers(1, 200), st.integers(0, 199), st.integers(1, 4)), min_size=1, max_size=6))
def test_a_row_never_takes_more_than_its_family_shares(drawn):
    lengths, units, shared = [], [], []
    for length, share, size in drawn:
        units.append(list(range(len(lengths), len(lengths) + size)))
        lengths += [length + extra for extra in range(size)]
        shared.append(min(share, length - 1) if size > 1 else 0)
    plan = sharing(lengths, units, shared)
    if plan is None:
        return
    for row, family in enumerate(plan.sources):
        start, computed = plan.starts[family]
        assert start in units[family]
        assert plan.kept[row] <= computed
        assert plan.kept[row] < lengths[row]
        assert len(units[family]) == 1 or plan.kept[row] <= shared[family]
    assert len({lengths[row] - kept for row, kept in enumerate(plan.kept) if kept}) == 1


@pytest.mark.parametrize(
    ("lengths", "limits", "expected"),
    [
        ([[100], [100], [100]], Limits(tokens=200, rows=8), 2),
        ([[100], [100], [100]], Limits(tokens=900, rows=2), 2),
        ([[100], [74], [74]], Limits(tokens=400, rows=8), 1),
        ([[100], [74], [74]], Limits(tokens=4000, rows=8), 3),
        ([[500]], Limits(tokens=100, rows=8), 1),
        ([[100, 90], [99, 90]], Limits(tokens=900, rows=3), 1),
    ],
)
def test_batches_are_of_like_length_and_within_their_limits(lengths, limits, expected):
    assert take_batch(lengths, limits) == expected


def test_equal_lengths_only_where_padding_is_not_harmless():
    assert take_batch([[9], [9], [8]], Limits(tokens=900, rows=9), equal=True) == 2


def test_limits_are_halved_until_one_row_is_left():
    limits = Limits(tokens=4096, rows=64)
    assert limits.halve(tokens=1000, rows=10)
    assert (limits.tokens, limits.rows) == (500, 5)
    assert limits.halve(tokens=400, rows=3)
    assert (limits.tokens, limits.rows) == (200, 1)
    assert not limits.halve(tokens=150, rows=1)
    assert (limits.tokens, limits.rows) == (200, 1)
