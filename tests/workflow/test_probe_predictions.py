import polars as pl

from evenhand.workflow.probe_fit import probability_column
from evenhand.workflow.probe_predictions import prediction_rows
from evenhand.workflow.probe_settings import FitSettings
from evenhand.workflow.probe_transfer import transfer_probes
from probes.saved_examples import probe_data

DONE = transfer_probes(
    probe_data(60), probe_data(20, prefix="other"), settings=FitSettings(resamples=100, without=("boosted-trees",))
)


def test_a_row_a_pair_and_predictor_with_the_same_numbers() -> None:
    rows = prediction_rows(DONE.report, DONE.predictions)
    names = [each.name for each in DONE.report.predictors]
    assert rows["predictor"].unique(maintain_order=True).to_list() == names
    assert len(rows) == 20 * len(names)
    for name in names:
        part = rows.filter(pl.col("predictor") == name)
        assert part["pair_id"].to_list() == DONE.predictions["pair_id"].to_list()
        assert part["flip"].to_list() == DONE.predictions["flip"].to_list()
        assert part["probability"].to_list() == DONE.predictions[probability_column(name)].to_list()
    assert not [column for column in rows.columns if column.startswith("p_")]


def test_without_predictions_there_are_columns_and_no_row() -> None:
    bare = DONE.predictions.select(pl.exclude("^p_.*$"))
    rows = prediction_rows(DONE.report, bare)
    assert rows.is_empty()
    assert {"pair_id", "flip", "predictor", "probability"} <= set(rows.columns)
