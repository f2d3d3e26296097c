import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from cli.probe_runs import collected
from evenhand.probes.saved import load_probe
from evenhand.workflow.probe_data import load_probe_data

Run = Callable[..., Any]
QUICK = ("--resamples", 100, "--quiet")
FEW = ("--predictor", "confidence", "--predictor", "boosted-trees")


@pytest.fixture(scope="module")
def train(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collected(tmp_path_factory.mktemp("transfer") / "train")


@pytest.fixture(scope="module")
def apply(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collected(tmp_path_factory.mktemp("transfer") / "apply", start=100, count=24)


def test_fit_on_one_set_and_judge_the_other(evenhand: Run, train: Path, apply: Path, tmp_path: Path) -> None:
    words = ("--train", train, "--apply", apply, "--out", tmp_path / "out", "--save", tmp_path / "mine")
    done = evenhand("probe", "transfer", *words, "--brief", *QUICK, *FEW)
    assert done.code == 0
    assert "Fitted on 36 pairs" in " ".join(done.out.split())
    assert f"Report:      {tmp_path / 'out' / 'report.html'}" in done.out
    assert f"Probe:       {tmp_path / 'mine.json'}" in done.out
    predictions = pl.read_parquet(tmp_path / "out" / "predictions.parquet")
    data = load_probe_data(apply)
    expected = load_probe(tmp_path / "mine").probabilities(data)
    assert predictions["p_probe"].to_list() == expected.tolist()
    assert "p_boosted_trees" in predictions.columns


def test_a_saved_probe_gives_the_same_report_figures(evenhand: Run, train: Path, apply: Path, tmp_path: Path) -> None:
    fit = ("--shuffles", 1, "--no-learning-curve", *QUICK, "--predictor", "confidence")
    assert evenhand("probe", "fit", train, "--out", tmp_path / "fit", *fit).code == 0
    here = evenhand(
        "probe", "transfer", "--train", train, "--apply", apply, "--out", tmp_path / "a", "--json", *QUICK,
        "--predictor", "confidence",
    )  # fmt: skip
    saved = evenhand(
        "probe", "transfer", "--probe", tmp_path / "fit", "--apply", apply, "--out", tmp_path / "b", "--json", *QUICK
    )
    assert (here.code, saved.code) == (0, 0)
    one, two = json.loads(here.out), json.loads(saved.out)
    assert one["task"] == two["task"] == "transfer"
    assert one["predictors"] == [
        {**each, "features": other["features"]}
        for each, other in zip(two["predictors"], one["predictors"], strict=True)
    ]
    assert one["differences"] == two["differences"]


def test_one_file_of_a_baseline_transfers_alone(evenhand: Run, train: Path, apply: Path, tmp_path: Path) -> None:
    fit = ("--shuffles", 1, "--no-learning-curve", *QUICK, "--predictor", "margin")
    evenhand("probe", "fit", train, "--out", tmp_path / "fit", *fit)
    file = tmp_path / "fit" / "baselines" / "margin.json"
    done = evenhand("probe", "transfer", "--probe", file, "--apply", apply, "--out", tmp_path / "b", "--json", *QUICK)
    assert done.code == 0
    assert [each["name"] for each in json.loads(done.out)["predictors"]] == ["margin", "no-signal"]


def test_without_out_it_goes_into_the_applied_run(evenhand: Run, train: Path, tmp_path: Path) -> None:
    apply = collected(tmp_path / "apply", start=100, count=24)
    assert evenhand("probe", "transfer", "--train", train, "--apply", apply, *QUICK, *FEW).code == 0
    assert (apply / "transfer" / "report.html").is_file()


def test_the_training_set_itself_is_refused_unless_allowed(evenhand: Run, train: Path, tmp_path: Path) -> None:
    words = ("probe", "transfer", "--train", train, "--apply", train, "--out", tmp_path, *QUICK, *FEW)
    done = evenhand(*words)
    assert done.code == 2
    assert "18 of 18 question groups (36 pairs)" in done.err
    assert done.err.count("\n") == 1
    assert not (tmp_path / "report.html").exists()
    allowed = evenhand(*words, "--allow-overlap", "--json")
    assert allowed.code == 0
    assert any("not those of a transfer" in note for note in json.loads(allowed.out)["notes"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "give --train DIR to fit on, or --probe FILE"),
        (("--probe", "x.json", "--train", "y"), "--train and --probe"),
        (("--probe", "x.json", "--save", "y"), "--save and --probe"),
        (("--probe", "x.json", "--layers", "1"), "--layers and --probe"),
        (("--probe", "x.json", "--without", "combined"), "--without and --probe"),
        (("--probe", "x.json", "--predictor", "combined"), "--predictor and --probe"),
        (("--probe", "missing.json"), "missing.json: can't be read"),
    ],
)
def test_a_wrong_call_is_one_line(evenhand: Run, apply: Path, words: tuple[str, ...], said: str) -> None:
    done = evenhand("probe", "transfer", "--apply", apply, *words)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1


def test_a_layer_that_the_other_set_lacks_is_one_line(evenhand: Run, train: Path, apply: Path) -> None:
    done = evenhand("probe", "transfer", "--train", train, "--apply", apply, "--layers", "7")
    assert done.code == 2
    assert "--layers 7: not among those collected" in done.err


def test_a_probe_that_can_not_be_fitted_is_not_saved(evenhand: Run, apply: Path, tmp_path: Path) -> None:
    few = collected(tmp_path / "few", count=9)
    words = ("--train", few, "--apply", apply, "--out", tmp_path / "out", "--save", tmp_path / "p")
    done = evenhand("probe", "transfer", *words, *QUICK, *FEW)
    assert done.code == 2
    assert "the probe could not be fitted" in done.err
    assert (tmp_path / "out" / "report.html").is_file()
    assert not (tmp_path / "p.json").exists()
