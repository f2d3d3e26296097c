from dataclasses import replace

import numpy as np
import pytest

from evenhand.errors import DataError
from evenhand.probes import Metric
from evenhand.report.probes.lines import auroc_points, calibration_lines, gain_lines, learning_lines
from report.probes.examples import TOO_FEW, TOO_RARE, changed, make_report, refused


def test_every_predictor_that_ranks_has_a_point_and_refusals_are_named(report):
    points = auroc_points(changed(report, "margin", TOO_FEW))
    assert [p.label for p in points][:3] == ["probe", "confidence", "margin"]
    assert "no-signal" not in [p.label for p in points]
    margin = points[2]
    assert (margin.value, margin.text) == (None, f"refused: {TOO_FEW.reason}")
    assert (points[0].low, points[0].high, points[0].series) == (0.601, 0.723, "probe")


def test_calibration_of_three_predictors_from_their_bins(report):
    lines = calibration_lines(report)
    assert [line.label for line in lines] == ["probe", "combined", "no-signal"]
    bins = report.predictor("probe").calibration.bins
    assert lines[0].x == tuple(b.mean_probability for b in bins)
    assert lines[0].y == tuple(b.rate for b in bins)


def test_learning_lines_leave_refused_points_out(report):
    first = replace(report.learning_curve[0], metrics=((Metric.AUROC, TOO_FEW),))
    (line,) = learning_lines(replace(report, learning_curve=(first, *report.learning_curve[1:])))
    assert line.x == (116.0, 231.6, 463.2)
    assert line.low[-1] == pytest.approx(0.604)
    assert learning_lines(replace(report, learning_curve=(first,))) == ()


def test_gain_is_of_the_probe_confidence_and_combined_features(report, predictions):
    lines = gain_lines(report, predictions)
    assert [line.label for line in lines] == ["probe", "confidence", "combined"]
    for line in lines:
        assert (line.x[0], line.y[0], line.x[-1], line.y[-1]) == (0.0, 0.0, 1.0, 1.0)


def test_what_may_not_be_ranked_has_no_gain(report, predictions):
    assert gain_lines(refused(report, TOO_RARE), predictions) == ()


def test_a_missing_column_is_named(report, predictions):
    with pytest.raises(DataError, match="p_probe"):
        gain_lines(report, predictions.drop("p_probe"))
    with pytest.raises(DataError, match="flip"):
        gain_lines(report, predictions.drop("flip"))


def test_long_curves_are_thinned():
    report = make_report()
    rng = np.random.default_rng(0)
    import polars as pl

    n = 3000
    table = pl.DataFrame(
        {"flip": rng.random(n) < 0.3} | {f"p_{p}": rng.random(n) for p in ("probe", "confidence", "combined")}
    )
    assert {len(line.x) for line in gain_lines(report, table)} == {400}
