import math

from evenhand.analysis.study import Study, StudyTable
from evenhand.audits.judges.differences import Difference
from evenhand.report.studies.judges_tables import MOST_LISTED, listed_differences
from evenhand.stats import Estimate, Refusal, TestResult
from report.studies.judge_examples import PAIRS, flipping, many_judges, study_of

THREE = {"x": flipping(2), "y": flipping(20), "z": flipping(45)}


def table(study: Study, name: str) -> StudyTable:
    found = study.table(name)
    assert found is not None, name
    return found


def test_compliance_stands_beside_the_flip_rate_of_each_judge() -> None:
    judges = table(study_of(THREE), "judges")
    names = [column.name for column in judges.columns]
    assert names[:3] == ["judge", "flip_rate", "compliance_pairs"]
    assert [row[0] for row in judges.rows] == ["x", "y", "z"]
    flips = judges.rows[1][1]
    assert isinstance(flips, Estimate)
    assert flips.value == 20 / PAIRS


def test_every_two_judges_have_a_row_with_an_adjusted_p() -> None:
    flips = table(study_of(THREE), "flip-differences")
    assert [(row[0], row[1]) for row in flips.rows] == [("x", "y"), ("x", "z"), ("y", "z")]
    for row in flips.rows:
        assert isinstance(row[3], TestResult)
        assert "Holm-adjusted over 3 pairs of judges" in row[3].name
        assert isinstance(row[4], TestResult)
        assert "pairs as independent" in row[4].name


def test_measures_that_nobody_has_are_noted_and_have_no_rows() -> None:
    others = table(study_of(THREE), "differences")
    assert "repeat flip rate" not in {row[0] for row in others.rows}
    assert any(note.startswith("Not compared: repeat flip rate, 3 of 3 pairs of judges") for note in others.notes)
    assert not any(isinstance(row[3], Refusal) for row in others.rows)


def test_accuracy_only_where_there_is_gold() -> None:
    assert study_of(THREE).table("accuracy") is None
    gold = {f"p{i}": "A" if i % 3 else "B" for i in range(PAIRS)}
    accuracy = table(study_of(THREE, gold=gold), "accuracy")
    assert [column.name for column in accuracy.columns][1:4] == ["accuracy_ab", "accuracy_ba", "accuracy_consistent"]


def test_every_state_is_counted() -> None:
    states = table(study_of({"x": {**flipping(2), "r": "RU"}, "y": {**flipping(2), "r": "XE"}}), "states")
    names = [column.name for column in states.columns]
    assert names[2:] == ["first", "second", "tie", "refused", "unparsed", "truncated", "error"]
    for row in states.rows:
        assert row[1] == sum(int(str(count)) for count in row[2:]) == 2 * (PAIRS + 1)
    assert states.rows[0][5:7] == (1, 1)
    assert states.rows[1][7:9] == (1, 1)


def test_of_many_judges_those_with_the_smallest_p_are_listed_and_the_rest_counted() -> None:
    study = many_judges(12)
    flips = table(study, "flip-differences")
    assert len(flips.rows) == 45
    assert flips.notes == ("21 pairs of judges with larger p are not listed.",)
    places = [(row[0], row[1]) for row in flips.rows]
    assert places == sorted(places)  # by the judges' places, not by p: it is no ranking
    assert ("judge-00", "judge-11") in places  # far apart
    assert ("judge-03", "judge-04") not in places  # neighbours, who differ in two pairs
    assert len(table(study, "agreement").rows) == 45


def test_one_condition_and_readout_has_no_table_of_all() -> None:
    assert study_of(THREE).table("every") is None


def test_the_widest_difference_that_is_shown_is_listed_whatever_its_p() -> None:
    def difference(place: int, value: float, p: float) -> Difference:
        holm = TestResult(name="holm", p_value=p, log10_p=math.log10(p), n=60)
        return Difference(
            first=place, second=99, estimate=Estimate(value=value, interval=None, n=60), pairs=60, adjusted=holm
        )

    small = [difference(place, 0.1, 1e-6) for place in range(MOST_LISTED)]
    widest, wider_by_chance = difference(97, 0.6, 0.04), difference(98, 0.9, 0.4)
    found = listed_differences([*small, wider_by_chance, widest])
    assert len(found) == MOST_LISTED
    assert widest in found
    assert wider_by_chance not in found
