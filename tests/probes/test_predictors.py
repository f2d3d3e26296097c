"""Which predictors there are for which data, and what each looks at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.probes import Place, Position, PredictorKind
from evenhand.probes.features import Feature
from evenhand.probes.predictors import (
    ALL_LAYERS,
    BEFORE_GENERATION,
    COMBINED,
    COMBINED_WITHOUT_CHOICE,
    NO_SIGNAL,
    PREDICTORS,
    PROBE,
    SHUFFLED,
    TREES,
    WITH_FEATURES,
    Method,
    check_predictors,
    predictors,
    probability_column,
)
from evenhand.records import Readout
from probes.planted import Plant, planted

DATA = planted(Plant(n=20, groups=20, size=5, layers=(2, 4)))


def named(data=DATA, **options):
    return {each.name: each for each in predictors(data, **options)}


def test_the_papers_nine_and_ours_in_the_order_of_the_report() -> None:
    found = predictors(DATA)
    assert [each.name for each in found] == [name for name in PREDICTORS if name != SHUFFLED]
    assert all(each.refusal is None for each in found)
    kinds = {kind: [each.name for each in found if each.kind is kind] for kind in PredictorKind}
    assert kinds[PredictorKind.PROBE] == [PROBE]
    assert kinds[PredictorKind.BASELINE] == [*Feature, COMBINED, COMBINED_WITHOUT_CHOICE]
    assert kinds[PredictorKind.BEYOND] == [BEFORE_GENERATION, ALL_LAYERS, WITH_FEATURES, TREES]
    assert kinds[PredictorKind.CONTROL] == [NO_SIGNAL]


def test_probes_look_at_their_places_one_candidate_a_layer() -> None:
    probe, before = named()[PROBE], named()[BEFORE_GENERATION]
    assert probe.features == ("before-verdict@2", "before-verdict@4")
    assert before.features == ("prompt-end@2", "prompt-end@4")
    for predictor in (probe, before):
        for candidate in predictor.build():
            assert (candidate.features == DATA.activations[Place.parse(candidate.name)]).all()
            assert candidate.blocks == ()


def test_all_layers_stand_side_by_side_in_one_candidate() -> None:
    (candidate,) = named()[ALL_LAYERS].build()
    assert candidate.features.shape == (20, 10)
    before = Place(position=Position.BEFORE_VERDICT, layer=4)
    assert (candidate.features[:, 5:] == DATA.activations[before]).all()


def test_baselines_have_their_columns() -> None:
    (margin,) = named()[Feature.ABSOLUTE_MARGIN].build()
    assert margin.features[:, 0].tolist() == np.abs(DATA.margin).tolist()
    assert named()[COMBINED].build()[0].features.shape == (20, 6)
    assert named()[COMBINED_WITHOUT_CHOICE].features == tuple(f for f in Feature if f is not Feature.AB_CHOICE)
    assert named()[COMBINED_WITHOUT_CHOICE].build()[0].features.shape == (20, 5)
    assert named()[TREES].build()[0].features.shape == (20, 6)


def test_six_features_have_a_say_beside_the_activations() -> None:
    candidates = named()[WITH_FEATURES].build()
    assert len(candidates) == 4
    equal, quarter = candidates[:2]
    assert (equal.features == quarter.features).all()
    assert (equal.features[:, 5:] == named()[COMBINED].build()[0].features.astype(np.float32)).all()
    # Standardised, a block's variance is the sum of its squared weights.
    variance = [sum(b.width * b.weight**2 for b in c.blocks[1:]) / c.blocks[0].width for c in (equal, quarter)]
    assert variance == pytest.approx([1, 1 / 16])


def test_what_a_prompt_does_not_ask_for_is_refused_or_left_out_aloud() -> None:
    found = named(planted(Plant(n=20, groups=20, confidence=False)))
    reason = "the prompt 'three-lines' asks for no confidence"
    assert found["confidence"].refusal == reason
    assert found["margin"].refusal is None
    for name in (COMBINED, COMBINED_WITHOUT_CHOICE, TREES, WITH_FEATURES):
        assert found[name].refusal is None
        assert found[name].notes == (f"without confidence: {reason}",)
        assert "confidence" not in found[name].features
    assert found[COMBINED].build()[0].features.shape == (20, 5)


@pytest.mark.parametrize("readout", [Readout.FIRST_TOKEN, Readout.PREFILLED])
def test_nothing_is_before_generation_where_nothing_is_generated(readout: Readout) -> None:
    found = named(planted(Plant(n=20, groups=20, readout=readout)))
    assert found[BEFORE_GENERATION].refusal == (
        f"under the {readout} readout nothing is generated before the verdict: it would be the probe again"
    )
    assert found[PROBE].refusal is None


def test_places_that_were_not_collected_refuse_what_needs_them() -> None:
    assert named(planted(Plant(n=20, groups=20, before_generation=False)))[BEFORE_GENERATION].refusal == (
        "no activation at the prompt's end was collected"
    )
    one = named(planted(Plant(n=20, groups=20, layers=(4,))))
    assert one[ALL_LAYERS].refusal == "one layer only (4): it would be the probe again"
    bare = named(replace(DATA, activations={}))
    for name in (PROBE, ALL_LAYERS, WITH_FEATURES):
        assert bare[name].refusal == "no activation before the verdict was collected"
    assert bare[COMBINED].refusal is None


def test_without_a_feature_nothing_is_combined() -> None:
    gone = np.full(20, np.nan)
    found = named(replace(DATA, confidence=gone, margin=gone, length_difference=gone))
    assert found[COMBINED].features == ("ab-choice",)
    assert found[COMBINED_WITHOUT_CHOICE].refusal == "the data has none of its features"


def test_predictors_are_left_out_by_name() -> None:
    assert TREES not in named(without=[TREES])
    with pytest.raises(ConfigError, match="without 'trees': no such predictor; there are probe, confidence"):
        predictors(DATA, without=["trees"])
    check_predictors([SHUFFLED], option="without")


def test_columns_are_names_that_any_tool_can_read() -> None:
    columns = [probability_column(name) for name in PREDICTORS]
    assert len(set(columns)) == len(PREDICTORS)
    assert all(column.isidentifier() for column in columns)


def test_methods_are_told_apart() -> None:
    methods = {each.name: each.method for each in predictors(DATA)}
    assert methods.pop(TREES) is Method.TREES
    assert methods.pop(NO_SIGNAL) is Method.RATE
    assert set(methods.values()) == {Method.LOGISTIC}
