import math

import pytest

from evenhand.analysis.study import Forest, HeatMap, Study
from evenhand.report.studies.judges import judges_study
from evenhand.report.study.json_report import study_json, validate_study_json
from report.studies.judge_examples import flipping, many_judges, study_of

THREE = {"x": flipping(2), "y": flipping(20), "z": flipping(45)}


def figure(study: Study, name: str) -> Forest | HeatMap:
    [found] = [each for each in study.figures if each.id == name]
    assert isinstance(found, Forest | HeatMap)
    return found


def test_one_forest_a_measure_with_judges_as_rows_in_the_order_given() -> None:
    study = study_of(THREE)
    assert judges_study.__name__ == "judges_study"
    flips = figure(study, "flip-rate")
    assert isinstance(flips, Forest)
    assert [row.label for row in flips.rows] == ["x", "y", "z"]
    assert flips.reference is None
    lean = figure(study, "first-slot-rate")
    assert isinstance(lean, Forest)
    assert lean.reference == 0.5
    assert "repeat-flip-rate" not in {each.id for each in study.figures}  # nothing was repeated: no empty figure


def test_the_map_of_differences_is_the_row_minus_the_column() -> None:
    made = figure(study_of(THREE), "flip-differences")
    assert isinstance(made, HeatMap)
    assert made.y_names == ("3  z", "2  y", "1  x")
    assert made.x == (1.0, 2.0, 3.0)
    bottom, _, top = made.z
    assert top[2] == pytest.approx(-bottom[0]) == pytest.approx((2 - 45) / 60)
    assert math.isnan(top[0])
    assert math.isnan(bottom[2])


def test_two_judges_need_no_map() -> None:
    study = study_of({"x": flipping(2), "y": flipping(20)})
    assert not any(isinstance(each, HeatMap) for each in study.figures)


def test_what_the_runs_differ_in_is_said_from_their_manifests() -> None:
    study = study_of(THREE, prompts=["rubric", "rubric", "plain"])
    [note] = [each for each in study.notes if each.startswith("The runs differ in")]
    assert "the prompt's text" in note
    assert "2 of 3 runs" in note
    assert not any(each.startswith("The runs differ in") for each in study_of(THREE).notes)


def test_notes_of_the_runs_are_kept_and_no_ranking_is_claimed() -> None:
    notes = study_of(THREE, notes=("The run of x is incomplete.",)).notes
    assert "The run of x is incomplete." in notes
    assert any("it is no ranking" in note for note in notes)


@pytest.mark.parametrize("count", [2, 30])
def test_the_json_is_valid_however_many_judges_there_are(count: int) -> None:
    study = many_judges(count)
    document = study_json(study)
    validate_study_json(document)
    assert document["kind"] == "judges"
    assert len(study.subtitle) < 200


def test_thirty_judges_are_still_read_in_tables_of_bounded_length() -> None:
    study = many_judges(30)
    for table in study.tables:
        assert len(table.rows) <= 90, table.id
    assert any("Of 435 pairs of judges, 45 are listed" in note for note in study.notes)
    made = figure(study, "flip-differences")
    assert isinstance(made, HeatMap)
    assert len(made.y_names) == 30
