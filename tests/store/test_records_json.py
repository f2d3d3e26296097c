import pytest
from hypothesis import given, settings

from evenhand.errors import DataError
from evenhand.records import Completion, Pair, Presentation
from evenhand.store import records_json
from store.examples import RICH_ANSWER
from store.strategies import whole


@settings(deadline=None)  # a shared machine may stall; time is not what is tested
@given(whole(Pair))
def test_pairs_round_trip(pair):
    assert records_json.pair_from_json(records_json.pair_to_json(pair)) == pair


@settings(deadline=None)  # a shared machine may stall; time is not what is tested
@given(whole(Presentation))
def test_presentations_round_trip(presentation):
    assert records_json.presentation_from_json(records_json.presentation_to_json(presentation)) == presentation


@settings(deadline=None)  # a shared machine may stall; time is not what is tested
@given(whole(Completion))
def test_completions_round_trip_as_one_line_of_utf8(completion):
    text = records_json.completion_to_json(completion)
    assert text.encode("utf-8").count(b"\n") == 0
    assert b"\x00" not in text.encode("utf-8")
    assert records_json.completion_from_json(text) == completion


def test_every_part_of_a_rich_completion_survives():
    assert records_json.completion_from_json(records_json.completion_to_json(RICH_ANSWER)) == RICH_ANSWER


@pytest.mark.parametrize("kind", ["pair", "presentation", "completion"])
def test_errors_name_the_kind(kind):
    with pytest.raises(DataError, match=f"^{kind}: "):
        getattr(records_json, f"{kind}_from_json")('{"surprise": 1}')
