"""The sentences beside figures."""

import numpy as np

from audits.tables import verdicts
from evenhand.analysis.sentences import SAME_PAIRS, excluded_states, in_figures, of, unknown_compliance
from evenhand.analysis.wide import widen
from evenhand.records import verdict_table


def test_states_are_counted_over_undecided_presentations_only() -> None:
    (scope,) = widen(verdict_table(verdicts({"a": "FU", "b": "EX", "c": "T.", "d": "RU"}))).scopes
    text = excluded_states(scope.outcome, decided=scope.decided)
    assert text == "tie 1, refused 1, unparsed 2, truncated 1, error 1, not asked 1"
    assert excluded_states(scope.outcome[:1], decided=np.ones((1, 2), dtype=bool)) == ""


def test_compliance_that_is_wholly_known_or_unknown_needs_no_note() -> None:
    def notes(codes: str) -> tuple[str, ...]:
        (scope,) = widen(verdict_table(verdicts({"a": "FS"}, compliant={"a": codes}))).scopes
        return unknown_compliance(scope)

    assert notes("+-") == notes("??") == ()
    assert "1 of 2 presentations" in notes("+?")[0]


def test_what_figures_say_is_known_by_its_beginning_or_its_counts() -> None:
    whole = of(60, 60, "pairs")
    assert in_figures(f"flips, difference of conditions: over {whole} of the two conditions.")
    assert not in_figures(f"flips, difference of conditions: over {of(57, 60, 'pairs')} of the two conditions.")
    assert in_figures(f"Flips: {of(9, 9, 'rows')} enter (a row is a pair in a matched cell).")
    assert not in_figures(f"Flips: {of(8, 9, 'rows')} enter (a row is a pair in a matched cell).")
    assert in_figures(f"{SAME_PAIRS}prefilled flips {of(1, 2, 'pairs')}, generated {of(0, 2, 'pairs')}.")
    assert not in_figures("2 pairs without a verdict in both orders are left out.")
