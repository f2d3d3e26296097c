"""What the arrays of one scope say."""

import numpy as np
import pytest

from evenhand.analysis.scope import ABSENT, FIRST, OUTCOMES, SECOND, TIE, Scope
from evenhand.records import Outcome, Readout

UNPARSED = OUTCOMES.index(Outcome.UNPARSED)
A, B, NEITHER = 0, 1, 2


def scope(outcome: list[list[int]], preference: list[list[int]], compliant: list[list[int]] | None = None) -> Scope:
    n = len(outcome)
    codes = np.full((n, 2), ABSENT, dtype=np.int8)
    scores = np.full((n, 2), np.nan, dtype=np.float32)
    counts = np.zeros(n, dtype=np.int64)
    return Scope(
        condition="c",
        readout=Readout.GENERATED,
        pairs=np.arange(n),
        outcome=np.array(outcome, dtype=np.int8).reshape(n, 2),
        preference=np.array(preference, dtype=np.int8).reshape(n, 2),
        compliant=codes if compliant is None else np.array(compliant, dtype=np.int8),
        lead=codes,
        log_outcome=codes,
        generated=codes,
        log_odds=scores,
        mass=scores,
        repeat_asked=counts,
        repeat_compared=counts,
        repeat_changed=counts,
    )


MADE = scope(
    [[FIRST, FIRST], [FIRST, SECOND], [TIE, TIE], [FIRST, TIE], [SECOND, UNPARSED], [SECOND, ABSENT]],
    [[A, B], [A, A], [NEITHER, NEITHER], [A, NEITHER], [B, ABSENT], [B, ABSENT]],
)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("decided_both", [0, 1]),
        ("verdict_both", [0, 1, 2, 3]),
        ("same_verdict", [1, 2]),
        ("flips", [0]),
    ],
)
def test_a_tie_is_a_verdict_and_no_flip_and_a_missing_one_is_neither(name: str, rows: list[int]) -> None:
    assert np.flatnonzero(getattr(MADE, name)).tolist() == rows
    assert getattr(MADE, name).dtype == np.bool_


def test_a_presentation_that_was_not_asked_is_absent() -> None:
    assert MADE.asked.tolist()[5] == [True, False]
    assert not MADE.single_order
    assert scope([[FIRST, ABSENT], [ABSENT, FIRST]], [[A, ABSENT], [ABSENT, B]]).single_order
    assert scope([], []).single_order


def test_compliance_of_a_pair_is_of_both_orders() -> None:
    made = scope([[FIRST, FIRST]] * 3, [[A, B]] * 3, [[1, 1], [1, 0], [ABSENT, 1]])
    assert made.compliance_known().tolist() == [True, True, False]
    assert made.compliant_pairs().tolist() == [True, False, False]
