"""From runs and human labels to agreement and win rates."""

from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import ConfigError, DataError
from evenhand.records import Order, Readout
from evenhand.stats import Estimate
from evenhand.store import Journal
from evenhand.workflow.humans import HumanRun, compare_with_humans
from workflow.human_labels import human_labels
from workflow.ranked_runs import ranked_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("humans")
    ranked_run(folder / "biased")
    ranked_run(folder / "fair", position=0.0)
    human_labels(folder / "labels.jsonl")
    return folder


@pytest.fixture(scope="module")
def made(folder: Path) -> HumanRun:
    return compare_with_humans([folder / "biased", folder / "fair"], folder / "labels.jsonl", resamples=200)


def rate(made: HumanRun, judge: int, verdict: str) -> float:
    found = next(a for a in made.judges[judge].agreement.against_consensus if a.first == verdict)
    assert isinstance(found.rate, Estimate)
    return found.rate.value


def test_the_fair_judge_agrees_more(made: HumanRun) -> None:
    assert [line.readout for line in made.judges] == [Readout.FIRST_TOKEN] * 2
    assert rate(made, 1, "both orders") > rate(made, 0, "both orders")
    assert made.people.annotators == 2
    assert isinstance(made.people.alpha, Estimate)
    assert made.people.alpha.value > 0.4


def test_labels_that_do_not_enter_are_counted(made: HumanRun) -> None:
    assert (made.labels.empty, made.labels.elsewhere) == (1, 1)
    assert made.labelled == len({label.pair_id for label in made.labels.labels})


def test_win_rates_are_of_the_authors(made: HumanRun) -> None:
    rates = {rate.player: rate.powered for rate in made.judges[1].win_rates}
    assert list(rates) == ["alpha", "beta", "delta", "gamma"]
    values = {name: found.value for name, found in rates.items() if isinstance(found, Estimate)}
    assert values["alpha"] > values["delta"]


def test_dated_labels_come_by_the_period_asked_for(folder: Path, made: HumanRun) -> None:
    assert [p.period for p in made.judges[0].over_time.periods] == ["2026-08", "2026-09", "2026-10"]
    weekly = compare_with_humans(folder / "fair", folder / "labels.jsonl", period="week", resamples=200)
    assert all("-W" in p.period for p in weekly.judges[0].over_time.periods)


def test_the_same_seed_gives_the_same_figures(folder: Path, made: HumanRun) -> None:
    again = compare_with_humans([folder / "biased", folder / "fair"], folder / "labels.jsonl", resamples=200)
    assert again == made


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"period": "year"}, "period is 'year': expected day, week, month"),
        ({"readout": "generated"}, "has no readout generated"),
        ({"readout": "x"}, "readout 'x': expected"),
        ({"condition": "x"}, "has no condition 'x'"),
    ],
)
def test_a_wrong_setting_is_one_line(folder: Path, settings: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        compare_with_humans(folder / "fair", folder / "labels.jsonl", **settings)  # type: ignore[arg-type]


def test_labels_of_other_pairs_alone_are_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("pair_id,preference\nelsewhere,A\n", encoding="utf-8")
    with pytest.raises(DataError, match="none of its 1 labels is of a pair that was judged"):
        compare_with_humans(folder / "fair", path)


def test_a_log_of_one_order_each_is_compared_by_the_order_shown(folder: Path, tmp_path: Path) -> None:
    with (
        Journal.open(folder / "fair", read_only=True) as whole,
        Journal.create(tmp_path / "log", replace(whole.manifest, orders="single"), whole.pairs()) as log,
    ):
        log.set_plan(tuple(each for each in whole.plan() if each.order is Order.AB))
        for entry in whole.completions():
            if entry.presentation.order is Order.AB and entry.completion is not None:
                log.record(entry.presentation.key, entry.completion)
    made = compare_with_humans(tmp_path / "log", folder / "labels.jsonl", resamples=200)
    shown = made.judges[0].agreement.against_consensus[-1]
    assert shown.first == "the order shown"
    assert isinstance(shown.rate, Estimate)
    assert isinstance(made.judges[0].win_rates[0].judge_alone, Estimate)
    assert any("each pair was shown in one order" in note for note in made.notes)
    assert made.study().headline.status != "failed"


def test_no_run_is_refused(folder: Path) -> None:
    with pytest.raises(ConfigError, match="no run to compare"):
        compare_with_humans([], folder / "labels.jsonl")


def test_it_is_a_public_name() -> None:
    assert evenhand.compare_with_humans is compare_with_humans
