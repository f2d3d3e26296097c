"""One way to held-out probabilities for every predictor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evenhand.probes.boosted import boosted_predictions
from evenhand.probes.fitting import Folding, held_out, rate_predictions
from evenhand.probes.folds import grouped_folds
from evenhand.probes.nested_cv import nested_predictions
from evenhand.probes.predictors import COMBINED, NO_SIGNAL, PROBE, TREES, predictors
from evenhand.stats import Refusal
from probes.planted import Plant, planted

DATA = planted(Plant(n=60, groups=50, size=4))
FOLDING = Folding(
    groups=DATA.groups, outer=grouped_folds(DATA.groups, folds=5, seed=1), inner_folds=2, seed=1, penalties=(0.1, 1.0)
)
BY_NAME = {each.name: each for each in predictors(DATA)}


@pytest.mark.parametrize("name", [PROBE, COMBINED])
def test_logistic_predictors_are_nested_predictions_under_the_shared_folding(name: str) -> None:
    expected = nested_predictions(
        BY_NAME[name].build(),
        DATA.flips,
        DATA.groups,
        outer=FOLDING.outer,
        inner_folds=2,
        seed=1,
        penalties=(0.1, 1.0),
    )
    found = held_out(BY_NAME[name], DATA.flips, FOLDING)
    assert (found.probabilities == expected.probabilities).all()
    assert found.selections == expected.selections
    assert (found.name, found.kind, found.features) == (name, BY_NAME[name].kind, BY_NAME[name].features)


def test_trees_are_boosted_under_the_shared_folding() -> None:
    (candidate,) = BY_NAME[TREES].build()
    expected = boosted_predictions(
        candidate.features, DATA.flips, DATA.groups, outer=FOLDING.outer, inner_folds=2, seed=1
    )
    assert (held_out(BY_NAME[TREES], DATA.flips, FOLDING).probabilities == expected.probabilities).all()


def test_no_signal_is_the_flip_rate_of_the_other_folds() -> None:
    found = held_out(BY_NAME[NO_SIGNAL], DATA.flips, FOLDING)
    assert found.selections == ()
    for fold in range(5):
        rates = found.probabilities[FOLDING.outer == fold]
        assert set(rates) == {DATA.flips[FOLDING.outer != fold].mean()}
    assert rate_predictions(np.array([True, False]), np.array([0, 1])).tolist() == [0.0, 1.0]


def test_a_refused_predictor_keeps_its_reason() -> None:
    refused = replace(BY_NAME[PROBE], refusal="nothing was collected", notes=("a note",))
    found = held_out(refused, DATA.flips, FOLDING)
    assert found.probabilities == Refusal(reason="nothing was collected", n=60)
    assert found.notes == ("a note",)
