"""Scores from a saved probe, from a fit's held-out predictions, or cross-validated here."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from evenhand.errors import ConfigError, DataError
from evenhand.probes.saved import load_probe, save_probe
from evenhand.probes.transfer import Freezing, freeze
from evenhand.probes.triage_scores import ScoreKind
from evenhand.records import file_sha256
from evenhand.stats import Refusal, auroc
from evenhand.workflow.probe_fit import fit_probes
from evenhand.workflow.probe_settings import FitSettings
from evenhand.workflow.triage_scores import LEFT, gather_scores, linear_predictor, without_trained
from probes.triage_examples import triage_data

DATA = triage_data(200)
OTHER = triage_data(200, seed=5)
ELSEWHERE = OTHER.rows(np.arange(200))


def renamed(data, prefix):
    return replace(
        data, pair_ids=tuple(prefix + p for p in data.pair_ids), groups=tuple(prefix + g for g in data.groups)
    )


def saved(path, data, name="probe"):
    return save_probe(path, freeze(linear_predictor(data, name), data, how=Freezing()))


def gather(data=DATA, *, also="", probe=None, fit=None):
    return gather_scores(data, also=also, probe=probe, fit=fit, seed=0)


def test_without_files_probe_and_combined_are_cross_validated_and_can_be_fitted_anew():
    found = gather()
    assert tuple(found.scores) == ("probe", "combined", "absolute-margin", "confidence", "small-margin", "random")
    for name in ("probe", "combined", "absolute-margin"):
        assert found.scores[name].kind is ScoreKind.HELD_OUT
        assert found.scores[name].refit is not None
    assert auroc(found.scores["probe"].values, DATA.flips).value > 0.8
    assert found.main == "probe"
    assert found.used is None
    assert found.scoring > 0


def test_a_saved_probe_of_other_questions_is_frozen(tmp_path):
    card = saved(tmp_path / "probe.json", renamed(OTHER, "other-"))
    found = gather(probe=card)
    assert found.scores["probe"].kind is ScoreKind.FROZEN
    assert found.scores["probe"].refit is None
    assert (found.scores["probe"].values == found.used.probe.probabilities(DATA)).all()
    assert found.used.sha256 == file_sha256(card)
    assert found.notes == ()
    assert gather(probe=tmp_path).used.sha256 == found.used.sha256


def test_a_saved_probe_of_these_questions_is_no_proof(tmp_path):
    found = gather(probe=saved(tmp_path / "probe.json", DATA.rows(np.arange(120))))
    assert found.scores["probe"].kind is ScoreKind.OVERLAPPING
    assert "nothing can be said of it here" in found.notes[-1]


def test_what_is_left_without_the_questions_that_a_probe_was_trained_on(tmp_path):
    seen = sorted(set(DATA.groups))
    for count in (len(seen) - LEFT, len(seen) - LEFT + 1):
        known = np.isin(DATA.groups, seen[:count])
        probe = load_probe(saved(tmp_path / f"{count}.json", DATA.rows(known)))
        left = without_trained(DATA, probe)
        if count > len(seen) - LEFT:
            assert left is None, "too few"
        else:
            assert (left == ~known).all()
    steady = replace(DATA, flips=known & DATA.flips)
    assert without_trained(steady, probe) is None, "no flip is left"
    assert without_trained(renamed(DATA, "x"), probe).all()


def test_a_saved_baseline_keeps_its_name_and_takes_the_place_of_the_raw_score(tmp_path):
    found = gather(probe=saved(tmp_path / "c.json", renamed(OTHER, "other-"), name="confidence"))
    assert found.main == "confidence"
    assert found.scores["confidence"].kind is ScoreKind.FROZEN


def test_a_fits_predictions_are_taken_as_they_are(tmp_path):
    fit = fit_probes(DATA, settings=FitSettings(resamples=100, learning_curve=False, without=("shuffled-labels",)))
    fit.predictions.write_parquet(tmp_path / "predictions.parquet")
    assert tuple(gather(fit=tmp_path, also="probe").scores) == tuple(gather().scores)
    found = gather(fit=tmp_path, also="boosted-trees")
    assert found.scores["probe"].values.tolist() == fit.predictions["p_probe"].to_list()
    assert found.scores["boosted-trees"].kind is ScoreKind.HELD_OUT
    assert found.scores["boosted-trees"].refit is None
    assert found.scores["confidence"].kind is ScoreKind.RAW
    with pytest.raises(DataError, match="has 200 pairs, the run has 150"):
        gather(DATA.rows(np.arange(150)), fit=tmp_path)
    with pytest.raises(DataError, match="other flips"):
        gather(replace(DATA, flips=~DATA.flips), fit=tmp_path)


def test_folders_that_are_no_fit(tmp_path):
    with pytest.raises(DataError, match="name a directory of evenhand probe fit"):
        gather(fit=tmp_path)
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "predictions.parquet")
    with pytest.raises(DataError, match="has the columns x"):
        gather(fit=tmp_path)
    pl.DataFrame({"pair_id": DATA.pair_ids, "flip": DATA.flips}).write_parquet(tmp_path / "predictions.parquet")
    with pytest.raises(DataError, match="no column of predictions"):
        gather(fit=tmp_path)
    columns = {"pair_id": DATA.pair_ids, "flip": DATA.flips, "p_probe": ["likely"] * len(DATA)}
    pl.DataFrame(columns).write_parquet(tmp_path / "predictions.parquet")
    with pytest.raises(DataError, match="field 'p_probe': the column is String"):
        gather(fit=tmp_path)
    columns["pair_id"] = [[pair] for pair in DATA.pair_ids]
    pl.DataFrame(columns).write_parquet(tmp_path / "predictions.parquet")
    with pytest.raises(DataError, match="expected texts in pair_id"):
        gather(fit=tmp_path)
    with pytest.raises(ConfigError, match="give one of them"):
        gather(probe=tmp_path, fit=tmp_path)


def test_too_few_questions_or_no_flips_are_refused():
    few = DATA.rows(np.flatnonzero(np.isin(DATA.groups, sorted(set(DATA.groups))[:6])))
    assert "needs at least 10 questions" in gather(few).scores["probe"].reason
    steady = DATA.rows(np.flatnonzero(~DATA.flips))
    assert isinstance(gather(steady).scores["combined"], Refusal)


def test_only_linear_predictors_can_be_named():
    assert linear_predictor(DATA, "probe").name == "probe"
    for name in ("boosted-trees", "oracle", "no-signal"):
        with pytest.raises(ConfigError, match="no linear predictor"):
            linear_predictor(DATA, name)
