from dataclasses import replace

import pytest

from evenhand.records import Pair, Preference, pairs_hash

PAIR = Pair(id="p1", instruction="2 + 2?", response_a="4", response_b="5", gold=Preference.A, source="sums")


def test_pairs_with_the_same_instruction_share_a_group_unless_one_is_given() -> None:
    other = Pair(id="p2", instruction="2 + 2?", response_a="four", response_b="22")
    assert PAIR.group == other.group
    assert replace(PAIR, group="q7").group == "q7"


@pytest.mark.parametrize(
    "change",
    [
        {"id": "p2"},
        {"instruction": "3 + 3?"},
        {"response_a": "5"},
        {"response_b": "6"},
        {"gold": None},
        {"source": "x"},
        {"group": "x"},
    ],
)
def test_whatever_a_judge_sees_or_is_scored_by_changes_the_hash(change: dict[str, object]) -> None:
    assert replace(PAIR, **change).content_hash != PAIR.content_hash


def test_metadata_does_not_change_the_hash() -> None:
    assert replace(PAIR, metadata=(("why", "arithmetic"),)).content_hash == PAIR.content_hash


def test_the_hash_of_a_set_does_not_depend_on_its_order() -> None:
    other = replace(PAIR, id="p2")
    assert pairs_hash([PAIR, other]) == pairs_hash([other, PAIR])
    assert pairs_hash([PAIR]) != pairs_hash([PAIR, other])


def test_lone_surrogates_and_null_bytes_hash_too() -> None:
    assert len(replace(PAIR, response_a="\ud800\x00").content_hash) == 64
