from dataclasses import replace

from evenhand.report.probes.methods import methods_note


def test_fit_names_folds_resamples_level_and_source(report):
    text = " ".join(methods_note(replace(report, outer_folds=4, inner_folds=2, resamples=500, level=0.9, seed=11)))
    assert "4 outer and 2 inner folds" in text
    assert "at 90 % of 500 bootstrap resamples of question groups (seed 11)" in text
    assert "Will the Judge Flip?" in text
    assert "not cause" in text


def test_transfer_says_that_nothing_was_fitted_there(transfer):
    text = " ".join(methods_note(transfer))
    assert "Nothing was fitted on the evaluated pairs" in text
    assert "Nested" not in text
    assert "shuffles" not in text


def test_only_what_was_done_is_described(report):
    bare = replace(report, predictors=report.predictors[:2])
    text = " ".join(methods_note(bare))
    assert "beyond the paper" not in text
    assert "shuffles" not in text
