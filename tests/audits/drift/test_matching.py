from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits.drift.matching import match_pairs
from evenhand.records import Pair, Preference


def pair(number: int, **changes: object) -> Pair:
    made = Pair(id=f"p{number}", instruction=f"question {number}", response_a="a", response_b="b")
    return replace(made, **changes)  # type: ignore[arg-type]


def test_pairs_match_by_id_and_content_whatever_their_order() -> None:
    match = match_pairs([pair(1), pair(2), pair(3)], [pair(3), pair(1), pair(4)])
    assert match.shared == ("p1", "p3")
    assert (match.only_old, match.only_new, match.changed, match.left_out) == (1, 1, (), 2)


def test_another_text_or_gold_preference_is_changed_content_and_metadata_is_not() -> None:
    old = [pair(1), pair(2), pair(3), pair(4)]
    new = [pair(1, response_a="other"), pair(2, gold=Preference.A), pair(3, metadata=(("why", "x"),)), pair(4)]
    match = match_pairs(old, new)
    assert match.changed == ("p1", "p2")
    assert match.shared == ("p3", "p4")


@given(st.sets(st.integers(0, 20)), st.sets(st.integers(0, 20)))
def test_every_pair_is_counted_once(old: set[int], new: set[int]) -> None:
    match = match_pairs([pair(i) for i in old], [pair(i) for i in new])
    assert len(match.shared) + match.only_old == len(old)
    assert len(match.shared) + match.only_new == len(new)
    assert set(match.shared) == {f"p{i}" for i in old & new}
