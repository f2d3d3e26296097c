from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import StoreError
from evenhand.probes import Metric
from evenhand.probes.saved import load_probes
from evenhand.stats import Estimate
from evenhand.workflow.probe_fit import fit_probes
from evenhand.workflow.probe_freeze import freeze_predictors, freezing, save_frozen
from evenhand.workflow.probe_settings import FitSettings
from probes.saved_examples import probe_data

QUICK = FitSettings(resamples=100, penalties=(0.01, 1.0))
TRAIN = probe_data(80, seed=1)


def test_a_saved_folder_has_cards_with_the_cross_validated_figures(tmp_path: Path) -> None:
    quick = replace(QUICK, without=("boosted-trees", "probe-with-features"), shuffles=1, learning_curve=False)
    fit = fit_probes(TRAIN, settings=quick)
    cards = save_frozen(freeze_predictors(TRAIN, settings=quick, report=fit.report, created="now"), tmp_path)
    assert cards[0] == tmp_path / "probe.json"
    probes = load_probes(tmp_path)
    assert probes[0].name == "probe"
    for each in probes:
        auroc = next(figure for figure in each.card.figures if figure.metric is Metric.AUROC)
        expected = fit.report.predictor(each.name).metric(Metric.AUROC)
        assert isinstance(expected, Estimate)
        assert auroc.value == expected.value
        assert auroc.low is not None
        assert each.card.created == "now"


def test_what_can_not_be_saved_is_named() -> None:
    frozen = freeze_predictors(TRAIN, settings=QUICK)
    assert "pickles" in dict(frozen.refused)["boosted-trees"].reason
    assert "boosted-trees" not in {each.name for each in frozen.probes}


def test_a_folder_holds_one_fit(tmp_path: Path) -> None:
    save_frozen(freeze_predictors(TRAIN, settings=QUICK), tmp_path)
    (tmp_path / "baselines" / "mine.json").write_text("{}")
    save_frozen(freeze_predictors(TRAIN, settings=replace(QUICK, without=("combined", "all-layers"))), tmp_path)
    names = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert "combined.json" not in names
    assert "all-layers.safetensors" not in names
    assert {"probe.json", "probe.safetensors", "confidence.json", "mine.json"} <= names


def test_the_probe_may_be_saved_elsewhere(tmp_path: Path) -> None:
    frozen = freeze_predictors(TRAIN, settings=QUICK)
    cards = save_frozen(frozen, tmp_path / "out", probe=tmp_path / "mine")
    assert cards[0] == tmp_path / "mine.json"
    assert not (tmp_path / "out" / "probe.json").exists()


def test_there_are_as_many_folds_as_a_fit_has_outer_ones() -> None:
    how = freezing(FitSettings(outer_folds=7, seed=3, penalties=(0.5,)), created="now")
    assert (how.folds, how.seed, how.penalties, how.created) == (7, 3, (0.5,), "now")
    assert how.evenhand


def test_a_probe_of_an_earlier_fit_does_not_survive_one_that_has_none(tmp_path: Path) -> None:
    save_frozen(freeze_predictors(TRAIN, settings=QUICK), tmp_path)
    none = freeze_predictors(replace(TRAIN, activations={}), settings=QUICK)
    assert "no activation" in dict(none.refused)["probe"].reason
    assert tmp_path / "baselines" / "margin.json" in save_frozen(none, tmp_path)
    assert not (tmp_path / "probe.json").exists()
    assert "margin" in [each.name for each in load_probes(tmp_path)]


def test_a_stale_file_that_can_not_be_removed_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "beyond" / "boosted-trees.json").mkdir(parents=True)
    with pytest.raises(StoreError, match=r"boosted-trees\.json: can't be removed"):
        save_frozen(freeze_predictors(TRAIN, settings=QUICK), tmp_path)


def test_progress_is_told_to_the_end() -> None:
    told: list[tuple[str, int, int]] = []
    freeze_predictors(TRAIN, settings=QUICK, progress=lambda *args: told.append(args))
    assert [done for _, done, _ in told] == list(range(len(told)))
    assert told[-1][1] == told[-1][2]
