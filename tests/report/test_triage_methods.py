"""Methods and terms say what was done, and nothing of what wasn't."""

from evenhand.report.triage_methods import triage_methods, triage_terms
from report.triage_reports import triage_report


def test_a_promise_is_explained_by_the_way_it_was_calibrated():
    expected, sure = (" ".join(triage_methods(triage_report(delta=delta))) for delta in (None, 0.1))
    assert "conformal risk control" in expected
    assert "in 4 random splits" in expected
    assert "arXiv:2110.01052" in sure
    assert "with probability 90 %" in sure
    assert "conformal" not in sure


def test_what_was_not_asked_for_is_not_explained():
    budget = " ".join(triage_methods(triage_report(budget=0.3)))
    assert "A promise swaps" not in budget
    assert "Net time" in budget
    assert "Net time" not in " ".join(triage_methods(triage_report(seconds=False)))


def test_terms_are_those_of_the_scores_that_have_a_row():
    terms = dict(triage_terms(triage_report()))
    assert terms["probe"].startswith("Score: a logistic regression")
    assert "combined" not in terms
