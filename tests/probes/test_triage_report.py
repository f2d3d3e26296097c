"""What a report says of its own policy: what it saves, and nothing where the probe was fitted on these questions."""

from dataclasses import replace

import pytest

from evenhand.probes.triage_report import ScoreFacts
from evenhand.probes.triage_scores import CONFIDENCE, ScoreKind
from report.triage_reports import triage_report


def test_a_budget_saves_what_it_does_not_swap():
    report = triage_report(budget=0.3)
    assert report.saving == report.point("probe", 0.3).saved == pytest.approx(0.35)
    with pytest.raises(StopIteration):
        report.point("probe", 0.4)


def test_a_promise_saves_what_its_splits_do_not_swap_in_the_mean():
    report = triage_report(max_missed=0.2)
    [kept] = report.guarantee("probe")
    assert report.saving == (1 - kept.mean_swapped) / 2
    assert isinstance(report.guarantee(CONFIDENCE), tuple)


def test_the_whole_trade_off_has_no_saving_of_its_own():
    assert triage_report().saving is None


def test_a_probe_fitted_on_these_questions_says_nothing_of_them():
    report = triage_report(budget=0.3)
    assert not report.in_sample
    seen = ScoreFacts(name="probe", kind=ScoreKind.OVERLAPPING.value)
    again = replace(report, scores=(seen, *report.scores[1:]))
    assert again.in_sample
    assert again.saving is None
    assert not replace(again, question=replace(again.question, score=CONFIDENCE)).in_sample
