"""Tables of recalibrated probabilities: each figure under its own name, a refusal where there is none."""

from dataclasses import replace

from evenhand.mitigation.all_effects import measure_all
from evenhand.report.studies.recalibration_tables import recalibration_table, slot_bias_table
from evenhand.stats import Estimate, Refusal
from report.studies.test_mitigation_tables import judges


def cells(table, row):
    return {column.name: value for column, value in zip(table.columns, table.rows[row], strict=True)}


def test_each_score_stands_under_its_name():
    [calibration] = measure_all(judges(1), resamples=100).calibrations
    table = recalibration_table([calibration])
    assert [row[1] for row in table.rows] == [each.method for each in calibration.maps]
    for number, each in enumerate(calibration.maps):
        row = cells(table, number)
        for name in ("brier", "log_loss", "ece"):
            for when in ("before", "after", "gain"):
                assert row[f"{name}_{when}"] is getattr(each.scores, f"{name}_{when}")
        assert row["p"] is each.scores.test


def test_the_planted_bias_is_the_intercept():
    [calibration] = measure_all(judges(1), resamples=100).calibrations
    row = cells(slot_bias_table([calibration]), 0)
    assert isinstance(row["bias"], Estimate)
    assert row["bias"].value < 0, "the first slot was favoured"
    assert isinstance(row["slope"], Estimate)


def test_a_regression_that_could_not_be_made_says_why():
    [calibration] = measure_all(judges(1), resamples=100).calibrations
    refused = Refusal(reason="too few", n=3)
    row = cells(slot_bias_table([replace(calibration, regression=refused)]), 0)
    assert (row["bias"], row["slope"]) == (refused, None)
    assert recalibration_table([]).rows == slot_bias_table([]).rows == ()
