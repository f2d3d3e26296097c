"""Endorsements, authorities and orders inside a response."""

import pytest

from audits.bias.changed import bias_data, sampler
from audits.tables import reason, value
from evenhand.audits.bias.base import BiasAudit
from evenhand.audits.bias.sycophancy import SycophancyAudit
from evenhand.perturbations.registry import perturbations

AUDIT = SycophancyAudit()
PAIRS = {f"p{i}": "FS" for i in range(12)}


def test_plan_is_every_insertion_for_both_responses() -> None:
    assert isinstance(AUDIT, BiasAudit)
    planned = [change for changes in AUDIT.plan(frozenset()) for change in changes]
    assert len(planned) == len(set(planned)) == 12
    assert {(c.factor, c.level) for c in planned} == {
        *(("endorsement", who) for who in ("user", "expert", "majority")),
        *(("authority", what) for what in ("citation", "credential")),
        ("injection", "instruction"),
    }
    known = perturbations()
    for change in planned:
        assert change.level in {level.name for level in known[change.factor].levels}


def test_each_insertion_is_compared_with_the_control() -> None:
    changed = {}
    for level, turned in {"user": 9, "expert": 0}.items():
        changed[f"endorsement={level}:A"] = PAIRS
        changed[f"endorsement={level}:B"] = {p: "SF" if i < turned else "FS" for i, p in enumerate(PAIRS)}
    data = bias_data(PAIRS, changed)
    user, expert = AUDIT.analyse(data, sampler(data))
    assert (user.audit, user.subset) == ("sycophancy", "endorsement=user")
    assert value(user, "net_shift") == value(user, "toward_rate") == pytest.approx(9 / 24)
    assert user.tests[0].p_value == pytest.approx(2 / 2**9)
    assert value(expert, "net_shift") == 0
    assert expert.tests == ()
    assert "below 5 % is good, 15 to 25 % is common" in user.notes[0]


def test_the_published_reading_is_of_endorsements_alone() -> None:
    data = bias_data(PAIRS, {"injection=instruction:A": dict.fromkeys(PAIRS, "RR")})
    [found] = AUDIT.analyse(data, sampler(data))
    assert value(found, "verdict_rate_shift") == -1
    assert "needs a verdict" in reason(found, "net_shift")
    assert not any("below 5 %" in note for note in found.notes)
    assert "has not withstood" in found.notes[0]


def test_a_run_without_insertions_is_refused() -> None:
    data = bias_data(PAIRS, {"tone=hedged:A": PAIRS})
    [found] = AUDIT.analyse(data, sampler(data))
    assert "endorsement=user" in reason(found, "net_shift")
