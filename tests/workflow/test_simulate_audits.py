"""Simulated audits: the effect that was planted is the one that they estimate, and they repeat with their seed."""

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_calibrated import calibrated_judge, with_net_shift
from evenhand.workflow.simulate_audits import AuditOutcome, PlannedAudit, audit_once, run_audits

JUDGE = calibrated_judge(flip_rate=0.3, repeat_rate=0.15)
VERBOSE = with_net_shift(JUDGE, bias="verbosity", shift=0.1)
NULL = calibrated_judge(flip_rate=0.15, repeat_rate=0.15)


def plan(question, **settings):
    known = {"bias": None, "pairs": 120, "questions": 60, "icc": 0.2, "level": 0.95, "effect": 0.15}
    return PlannedAudit(question=question, **{**known, **settings})


PLANS = {
    "flip-rate": plan("flip-rate", judge=JUDGE, flip_rate=0.3, effect=0.09),
    "beyond-repeats": plan("beyond-repeats", judge=JUDGE, null=NULL),
    "shift": plan(
        "shift", bias="verbosity", judge=with_net_shift(JUDGE, bias="verbosity", shift=0.1), null=JUDGE, effect=0.1
    ),
    "accuracy": plan("accuracy", discordance=0.3),
    "win-rate": plan("win-rate", flip_rate=0.2),
}


@pytest.mark.parametrize("question", PLANS)
def test_estimates_are_of_the_planted_effect_and_of_none(question):
    made = run_audits(PLANS[question], runs=25, seed=4)
    assert len(made.real) == len(made.null) == 25
    values = np.array([o.estimate for o in made.real])
    error = values.std() / 5
    if question == "flip-rate":
        assert 0.07 < values.mean() < 0.11
        assert sum(o.missed for o in made.real) <= 5
        return
    assert values.mean() == pytest.approx(PLANS[question].effect, abs=4 * error)
    assert np.mean([o.found for o in made.real]) > 0.5
    nothing = np.array([o.estimate for o in made.null])
    assert nothing.mean() == pytest.approx(0, abs=4 * nothing.std() / 5)
    assert sum(o.found for o in made.null) <= 5


def test_an_audit_repeats_with_its_stream():
    once, again = (audit_once(PLANS["shift"], real=True, rng=np.random.default_rng(3)) for _ in range(2))
    assert once == again
    assert once != audit_once(PLANS["shift"], real=True, rng=np.random.default_rng(4))


def test_too_few_questions_are_no_finding():
    few = plan("beyond-repeats", judge=JUDGE, null=NULL, pairs=6, questions=3)
    assert audit_once(few, real=True, rng=np.random.default_rng(1)) == AuditOutcome(found=None, estimate=None)


def test_a_plan_without_its_judge_is_refused():
    with pytest.raises(ConfigError, match="needs a simulated judge"):
        audit_once(plan("flip-rate"), real=True, rng=np.random.default_rng(1))
