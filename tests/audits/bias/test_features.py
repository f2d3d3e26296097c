import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audits.bias.changed import bias_data
from evenhand.audits.bias.features import log_length_ratio, pair_features
from evenhand.records import Pair

GOLD = {"p": "A", "q": "B", "r": "t", "s": ""}
TABLE = bias_data(dict.fromkeys(GOLD, "FS"), {}, gold=GOLD)


def pair(name, a="one two three", b="four", **more):
    return Pair(id=name, instruction="i", response_a=a, response_b=b, **more)


def test_every_difference_is_a_minus_b():
    data = replace(TABLE, pairs={name: pair(name, author_a="x") for name in "pqrs"})
    features = pair_features(data)
    assert features.characters == pytest.approx(math.log(14 / 5))
    assert features.words == pytest.approx(math.log(4 / 2))
    assert features.gold.tolist()[:3] == [1, -1, 0]
    assert np.isnan(features.gold[3])
    assert (features.author_a, features.author_b) == (("x",) * 4, ("",) * 4)


def test_a_pair_without_texts_or_unknown_has_no_length():
    data = replace(TABLE, pairs={"p": pair("p", a="", b=""), "q": pair("q", a="", b="xx"), "r": pair("r")})
    characters = pair_features(data).characters
    assert np.isnan(characters[[0, 3]]).all()
    assert characters[1] == pytest.approx(math.log(1 / 3)), "one empty response is a length, and finite"


def test_rated_quality_takes_the_place_of_gold_where_every_pair_has_it():
    rated = {name: pair(name, metadata=(("quality_a", "7.5"), ("quality_b", "6"))) for name in "pqrs"}
    features = pair_features(replace(TABLE, pairs=rated))
    assert features.is_rated
    assert features.quality == pytest.approx(1.5)
    rated["q"] = pair("q", metadata=(("quality_a", "good"), ("quality_b", "6")))
    features = pair_features(replace(TABLE, pairs=rated))
    assert not features.is_rated
    assert features.quality[:2].tolist() == [1, -1]
    rated["q"] = pair("q", metadata=(("quality_a", "inf"), ("quality_b", "6")))
    assert np.isnan(pair_features(replace(TABLE, pairs=rated)).rated[1])


@given(a=st.integers(0, 10**6), b=st.integers(0, 10**6))
def test_the_ratio_changes_sign_with_the_responses(a, b):
    assert log_length_ratio(a, b) == pytest.approx(-log_length_ratio(b, a))
    assert (log_length_ratio(a, b) > 0) == (a > b)
