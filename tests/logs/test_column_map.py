from pathlib import Path

import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.logs.column_map import TARGETS, guess_columns, parse_map

FILE = Path("runs.csv")


def guess(*places, **given):
    return guess_columns(places, given=given, path=FILE)


def test_plain_names_are_guessed_under_the_tools_prefixes():
    found = guess("inputs.pair_id", "metadata.Order", "outputs.output", "vars.question", "other.order_of_things")
    assert found.places == (
        ("pair_id", "inputs.pair_id"),
        ("order", "metadata.Order"),
        ("text", "outputs.output"),
        ("instruction", "vars.question"),
    )


def test_who_won_is_never_guessed():
    assert guess("winner", "verdict", "feedback.winner", "choice").places == ()


def test_two_claims_are_an_error_that_names_both_and_the_option():
    with pytest.raises(DataError, match=r"'inputs.order' and 'metadata.order' may both be the order .*--map order="):
        guess("inputs.order", "metadata.order")
    assert guess("inputs.order", "metadata.order", order="metadata.order").place("order") == "metadata.order"


def test_a_place_serves_once():
    found = guess("output", text="output")
    assert [target for target, place in found.places if place == "output"] == ["text"]


def test_a_better_name_comes_before_a_worse_one():
    assert guess("question_id", "pair_id").place("pair_id") == "pair_id"


def test_a_mapped_place_must_be_there():
    with pytest.raises(DataError, match=r"no record has 'metadata.ordr'.*was 'metadata.order' meant"):
        guess("metadata.order", order="metadata.ordr")
    # An object above a listed place and an element below one are there.
    found = guess("scores.one.answer", "resps", "order", outcome="scores.one", text="resps.0")
    assert (found.guessed, found.described) == ({"order"}, "order=order")


def test_fixed_places_come_before_guesses_and_after_the_user():
    fixed = {"text": "attributes.output.value"}
    places = ["attributes.output.value", "output"]
    assert guess_columns(places, given={}, fixed=fixed, path=FILE).place("text") == "attributes.output.value"
    assert guess_columns(places, given={"text": "output"}, fixed=fixed, path=FILE).place("text") == "output"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("pair_id", "expected TARGET=COLUMN"),
        ("pair_id=", "expected TARGET=COLUMN"),
        ("ordr=x", "was 'order' meant"),
        ("order=x,order=y", "named twice"),
    ],
)
def test_a_bad_mapping_is_a_configuration_error(text, message):
    with pytest.raises(ConfigError, match=message):
        parse_map(text)


def test_every_target_can_be_mapped():
    text = ",".join(f"{target}=column.{target}" for target in TARGETS)
    assert tuple(parse_map(text)) == TARGETS
    assert parse_map(None) == {}
