"""From settings and pilot to a statistic: what goes before what, and which judges it is asked of."""

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.judges.simulated_calibrated import net_shift
from evenhand.judges.simulated_study_truth import study_truth
from evenhand.report.studies.power_plan import PilotFacts
from evenhand.stats.power import HalfWidth, MeanShift, PairedRates
from evenhand.workflow.simulate_questions import Assumptions, asked_question
from evenhand.workflow.simulate_settings import PowerSettings

PILOT = PilotFacts(
    run="r", readout="generated", flip_rate=0.4, repeat_rate=0.1, pairs=50, pairs_per_question=2.5, icc=0.2
)


def asked(question, effect=0.05, **settings):
    s = PowerSettings(question=question, effect=effect, **settings)
    return asked_question(s, Assumptions.of(s, None), rng=np.random.default_rng(1))


def test_settings_go_before_the_pilot_and_the_pilot_before_assumptions():
    s = PowerSettings(question="shift", effect=0.05, flip_rate=0.3)
    given = Assumptions.of(s, PILOT)
    assert (given.flip_rate, given.repeat_rate, given.pairs_per_question, given.icc) == (0.3, 0.1, 2.5, 0.2)
    assumed = Assumptions.of(PowerSettings(question="shift", effect=0.05), None)
    assert (assumed.flip_rate, assumed.repeat_rate, assumed.pairs_per_question, assumed.icc) == (0.2, 0.1, 1.0, 0.0)
    assert Assumptions.of(PowerSettings(question="shift", effect=0.05, icc=0.0), PILOT).icc == 0.0


def test_beyond_repeats_fixes_one_of_the_two_rates():
    told = Assumptions.of(PowerSettings(question="beyond-repeats", effect=0.1, flip_rate=0.3), PILOT)
    assert (told.flip_rate, told.repeat_rate) == pytest.approx((0.3, 0.2))
    piloted = Assumptions.of(PowerSettings(question="beyond-repeats", effect=0.1), PILOT)
    assert (piloted.flip_rate, piloted.repeat_rate) == pytest.approx((0.2, 0.1))


def test_each_question_has_its_statistic_its_cost_and_its_judges():
    width = asked("flip-rate")
    assert (width.question, width.judgments) == (HalfWidth(rate=0.2), 2)
    repeats = asked("beyond-repeats")
    assert isinstance(repeats.question, PairedRates)
    assert repeats.judgments == 3
    assert study_truth(repeats.judge).flip_rate == pytest.approx(0.2)
    assert study_truth(repeats.judge).repeat_flip_rate == pytest.approx(0.15)
    assert study_truth(repeats.null).flip_rate == pytest.approx(study_truth(repeats.null).repeat_flip_rate)
    shift = asked("shift", bias="tone")
    assert isinstance(shift.question, MeanShift)
    assert (net_shift(shift.judge, "tone"), net_shift(shift.null, "tone")) == pytest.approx((0.05, 0.0))
    assert asked("accuracy").question == PairedRates(discordance=0.3)
    win = asked("win-rate", effect=0.1)
    assert win.question.sd == pytest.approx((0.8 / 4 - 0.01) ** 0.5)


def test_effects_that_nothing_can_have_are_refused():
    with pytest.raises(ConfigError, match="raise --discordance"):
        asked("accuracy", effect=0.4)
    with pytest.raises(ConfigError, match=r"within 0.4 of .5"):
        asked("win-rate", effect=0.45)
