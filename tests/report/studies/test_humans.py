"""What the study of judges and people says."""

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.analysis.study import LineChart, Study
from evenhand.stats import Estimate, Interval
from evenhand.workflow.humans import compare_with_humans
from report.studies.tied import anchors_of
from workflow.human_labels import human_labels
from workflow.ranked_runs import ranked_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ranked_run(tmp_path_factory.mktemp("humans") / "run").parent


@pytest.fixture(scope="module")
def study(folder: Path) -> Study:
    labels = human_labels(folder / "labels.jsonl", right=0.97)
    return compare_with_humans(folder / "run", labels, resamples=200).study()


def test_a_judge_that_agrees_less_than_people_do_is_called_so(study: Study) -> None:
    assert study.headline.status == "bad"
    assert study.headline.verdict.startswith("Agreement with people: ")
    assert any(
        "simulated agrees with people less than one more person does: calibrate it" in step
        for step in study.headline.next_steps
    )
    assert any("judge minus people is" in sentence for sentence in study.headline.meaning)


def test_what_does_not_enter_is_said(study: Study) -> None:
    notes = " ".join(study.notes)
    assert "1 row of the label file has no preference: nobody labelled it; it is no tie." in notes
    assert "1 label is of a pair that was not judged; it doesn't enter." in notes
    assert "drawn at random" in notes
    assert "with these annotators: other people may agree more or less" in notes


def test_the_line_over_time_has_a_point_a_period(study: Study) -> None:
    [chart] = [figure for figure in study.figures if isinstance(figure, LineChart)]
    assert chart.x_ticks == ("2026-08", "2026-09", "2026-10")
    assert len(chart.series[0].y) == 3


def test_too_few_labels_are_no_verdict_on_the_judge(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("pair_id,preference\np0,A\np1,B\n", encoding="utf-8")
    study = compare_with_humans(folder / "run", path, resamples=200).study()
    assert study.headline.status == "failed"
    assert study.headline.meaning == ("simulated: needs at least 10 pairs rated by both, has 2.",)
    assert study.headline.next_steps == ("Label more of the judged pairs.",)
    made = compare_with_humans(folder / "run", path, resamples=200)
    assert replace(made, labelled=90).study().headline.next_steps[0].startswith("Finish the runs, or label more")


def test_of_several_judges_none_is_called_better_without_a_test(folder: Path) -> None:
    ranked_run(folder / "fair", position=0.0)
    labels = human_labels(folder / "labels.jsonl", right=0.97)
    head = compare_with_humans([folder / "run", folder / "fair"], labels, resamples=200).study().headline
    assert head.verdict.startswith("Highest agreement with people: simulated (")
    assert any("not tested against each other" in sentence for sentence in head.meaning)


@pytest.mark.parametrize(("high", "judges", "status"), [(-0.001, 1, "bad"), (-0.001, 8, "described"), (-0.1, 8, "bad")])
def test_a_judge_below_people_is_one_of_several(folder: Path, high: float, judges: int, status: str) -> None:
    """Of eight judges as good as people, plain intervals call one or more worse in 18 % of comparisons."""
    labels = human_labels(folder / "labels.jsonl", right=0.97)
    made = compare_with_humans(folder / "run", labels, resamples=200)
    even = Estimate(value=0.0, interval=Interval(low=-0.1, high=0.1), n=90, clusters=90)
    low = Estimate(value=high - 0.1, interval=Interval(low=high - 0.2, high=high), n=90, clusters=90)
    lines = [
        replace(made.judges[0], agreement=replace(made.judges[0].agreement, judge=f"j{i}", gap=low if i == 3 else even))
        for i in range(3, 3 + judges)
    ]
    head = replace(made, judges=tuple(lines)).study().headline
    assert head.status == status
    assert ("j3 agrees with people less than one more person does" in " ".join(head.next_steps)) is (status == "bad")


def test_annotators_who_are_not_listed_are_counted(folder: Path) -> None:
    labels = human_labels(folder / "many.jsonl", right=0.97)
    made = compare_with_humans(folder / "run", labels, resamples=200)
    assert not any("are not listed" in note for note in made.study().notes)
    [note] = [
        note
        for note in replace(made, people=replace(made.people, annotators=3600)).study().notes
        if "not listed" in note
    ]
    assert f"{3600 - len(made.people.listed):,} are not listed" in note


def test_every_sentence_rests_on_the_table_that_has_its_figures(study: Study) -> None:
    found = anchors_of(study)
    beginnings = {
        "One person agrees": "table-people",
        "simulated: agreement ": "table-agreement",
        "simulated and one more person": "table-ceiling",
        "simulated agrees with people less": "table-ceiling",
        "alpha: people would give": "table-win-rates",
        "Label again": "table-over-time",
    }
    for beginning, anchor in beginnings.items():
        assert {found[text] for text in found if text.startswith(beginning)} >= {anchor}, beginning
