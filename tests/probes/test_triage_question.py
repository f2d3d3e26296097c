"""A question asks for one policy or for the whole trade-off, and makes sense."""

import pytest

from evenhand.errors import ConfigError
from evenhand.probes.triage_question import ALPHAS, BUDGETS, TriageQuestion


def test_what_is_asked_for_is_all_that_is_tabulated():
    assert (TriageQuestion().budgets, TriageQuestion().alphas) == (BUDGETS, ALPHAS)
    assert (TriageQuestion(budget=0.25).budgets, TriageQuestion(budget=0.25).alphas) == ((0.25,), ())
    assert TriageQuestion(max_missed=0.07).alphas == (0.07,)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"budget": 0.3, "max_missed": 0.1}, "two policies"),
        ({"budget": 0.0}, "budget is 0.0"),
        ({"max_missed": 1.0}, "max-missed is 1.0"),
        ({"delta": 0.0}, "delta is 0.0"),
        ({"splits": 0}, "splits is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_questions_that_make_no_sense(asked, message):
    with pytest.raises(ConfigError, match=message):
        TriageQuestion(score="probe", **asked)
