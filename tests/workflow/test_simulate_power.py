"""Power plans: published sizes, clusters, several tests, and simulated audits that agree with the formula."""

import pytest

import evenhand
from evenhand.report.studies.power_plan import QUESTIONS
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.simulate_power import simulate_power
from evenhand.workflow.simulate_settings import PowerSettings


def plan(question, effect=0.05, **settings):
    return simulate_power(PowerSettings(question=question, effect=effect, **settings))


def test_a_published_size():
    # Two accuracies .1 apart, 20 % of the pairs discordant: 155 by Connor (1987), doi:10.2307/2531961.
    made = plan("accuracy", effect=0.1, discordance=0.2)
    assert made.needed.pairs == 155
    assert made.power_at == pytest.approx(0.8, abs=0.005)
    assert made.detectable.effect == pytest.approx(0.1, abs=0.001)


@pytest.mark.parametrize("question", QUESTIONS)
def test_more_is_needed_for_less_and_for_clusters(question):
    base = plan(question).needed.pairs
    assert plan(question, effect=0.04).needed.pairs > base
    clustered = plan(question, pairs_per_question=5, icc=0.25)
    assert clustered.design_effect == 2.0
    # Twice as many, and a little more for Student's t: 21 questions of a shift have 20 degrees of freedom.
    assert 2 * base <= clustered.needed.pairs == pytest.approx(2 * base, rel=0.07)


def test_few_questions_are_planned_with_their_degrees_of_freedom():
    # 5 questions of 20 pairs: t with 4 degrees of freedom, not the 14 of 100 / 6.7 independent pairs.
    few = plan("win-rate", effect=0.2, pairs=100, pairs_per_question=20, icc=0.3)
    more = plan("win-rate", effect=0.2, pairs=100, pairs_per_question=8, icc=0.3 * 19 / 7)
    assert few.design_effect == pytest.approx(more.design_effect)
    assert few.power_at < more.power_at - 0.1
    assert few.needed.pairs >= 5 * 20


@pytest.mark.parametrize("question", QUESTIONS)
def test_fewer_than_five_questions_are_refused(question):
    made = plan(question, pairs=40, pairs_per_question=10)
    assert isinstance(made.detectable, Refusal)
    assert made.detectable.reason == "needs at least 5 clusters, has 4"
    assert min(point.pairs for point in made.curve) >= 50
    assert all(point.value == point.value for point in made.curve)


def test_several_tests_share_the_level():
    made = plan("shift", tests=10)
    assert made.test_level == pytest.approx(0.995)
    assert made.needed.pairs > plan("shift").needed.pairs
    assert plan("shift").test_level == 0.95


def test_a_given_size_is_answered_too():
    made = plan("accuracy", pairs=100, discordance=0.3)
    assert made.at == 100
    assert made.power_at < 0.8
    assert made.detectable.effect > 0.05
    few = plan("accuracy", pairs=5)
    assert isinstance(few.detectable, Refusal)
    pairs = [point.pairs for point in made.curve]
    assert pairs == sorted(set(pairs))
    assert 100 in pairs
    values = [point.value for point in made.curve]
    assert values == sorted(values)


def test_a_half_width_shrinks():
    values = [point.value for point in plan("flip-rate").curve]
    assert values == sorted(values, reverse=True)


@pytest.mark.simulation
@pytest.mark.parametrize("question", ["accuracy", "win-rate", "beyond-repeats"])
def test_simulated_audits_find_it_as_often_as_the_formula_says(question):
    runs = 120 if question == "beyond-repeats" else 400
    told = []
    made = simulate_power(
        PowerSettings(question=question, effect=0.1, pairs_per_question=2, icc=0.3, simulate=runs, seed=2),
        progress=lambda what, done, total: told.append((what, done, total)),
    )
    check = made.simulated
    assert isinstance(check.found, Estimate)
    assert check.found.value == pytest.approx(0.8, abs=4 * (0.16 / runs) ** 0.5)
    assert check.false.value <= 0.05 + 3 * (0.0475 / runs) ** 0.5
    assert check.estimate.value == pytest.approx(0.1, abs=0.01)
    assert told[-1] == ("simulating audits", 2 * runs, 2 * runs)


def test_a_pilot_takes_the_place_of_assumptions(tmp_path):
    evenhand.audit("simulated:position=1,noise=1,repeat_noise=1", "starter", limit=30, out=tmp_path / "pilot")
    made = simulate_power(PowerSettings(question="flip-rate", effect=0.1), run=tmp_path / "pilot")
    assert made.pilot.pairs == 30
    assert dict(made.assumed)["Flip rate"] == f"{made.pilot.flip_rate * 100:.3g} %"
    assert made.pilot.flip_rate != 0.2
