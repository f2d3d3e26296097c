"""The tables of judges beside people."""

from pathlib import Path

import pytest

from evenhand.report.studies.humans_tables import adjusted_trends, human_tables, judge_name
from evenhand.stats import Estimate
from evenhand.workflow.humans import HumanRun, compare_with_humans
from workflow.human_labels import human_labels
from workflow.ranked_runs import ranked_run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> HumanRun:
    folder = tmp_path_factory.mktemp("humans")
    runs = [ranked_run(folder / "biased"), ranked_run(folder / "fair", position=0.0)]
    return compare_with_humans(runs, human_labels(folder / "labels.jsonl"), resamples=200)


def test_runs_of_one_model_are_told_apart_by_their_folder(made: HumanRun) -> None:
    names = [judge_name(line, made) for line in made.judges]
    assert [Path(name.removeprefix("simulated (").removesuffix(")")).name for name in names] == ["biased", "fair"]


def test_every_row_carries_the_figure_it_is_named_for(made: HumanRun) -> None:
    tables = {table.id: table for table in human_tables(made)}
    assert list(tables) == ["agreement", "ceiling", "people", "over-time", "trend", "win-rates"]
    first = tables["agreement"].rows[0]
    assert first[3] is made.judges[0].agreement.against_consensus[0].rate
    assert [row[1] for row in tables["ceiling"].rows] == [line.agreement.gap for line in made.judges]
    players = [row[1] for row in tables["win-rates"].rows]
    assert players == ["alpha", "beta", "delta", "gamma"] * 2
    assert all(isinstance(row[2], Estimate) for row in tables["win-rates"].rows)


def test_trends_are_one_family_over_the_judges(made: HumanRun) -> None:
    raw = [line.over_time.trend_test for line in made.judges]
    adjusted = adjusted_trends(made)
    for own, after in zip(raw, adjusted, strict=True):
        assert own is not None
        assert after is not None
        assert after.p_value >= own.p_value
        assert "Holm-adjusted over 2" in after.name
