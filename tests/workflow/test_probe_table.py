"""The table of predictions: what every row says, and what a table can't hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evenhand.probes import PredictorKind
from evenhand.probes.evaluate import HeldOut
from evenhand.stats import Refusal
from evenhand.workflow.probe_table import predictions_table
from probes.planted import Plant, planted

DATA = planted(Plant(n=6, groups=3))
P = np.linspace(0, 1, 6)


def held(name, probabilities):
    return HeldOut(name=name, kind=PredictorKind.BASELINE, features=(name,), probabilities=probabilities)


def test_one_row_a_pair_and_one_column_a_predictor_that_predicts() -> None:
    refused = held("confidence", Refusal(reason="none asked", n=6))
    table = predictions_table(DATA, [held("all-layers", P), refused], folds=np.arange(6))
    before = ["pair_id", "group", "fold", "flip", "choice_ab", "confidence", "margin", "length_difference"]
    assert table.columns == [*before, "p_all_layers"]
    assert table["pair_id"].to_list() == list(DATA.pair_ids)
    np.testing.assert_array_equal(table["p_all_layers"], P)
    np.testing.assert_array_equal(table["fold"], np.arange(6))
    np.testing.assert_array_equal(table["flip"], DATA.flips)


def test_without_folds_there_is_no_fold() -> None:
    assert "fold" not in predictions_table(DATA, []).columns


def test_no_confidence_is_null_and_a_lone_surrogate_is_escaped() -> None:
    odd = replace(DATA, confidence=np.full(6, np.nan), pair_ids=("\ud800", *DATA.pair_ids[1:]))
    table = predictions_table(odd, [])
    assert table["confidence"].null_count() == 6
    assert table["pair_id"][0] == "\\ud800"
