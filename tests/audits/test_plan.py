"""What is asked, in which order, and which pairs are asked again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits import plan_position
from evenhand.audits.plan import repeated_pairs
from evenhand.errors import ConfigError
from evenhand.records import Condition, LabelSet, Order, Pair

PAIRS = [Pair(id=f"p{i}", instruction=f"{i}?", response_a="a", response_b="b") for i in range(7)]
CONDITIONS = [
    Condition(id=name, prompt="short", prompt_hash="0", labels=LabelSet.parse(name)) for name in ("A/B", "X/Y")
]


def test_every_pair_in_both_orders_per_condition_side_by_side() -> None:
    plan = plan_position(PAIRS, CONDITIONS, repeat=0, seed=0)
    assert len(plan) == 7 * 2 * 2 == len(set(plan))
    for ab, ba in zip(plan[::2], plan[1::2], strict=True):
        assert (ab.pair_id, ab.condition) == (ba.pair_id, ba.condition)
        assert (ab.order, ba.order) == (Order.AB, Order.BA)
    assert [p.condition for p in plan[:4]] == ["A/B", "A/B", "X/Y", "X/Y"]


def test_the_control_repeats_the_same_pairs_under_every_condition_in_ab_last() -> None:
    plan = plan_position(PAIRS, CONDITIONS, repeat=3, seed=5)
    control = plan[28:]
    assert all(p.repeat == 1 and p.order is Order.AB for p in control)
    by_condition = {c.id: {p.pair_id for p in control if p.condition == c.id} for c in CONDITIONS}
    assert by_condition["A/B"] == by_condition["X/Y"] == set(repeated_pairs([p.id for p in PAIRS], count=3, seed=5))
    assert all(p.repeat == 0 for p in plan[:28])


def test_the_choice_is_the_seeds() -> None:
    ids = [f"p{i}" for i in range(200)]
    assert repeated_pairs(ids, count=20, seed=0) != repeated_pairs(ids, count=20, seed=1)
    # Pinned: a change of the hash would make old and new runs repeat different pairs.
    assert repeated_pairs(ids, count=3, seed=0) == PINNED


PINNED = ("p56", "p89", "p19")


@given(st.lists(st.text(), unique=True, max_size=30), st.integers(0, 40), st.integers(0, 2**32), st.randoms())
def test_the_choice_does_not_depend_on_order(ids: list[str], count: int, seed: int, random: object) -> None:
    shuffled = list(ids)
    random.shuffle(shuffled)
    chosen = repeated_pairs(ids, count=count, seed=seed)
    assert chosen == repeated_pairs(shuffled, count=count, seed=seed)
    assert len(chosen) == min(count, len(ids))


def test_more_repeats_than_pairs_repeats_all() -> None:
    assert len(plan_position(PAIRS, CONDITIONS[:1], repeat=99, seed=0)) == 14 + 7


def test_wrong_requests_are_refused() -> None:
    with pytest.raises(ConfigError, match="repeat is -1"):
        plan_position(PAIRS, CONDITIONS, repeat=-1, seed=0)
    with pytest.raises(ConfigError, match="pair id 'p0' occurs twice"):
        plan_position([*PAIRS, PAIRS[0]], CONDITIONS, repeat=0, seed=0)
    with pytest.raises(ConfigError, match="condition id 'X/Y' occurs twice"):
        plan_position(PAIRS, [*CONDITIONS, CONDITIONS[1]], repeat=0, seed=0)
