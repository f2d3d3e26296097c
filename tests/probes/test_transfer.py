from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.probes import Place, PredictorKind
from evenhand.probes.predictors import NO_SIGNAL, Method, Predictor, predictors
from evenhand.probes.refit import fit_selected
from evenhand.probes.saved import SavedProbe, load_probe, save_probe
from evenhand.probes.transfer import Freezing, apply_frozen, freeze
from evenhand.stats import Refusal
from probes.saved_examples import PLACES, SUBJECT, probe_data

TRAIN, APPLY = probe_data(80, seed=1), probe_data(50, seed=2, prefix="other")
LINEAR = [each for each in predictors(TRAIN) if each.method is Method.LOGISTIC and each.refusal is None]


def frozen(predictor: Predictor, **how: object) -> SavedProbe:
    made = freeze(predictor, TRAIN, how=Freezing(**how))
    assert isinstance(made, SavedProbe)
    return made


def test_there_is_something_to_freeze() -> None:
    assert {"probe", "combined", "before-generation", "all-layers", "probe-with-features"} <= {p.name for p in LINEAR}


@pytest.mark.parametrize("predictor", LINEAR, ids=lambda each: each.name)
def test_a_frozen_predictor_is_the_fit_applied_to_the_same_candidates_columns(predictor: Predictor) -> None:
    """Whatever a candidate's columns are (a place, features, copies of them), the card names them in their order."""
    fitted = fit_selected(predictor.build(), TRAIN.flips, TRAIN.groups, folds=5, seed=0)
    there = next(each for each in predictors(APPLY) if each.name == predictor.name)
    columns = next(each for each in there.build() if each.name == fitted.candidate).features
    # Beside activations the features are fitted in float32.
    near = 1e-6 if predictor.name == "probe-with-features" else 1e-12
    np.testing.assert_allclose(frozen(predictor).probabilities(APPLY), fitted.probabilities(columns), rtol=0, atol=near)


@pytest.mark.parametrize("predictor", LINEAR, ids=lambda each: each.name)
def test_what_is_saved_and_read_back_predicts_the_same(predictor: Predictor, tmp_path: Path) -> None:
    made = frozen(predictor)
    again = load_probe(save_probe(tmp_path / "p", made))
    np.testing.assert_array_equal(again.probabilities(APPLY), made.probabilities(APPLY))


def test_against_scikit_learn_fitted_on_the_training_set_alone() -> None:
    """The paper's procedure by another library: standardise by the training set, fit, apply."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    made = frozen(LINEAR[0])
    place = made.card.places[0]
    scaler = StandardScaler().fit(TRAIN.activations[place].astype(np.float64))
    model = LogisticRegression(C=1 / (len(TRAIN) * made.card.l2), tol=1e-12, max_iter=10_000)
    model.fit(scaler.transform(TRAIN.activations[place].astype(np.float64)), TRAIN.flips)
    expected = model.predict_proba(scaler.transform(APPLY.activations[place].astype(np.float64)))[:, 1]
    np.testing.assert_allclose(made.probabilities(APPLY), expected, rtol=0, atol=1e-6)


def test_applying_never_standardises_anew() -> None:
    """A shift of the other set's activations moves its predictions; a probe fitted or scaled there wouldn't see it."""
    made = frozen(LINEAR[0])
    place = made.card.places[0]
    shift = (made.weights / made.scale * 3).astype(np.float32)
    shifted = replace(APPLY, activations={**APPLY.activations, place: APPLY.activations[place] + shift})
    assert (made.probabilities(shifted) > made.probabilities(APPLY)).all()
    scaled = replace(APPLY, activations={**APPLY.activations, place: APPLY.activations[place] * 2})
    assert not np.allclose(made.probabilities(scaled), made.probabilities(APPLY))


def test_the_other_sets_labels_have_no_part() -> None:
    made = frozen(LINEAR[0])
    np.testing.assert_array_equal(made.probabilities(replace(APPLY, flips=~APPLY.flips)), made.probabilities(APPLY))


def test_a_planted_signal_transfers() -> None:
    from evenhand.stats import auroc

    made = frozen(LINEAR[0])
    figure = auroc(made.probabilities(probe_data(400, seed=5, prefix="z")), probe_data(400, seed=5, prefix="z").flips)
    assert not isinstance(figure, Refusal)
    assert figure.value > 0.7


def test_no_signal_is_the_training_sets_flip_rate() -> None:
    rate = next(each for each in predictors(TRAIN) if each.name == NO_SIGNAL)
    made = frozen(rate)
    assert made.card.kind is PredictorKind.CONTROL
    assert made.probabilities(APPLY) == pytest.approx([TRAIN.flips.mean()] * len(APPLY), abs=1e-15)
    held = apply_frozen(made, APPLY)
    assert held.selections == ()
    assert held.features == (f"flip rate of the training set ({TRAIN.flips.mean():.3f})",)


def test_the_card_says_how_it_was_made() -> None:
    card = frozen(LINEAR[0], folds=4, seed=7, penalties=(0.1, 1.0), evenhand="9.9", created="now").card
    assert (card.procedure.folds, card.procedure.seed, card.procedure.penalties) == (4, 7, (0.1, 1.0))
    assert (card.evenhand, card.created) == ("9.9", "now")
    assert card.l2 in (0.1, 1.0)
    assert card.candidate in [place.name for place in PLACES]
    assert card.features == (card.candidate,)
    assert 0 < card.procedure.validation_brier < 0.25
    assert (card.subject, card.trained_on.pairs, card.trained_on.groups) == (SUBJECT, 80, 40)


def refused() -> Iterator[tuple[Predictor, str]]:
    by_name = {each.name: each for each in predictors(TRAIN)}
    yield by_name["boosted-trees"], "pickles"
    yield replace(by_name["probe"], refusal="no activation was collected"), "no activation was collected"


@pytest.mark.parametrize(("predictor", "said"), list(refused()))
def test_what_can_not_be_frozen_is_refused_with_the_reason(predictor: Predictor, said: str) -> None:
    made = freeze(predictor, TRAIN, how=Freezing())
    assert isinstance(made, Refusal)
    assert said in made.reason


@pytest.mark.parametrize("flips", [True, False])
@pytest.mark.parametrize(("name", "said"), [("probe", "has 0"), (NO_SIGNAL, "all flipped, or none did")])
def test_labels_that_are_all_alike_teach_nothing(flips: bool, said: str, name: str) -> None:
    data = replace(TRAIN, flips=np.full(len(TRAIN), flips))
    made = freeze(next(each for each in predictors(data) if each.name == name), data, how=Freezing())
    assert isinstance(made, Refusal)
    assert said in made.reason


def test_few_groups_with_a_flip_are_too_little_to_learn_from() -> None:
    """Eight flips in four groups are little, though they are eight."""
    data = replace(TRAIN, flips=np.arange(len(TRAIN)) < 8)
    made = freeze(predictors(data)[0], data, how=Freezing())
    assert isinstance(made, Refusal)
    assert made.reason == "too little to learn from: needs at least 5 question groups with a flip, has 4"


def test_too_few_groups_are_a_refusal() -> None:
    data = TRAIN.rows(range(6))
    made = freeze(predictors(data)[0], data, how=Freezing())
    assert made == Refusal(reason="needs at least 5 question groups to choose by, has 3", n=6)


def test_another_judge_is_an_error_and_a_missing_feature_a_refusal() -> None:
    made = frozen(next(each for each in LINEAR if each.name == "confidence"))
    with pytest.raises(ConfigError, match="doesn't fit this judge"):
        apply_frozen(made, replace(APPLY, subject=replace(SUBJECT, dtype="bfloat16")))
    held = apply_frozen(made, replace(APPLY, confidence=np.full(len(APPLY), np.nan)))
    assert isinstance(held.probabilities, Refusal)
    assert "asks for no confidence" in held.probabilities.reason


def test_a_layer_that_was_not_collected_there_is_an_error() -> None:
    made = frozen(LINEAR[0])
    without = {place: values for place, values in APPLY.activations.items() if place not in made.card.places}
    with pytest.raises(ConfigError, match="was not collected"):
        apply_frozen(made, replace(APPLY, activations=without))


def test_a_candidate_of_unknown_columns_is_never_guessed() -> None:
    from evenhand.errors import DataError
    from evenhand.probes.candidates import Candidate

    odd = (Candidate(name="odd", features=np.random.default_rng(0).normal(size=(80, 5))),)
    predictor = replace(LINEAR[0], build=lambda: odd)
    with pytest.raises(DataError, match="'odd' of 5 columns"):
        freeze(predictor, TRAIN, how=Freezing())


def test_names_of_places_are_those_of_the_data() -> None:
    assert {place.name for place in TRAIN.activations} == {Place.parse(each.name).name for each in PLACES}
