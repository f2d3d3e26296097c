import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli.probe_runs import collected
from evenhand.probes.saved import load_probe, load_probes
from evenhand.workflow.probe_data import load_probe_data

Run = Callable[..., Any]
QUICK = ("--resamples", 100, "--shuffles", 1, "--no-learning-curve", "--quiet")
FEW = ("--predictor", "confidence", "--predictor", "combined")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collected(tmp_path_factory.mktemp("fit") / "one")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pairs by another run, in which one pair kept no format."""
    return collected(tmp_path_factory.mktemp("fit") / "two", lost=4)


def test_a_fit_writes_its_report_and_saves_the_probe(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("probe", "fit", run, "--out", tmp_path / "out", "--brief", *QUICK)
    assert done.code == 0
    out = tmp_path / "out"
    assert f"Report:      {out / 'report.html'}" in done.out
    assert f"Probe:       {out / 'probe.json'}" in done.out
    assert "How well flips are predicted" in done.out
    names = [each.name for each in load_probes(out)]
    assert names[0] == "probe"
    assert {"confidence", "combined", "before-generation", "all-layers", "probe-with-features"} <= set(names)
    probe = load_probe(out)
    assert probe.card.trained_on.pairs == 36
    assert probe.card.figures
    assert probe.card.created.startswith("20")
    predictions = pl.read_parquet(out / "predictions.parquet")
    assert predictions["pair_id"].to_list() == list(load_probe_data(run, places=()).pair_ids)
    assert json.loads((out / "probes.json").read_text())["task"] == "fit"


def test_a_saved_probe_is_fitted_on_all_pairs_as_the_library_fits_it(evenhand: Run, run: Path, tmp_path: Path) -> None:
    import numpy as np

    from evenhand.workflow.probe_freeze import freeze_predictors
    from evenhand.workflow.probe_settings import FitSettings

    assert evenhand("probe", "fit", run, "--out", tmp_path, "--seed", 3, *QUICK, *FEW).code == 0
    data = load_probe_data(run)
    expected = freeze_predictors(data, settings=FitSettings(seed=3)).probes[0]
    np.testing.assert_array_equal(load_probe(tmp_path).probabilities(data), expected.probabilities(data))


def test_json_is_the_report_alone(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("probe", "fit", run, "--out", tmp_path, "--json", "--level", 0.8, "--seed", 5, *QUICK, *FEW)
    assert done.code == 0
    assert done.err == ""
    report = json.loads(done.out)
    procedure = report["procedure"]
    assert (procedure["resamples"], procedure["level"], procedure["seed"]) == (100, 0.8, 5)
    names = [each["name"] for each in report["predictors"]]
    assert names == ["probe", "confidence", "combined", "no-signal", "shuffled-labels"], "controls always run"


def test_what_is_not_saved_is_said(evenhand: Run, run: Path, tmp_path: Path) -> None:
    options = [word for word in QUICK if word != "--quiet"]
    done = evenhand("probe", "fit", run, "--out", tmp_path, "--brief", *options)
    assert done.err.count("boosted-trees is not saved") == 1
    assert evenhand("probe", "fit", run, "--out", tmp_path, "--brief", *QUICK, *FEW).err == ""


def test_predictors_can_be_left_out(evenhand: Run, run: Path, tmp_path: Path) -> None:
    words = ("--without", "boosted-trees", "--without", "shuffled-labels", "--without", "all-layers")
    done = evenhand("probe", "fit", run, "--out", tmp_path, "--json", *QUICK, *words)
    names = [each["name"] for each in json.loads(done.out)["predictors"]]
    assert "probe-with-features" in names
    assert not {"boosted-trees", "shuffled-labels", "all-layers"} & set(names)


def test_layers_restrict_what_is_read(evenhand: Run, run: Path, tmp_path: Path) -> None:
    done = evenhand("probe", "fit", run, "--out", tmp_path, "--layers", "1, 3", *QUICK, *FEW)
    assert done.code == 0
    assert {place.layer for place in load_probe(tmp_path).card.places} <= {1, 3}
    report = json.loads((tmp_path / "probes.json").read_text())
    assert report["predictors"][0]["features"] == ["before-verdict@1", "before-verdict@3"]


def test_the_probe_can_be_saved_elsewhere(evenhand: Run, run: Path, tmp_path: Path) -> None:
    words = ("--out", tmp_path / "out", "--save", tmp_path / "mine.json")
    assert evenhand("probe", "fit", run, *words, *QUICK, *FEW).code == 0
    assert load_probe(tmp_path / "mine.json").name == "probe"
    assert not (tmp_path / "out" / "probe.json").exists()


def test_without_out_it_goes_into_the_run(evenhand: Run, tmp_path: Path) -> None:
    run = collected(tmp_path / "run")
    assert evenhand("probe", "fit", run, *QUICK, *FEW).code == 0
    assert (run / "fit" / "report.html").is_file()
    assert (run / "fit" / "probe.safetensors").is_file()


def test_several_judges_are_judged_on_shared_pairs_and_the_same_folds(
    evenhand: Run, run: Path, other: Path, tmp_path: Path
) -> None:
    done = evenhand("probe", "fit", run, other, "--out", tmp_path, "--json", *QUICK, *FEW)
    assert done.code == 0
    reports = json.loads(done.out)["reports"]
    assert len(reports) == 2
    one, two = (pl.read_parquet(tmp_path / name / "predictions.parquet") for name in ("one", "two"))
    assert len(one) == 35
    assert "p4" not in one["pair_id"].to_list()
    assert one.select("pair_id", "group", "fold").equals(two.select("pair_id", "group", "fold"))
    assert [load_probe(tmp_path / name).card.trained_on.pairs for name in ("one", "two")] == [35, 35]


def test_each_judge_is_named_in_the_terminal(evenhand: Run, run: Path, other: Path, tmp_path: Path) -> None:
    done = evenhand("probe", "fit", run, other, "--out", tmp_path, "--brief", *QUICK, *FEW)
    assert done.code == 0
    assert f"{run}:\n" in done.out
    assert f"{other}:\n" in done.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--predictor", "magic"), "--predictor 'magic': no such predictor"),
        (("--without", "magic"), "--without 'magic': no such predictor"),
        (("--without", "combined", "--predictor", "margin"), "give one of them"),
        (("--without", "probe"), "without probe"),
        (("--layers", "x"), "--layers 'x': expected numbers"),
        (("--layers", "9"), "--layers 9: not among those collected for x (1, 2, 3)"),
        (("--layers", ""), "expected numbers"),
    ],
)
def test_a_wrong_option_is_one_line(
    evenhand: Run, run: Path, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    done = evenhand("probe", "fit", run, "--out", tmp_path, *words)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_runs_that_do_not_go_together_are_one_line(evenhand: Run, run: Path, other: Path, tmp_path: Path) -> None:
    assert "named twice" in evenhand("probe", "fit", run, run).err
    assert "--save names one probe" in evenhand("probe", "fit", run, other, "--save", tmp_path / "p").err
    different = collected(tmp_path / "third", start=100)
    done = evenhand("probe", "fit", run, different, "--out", tmp_path / "out")
    assert done.code == 2
    assert "different pairs" in done.err


def test_what_is_no_collected_run_is_one_line(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("probe", "fit", tmp_path)
    assert done.code in (2, 3)
    assert done.out == ""
    assert done.err.count("\n") == 1


def test_too_few_questions_are_one_line(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("probe", "fit", collected(tmp_path / "few", count=8))
    assert done.code == 2
    assert "4 question groups" in done.err


def test_where_it_could_not_be_written_nothing_is_fitted(
    evenhand: Run, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("evenhand.workflow.probe_fit.fit_probes", never)
    (tmp_path / "file").write_text("x")
    for words, said in ((("--out", tmp_path / "file"), "is a file"), (("--save", "/"), "expected a file's name")):
        done = evenhand("probe", "fit", run, "--out", tmp_path, *words)
        assert done.code == 2
        assert said in done.err
