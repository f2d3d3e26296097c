"""The sentences beside figures."""

import numpy as np

from audits.tables import verdicts
from evenhand.audits.sentences import excluded_states, unknown_compliance
from evenhand.audits.wide import widen
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
