"""The six baseline features, and what happens where a pair lacks one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.probes.features import Feature, feature_column, feature_table
from evenhand.stats import Refusal
from probes.planted import Plant, planted


def data():
    return replace(
        planted(Plant(n=4, groups=4)),
        confidence=np.arange(4.0),
        margin=-np.arange(4.0),
        choice_ab=np.array([0, 1, 0, 1], dtype=np.int8),
    )


def test_each_feature_is_read_from_its_array_and_nothing_from_ba() -> None:
    some = replace(data(), length_difference=np.array([-3.0, 0, 2, 5]))
    columns = {feature.value: feature_column(some, feature).tolist() for feature in Feature}
    assert columns == {
        "confidence": [0, 1, 2, 3],
        "margin": [0, -1, -2, -3],
        "absolute-margin": [0, 1, 2, 3],
        "length-difference": [-3, 0, 2, 5],
        "absolute-length-difference": [3, 0, 2, 5],
        "ab-choice": [0, 1, 0, 1],
    }


def test_all_six_stand_side_by_side_in_the_order_asked_for() -> None:
    table = feature_table(data(), tuple(Feature)[::-1])
    assert table.features == tuple(Feature)[::-1]
    assert table.values.shape == (4, 6)
    assert table.values[:, 5].tolist() == [0, 1, 2, 3]
    assert table.missing == ()


def test_a_prompt_that_asks_for_no_confidence_has_no_such_baseline() -> None:
    silent = replace(data(), confidence=np.full(4, np.nan))
    reason = "the prompt 'three-lines' asks for no confidence"
    assert feature_column(silent, Feature.CONFIDENCE) == Refusal(reason=reason, n=4)
    table = feature_table(silent, tuple(Feature))
    assert Feature.CONFIDENCE not in table.features
    assert table.values.shape == (4, 5)
    assert np.isfinite(table.values).all()
    assert table.missing == ((Feature.CONFIDENCE, reason),)


def test_one_pair_without_a_value_is_enough_for_a_refusal() -> None:
    holed = replace(data(), margin=np.array([1.0, np.nan, 0.0, np.inf]))
    assert feature_column(holed, Feature.MARGIN).reason == "2 of 4 pairs have no margin"
    assert feature_column(holed, Feature.ABSOLUTE_MARGIN).reason == "2 of 4 pairs have no absolute margin"
    assert feature_table(holed, [Feature.MARGIN]).values.shape == (4, 0)
