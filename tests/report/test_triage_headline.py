"""The title's rules by themselves; whole sentences are tested with the view."""

import pytest

from evenhand.report.triage_headline import promise_of, triage_headline
from report.triage_reports import triage_report


def test_the_headline_speaks_of_ten_percent_where_nothing_was_asked():
    assert promise_of(triage_report(), "probe").alpha == 0.1
    assert promise_of(triage_report(max_missed=0.2), "probe").alpha == 0.2
    assert promise_of(triage_report(), "combined") is None
    assert promise_of(triage_report(budget=0.3), "probe") is None


@pytest.mark.parametrize("asked", [{}, {"budget": 0.3}, {"max_missed": 0.2}])
def test_every_sentence_ends(asked):
    head = triage_headline(triage_report(**asked))
    for sentence in (head.lead, *head.meaning, *head.next_steps):
        assert sentence.endswith(".")
    assert not head.verdict.endswith(".")
