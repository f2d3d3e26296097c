from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError, DataError
from evenhand.probes import Metric, PredictorKind
from evenhand.probes.predictors import PREDICTORS, SHUFFLED, probability_column
from evenhand.probes.saved import load_probes
from evenhand.stats import Estimate, Refusal, brier
from evenhand.workflow.probe_freeze import freeze_predictors, save_frozen
from evenhand.workflow.probe_settings import FitSettings
from evenhand.workflow.probe_transfer import transfer_probes, transfer_saved
from probes.saved_examples import PLACES, SUBJECT, probe_data, renamed, saved_probe

QUICK = FitSettings(resamples=100, penalties=(0.01, 1.0))
TRAIN, APPLY = probe_data(80, seed=1), probe_data(50, seed=2, prefix="other")


def value(figure: Estimate | Refusal) -> float:
    assert isinstance(figure, Estimate), figure
    return figure.value


def test_every_predictor_transfers_and_is_reported_as_in_a_fit() -> None:
    done = transfer_probes(TRAIN, APPLY, settings=QUICK)
    report = done.report
    assert (report.task, report.trained_on, report.data) == ("transfer", ("table:q.jsonl", 80), "table:other.jsonl")
    assert (report.pairs, report.groups, report.retention.planned) == (50, 25, 53)
    assert [each.name for each in report.predictors] == [name for name in PREDICTORS if name != SHUFFLED]
    assert value(report.flip_rate) == APPLY.flips.mean()
    assert {(d.predictor, d.reference) for d in report.differences} >= {("probe", "combined"), ("probe", "no-signal")}
    assert done.predictions["pair_id"].to_list() == list(APPLY.pair_ids)
    assert not report.notes


def test_figures_are_those_of_the_frozen_predictions_on_the_other_set() -> None:
    done = transfer_probes(TRAIN, APPLY, settings=QUICK)
    for each in done.frozen:
        expected = each.probabilities(APPLY)
        np.testing.assert_array_equal(done.predictions[probability_column(each.name)].to_numpy(), expected)
        figure = done.report.predictor(each.name).metric(Metric.BRIER)
        assert value(figure) == pytest.approx(np.mean((expected - APPLY.flips) ** 2), abs=1e-12)


def test_no_signal_is_the_training_sets_rate_and_not_the_other_sets() -> None:
    done = transfer_probes(TRAIN, APPLY, settings=QUICK)
    rate = TRAIN.flips.mean()
    assert done.predictions["p_no_signal"].to_list() == pytest.approx([rate] * 50)
    figure = done.report.predictor("no-signal").metric(Metric.BRIER)
    assert value(figure) == pytest.approx(value(brier(np.full(50, rate), APPLY.flips)))
    assert isinstance(done.report.predictor("no-signal").metric(Metric.AUROC), Refusal)


def test_trees_are_fitted_on_the_training_set_alone_and_not_kept() -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    from evenhand.probes.features import Feature, feature_table

    done = transfer_probes(TRAIN, APPLY, settings=QUICK)
    assert "boosted-trees" not in {each.name for each in done.frozen}
    (chosen,) = done.report.predictor("boosted-trees").selections
    trees, leaves = (int(word) for word in chosen.candidate.split() if word.isdigit())
    model = HistGradientBoostingClassifier(
        learning_rate=0.05,
        max_iter=trees,
        max_leaf_nodes=leaves,
        min_samples_leaf=10,
        early_stopping=False,
        random_state=0,
    ).fit(feature_table(TRAIN, tuple(Feature)).values, TRAIN.flips)
    expected = model.predict_proba(feature_table(APPLY, tuple(Feature)).values)[:, 1]
    np.testing.assert_allclose(done.predictions["p_boosted_trees"].to_numpy(), expected, atol=1e-12)


@settings(deadline=None, max_examples=10)
@given(rows=st.lists(st.integers(0, 49), min_size=4, max_size=20, unique=True))
def test_a_pairs_prediction_does_not_depend_on_the_others_of_its_set(rows: list[int]) -> None:
    quick = replace(QUICK, without=("boosted-trees", "all-layers", "probe-with-features"))
    whole = transfer_probes(TRAIN, APPLY, settings=quick).predictions
    part = transfer_probes(TRAIN, APPLY.rows(rows), settings=quick).predictions
    for name in ("p_probe", "p_combined", "p_no_signal"):
        assert part[name].to_list() == pytest.approx([whole[name][i] for i in rows], abs=1e-12)


def test_a_shift_of_the_other_sets_activations_moves_its_predictions() -> None:
    """Standardising there would undo a shift; the training set's standardisation doesn't."""
    shifted = probe_data(50, seed=2, prefix="other", shift=5.0)
    before = transfer_probes(TRAIN, APPLY, settings=QUICK).predictions
    after = transfer_probes(TRAIN, shifted, settings=QUICK).predictions
    assert abs(after["p_probe"] - before["p_probe"]).max() > 0.1
    np.testing.assert_array_equal(after["p_combined"].to_numpy(), before["p_combined"].to_numpy())


def test_the_other_sets_flips_change_no_prediction() -> None:
    turned = replace(APPLY, flips=~APPLY.flips)
    before = transfer_probes(TRAIN, APPLY, settings=QUICK).predictions
    after = transfer_probes(TRAIN, turned, settings=QUICK).predictions
    columns = [name for name in before.columns if name.startswith("p_")]
    assert len(columns) > 10
    assert after.select(columns).equals(before.select(columns))


def test_the_same_twice_is_the_same() -> None:
    first, second = (transfer_probes(TRAIN, APPLY, settings=QUICK) for _ in range(2))
    assert first.predictions.equals(second.predictions)
    assert repr(replace(first.report, seconds=())) == repr(replace(second.report, seconds=()))  # NaN isn't NaN


def test_saved_predictors_give_what_fitting_and_applying_gave(tmp_path: Path) -> None:
    save_frozen(freeze_predictors(TRAIN, settings=QUICK), tmp_path)
    direct = transfer_probes(TRAIN, APPLY, settings=QUICK)
    done = transfer_saved(load_probes(tmp_path), APPLY, settings=QUICK)
    saved = [each.name for each in done.report.predictors]
    assert saved == [name for name in PREDICTORS if name in saved]
    assert {"probe", "confidence", "combined", "before-generation", "all-layers", "no-signal"} <= set(saved)
    for name in saved:
        column = probability_column(name)
        np.testing.assert_array_equal(done.predictions[column].to_numpy(), direct.predictions[column].to_numpy())
        for metric, figure in done.report.predictor(name).metrics:
            expected = direct.report.predictor(name).metric(metric)
            assert isinstance(figure, Refusal) == isinstance(expected, Refusal)
            if isinstance(figure, Estimate):
                assert figure.value == pytest.approx(value(expected))
    assert done.report.trained_on == ("table:q.jsonl", 80)


def test_questions_that_both_sets_have_are_an_error_unless_allowed() -> None:
    both = replace(APPLY, groups=("q-group-0", *APPLY.groups[1:]))
    with pytest.raises(ConfigError, match=r"1 of 26 question groups .* no transfer"):
        transfer_probes(TRAIN, both, settings=QUICK)
    with pytest.raises(ConfigError, match="--allow-overlap"):
        transfer_saved([saved_probe(data=TRAIN)], both, settings=QUICK)
    done = transfer_probes(TRAIN, both, settings=QUICK, allow_overlap=True)
    assert done.report.notes == (
        "1 of 26 question groups (0 pairs) are in the training set too: figures on them are not those of a transfer",
    )


def test_like_pair_ids_under_other_questions_are_a_note() -> None:
    like = replace(APPLY, pair_ids=("q0", *APPLY.pair_ids[1:]))
    done = transfer_probes(TRAIN, like, settings=QUICK)
    assert "1 pair ids occur in both sets" in done.report.notes[0]


@pytest.mark.parametrize("field", ["revision", "dtype", "prompt_hash", "labels"])
def test_another_judge_is_an_error(field: str) -> None:
    other = replace(APPLY, subject=replace(SUBJECT, **{field: "other"}))
    told: list[str] = []
    with pytest.raises(ConfigError, match=r"probe of table:q\.jsonl doesn't fit this judge"):
        transfer_probes(TRAIN, other, settings=QUICK, progress=lambda what, *_: told.append(what))
    assert told == []  # before anything was fitted
    with pytest.raises(ConfigError, match="doesn't fit this judge"):
        transfer_saved([saved_probe()], other, settings=QUICK)


def test_another_engine_is_a_note() -> None:
    others = tuple((name, "torch 3" if name == "engine" else value) for name, value in SUBJECT.settings)
    other = replace(APPLY, subject=replace(SUBJECT, settings=others))
    note = "engine: the probe was trained with torch 2.13, applied with torch 3"
    assert transfer_probes(TRAIN, other, settings=QUICK).report.notes == (note,)
    assert transfer_saved([saved_probe()], other, settings=QUICK).report.notes == (note,)


def test_a_place_that_only_the_training_set_has_is_an_error_that_says_what_to_do() -> None:
    fewer = replace(APPLY, activations={place: APPLY.activations[place] for place in PLACES[:1]})
    with pytest.raises(ConfigError, match=r"before-verdict@3, prompt-end@3 collected .* but not .*--layers 1\)"):
        transfer_probes(TRAIN, fewer, settings=QUICK)


def test_a_feature_that_the_other_set_lacks_refuses_those_that_read_it() -> None:
    confidence = APPLY.confidence.copy()
    confidence[3] = np.nan
    report = transfer_probes(TRAIN, replace(APPLY, confidence=confidence), settings=QUICK).report
    for name in ("confidence", "combined", "boosted-trees"):
        figure = report.predictor(name).metric(Metric.BRIER)
        assert isinstance(figure, Refusal)
        assert "confidence" in figure.reason
    assert isinstance(report.predictor("probe").metric(Metric.BRIER), Estimate)


def test_a_training_set_of_too_few_flips_is_refused_and_not_fitted() -> None:
    few = replace(TRAIN, flips=np.arange(80) < 6)
    done = transfer_probes(few, APPLY, settings=QUICK)
    figure = done.report.predictor("probe").metric(Metric.AUROC)
    assert isinstance(figure, Refusal)
    assert "too little to learn from" in figure.reason
    assert isinstance(done.report.predictor("no-signal").metric(Metric.BRIER), Estimate)


def test_sets_without_pairs_are_an_error() -> None:
    empty = APPLY.rows([])
    with pytest.raises(DataError, match=r"table:other\.jsonl has no usable pair"):
        transfer_probes(TRAIN, empty, settings=QUICK)
    with pytest.raises(DataError, match="no usable pair"):
        transfer_saved([saved_probe()], empty, settings=QUICK)


def test_saved_probes_must_belong_together() -> None:
    with pytest.raises(ConfigError, match="at least one"):
        transfer_saved([], APPLY)
    with pytest.raises(ConfigError, match="two saved probes are named 'probe'"):
        transfer_saved([saved_probe(), saved_probe()], APPLY)
    other = renamed(saved_probe(data=probe_data(20, prefix="third")), name="second")
    with pytest.raises(ConfigError, match="probe and second were trained on different sets"):
        transfer_saved([saved_probe(), other], APPLY)


def test_one_saved_probe_stands_beside_its_training_sets_flip_rate() -> None:
    done = transfer_saved([saved_probe()], APPLY, settings=QUICK)
    assert [(each.name, each.kind) for each in done.report.predictors] == [
        ("probe", PredictorKind.PROBE),
        ("no-signal", PredictorKind.CONTROL),
    ]
    assert done.predictions["p_no_signal"][0] == pytest.approx(probe_data().flips.mean())


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    transfer_probes(TRAIN, APPLY, settings=QUICK, progress=lambda *args: told.append(args))
    assert [done for _, done, _ in told] == list(range(len(told)))
    assert told[-1][1] == told[-1][2]
    assert told[0][0] == "probe"


def test_ids_that_no_table_can_hold_are_escaped_in_it() -> None:
    odd = replace(APPLY, pair_ids=("\ud800", *APPLY.pair_ids[1:]), groups=("\udfff", *APPLY.groups[1:]))
    done = transfer_saved([saved_probe()], odd, settings=QUICK)
    assert done.predictions.row(0)[:2] == ("\\ud800", "\\udfff")
