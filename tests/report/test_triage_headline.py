"""The title's rules by themselves; whole sentences are tested with the view."""

import pytest

from evenhand.report.triage_headline import promise_of, triage_headline
from evenhand.report.triage_view import build_triage_view
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


def test_every_sentence_rests_on_the_table_that_has_its_figures():
    head = triage_headline(triage_report())
    found = {claim.text: claim.rests_on[0] for claim in (*head.more, *head.steps)}
    assert head.rests_on == ("table-guarantees",)
    assert [anchor for text, anchor in found.items() if "of the time saved" in text] == ["table-time"]
    assert [anchor for text, anchor in found.items() if text.startswith("The largest error")] == ["table-leaderboard"]
    assert [anchor for text, anchor in found.items() if "a budget may be" in text] == ["table-budgets"]
    assert triage_headline(triage_report(budget=0.3)).rests_on[0] == "table-budgets"


def test_what_a_promise_alone_has_no_table_of_rests_on_the_figure():
    view = build_triage_view(triage_report(useless=True, max_missed=0.1))
    worse = [claim for claim in view.headline.more if "misses more than chance" in claim.text]
    assert {claim.basis.anchor for claim in worse} == {"figure-budgets"}
