import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_effectsize, samplesize_confint_proportion

from evenhand.errors import StatisticsError
from evenhand.stats.power import (
    HalfWidth,
    MeanShift,
    PairedRates,
    PowerAnswer,
    RateAgainst,
    achieved_power,
    design_effect,
    minimum_detectable_effect,
    pairs_needed,
)
from evenhand.stats.proportions import wilson
from evenhand.stats.results import Refusal

Z_95, Z_80 = 1.959963985, 0.841621234


@pytest.mark.parametrize(("value", "effect"), [(0.5, 0.1), (0.15, 0.05), (0.15, -0.05), (0.9, -0.1)])
def test_a_rate_by_its_closed_form(value, effect):
    # Fleiss, Levin and Paik, formula 2.12: the far tail adds nothing at this power.
    p = value + effect
    exact = ((Z_95 * np.sqrt(value * (1 - value)) + Z_80 * np.sqrt(p * (1 - p))) / effect) ** 2
    assert pairs_needed(RateAgainst(value=value), effect).pairs == int(np.ceil(exact))


@pytest.mark.parametrize(("discordance", "effect"), [(0.2, 0.1), (0.5, 0.05), (0.35, 0.3)])
def test_paired_rates_by_connors_formula(discordance, effect):
    exact = ((Z_95 * np.sqrt(discordance) + Z_80 * np.sqrt(discordance - effect**2)) / effect) ** 2
    assert pairs_needed(PairedRates(discordance=discordance), effect).pairs == int(np.ceil(exact))


def test_power_of_the_sign_test_by_statsmodels():
    # Near .5 the arcsine approximation is the same to three digits.
    from statsmodels.stats.power import zt_ind_solve_power

    size = proportion_effectsize(0.52, 0.5)
    theirs = zt_ind_solve_power(effect_size=size, nobs1=3000, alpha=0.05, ratio=0)
    assert achieved_power(RateAgainst(), pairs=3000, effect=0.02) == pytest.approx(theirs, abs=1e-3)


@pytest.mark.parametrize("n", [6, 20, 150])
@pytest.mark.parametrize("d", [0.1, 0.4, 1.5])
def test_a_mean_agrees_with_the_noncentral_t(n, d):
    # statsmodels' TTestPower is NaN with SciPy 1.17, whose lower tail is: the upper one of the mirror image isn't.
    quantile = stats.t.ppf(0.975, n - 1)
    theirs = sum(stats.nct.sf(quantile, n - 1, sign * d * np.sqrt(n)) for sign in (1, -1))
    assert achieved_power(MeanShift(sd=3.0), pairs=n, effect=-3.0 * d) == pytest.approx(theirs, abs=1e-9)
    if theirs < 0.999:
        back = minimum_detectable_effect(MeanShift(sd=3.0), n, power=float(theirs)).effect
        assert back == pytest.approx(3.0 * d, rel=1e-6)


@pytest.mark.parametrize(("d", "n"), [(0.5, 40), (0.2, 200)])
def test_the_upper_tail_of_a_mean_agrees_with_statsmodels(d, n):
    theirs = TTestPower().power(d, n, 0.025, alternative="larger")
    assert achieved_power(MeanShift(), pairs=n, effect=d) == pytest.approx(theirs, abs=1e-5)


def test_half_width_is_wilsons_and_near_walds():
    answer = pairs_needed(HalfWidth(rate=0.15), 0.03)
    inside, one_less = (wilson(0.15 * n, n) for n in (answer.pairs, answer.pairs - 1))
    assert (inside.high - inside.low) / 2 <= 0.03 < (one_less.high - one_less.low) / 2
    assert answer.pairs == pytest.approx(samplesize_confint_proportion(0.15, 0.03), rel=0.01)
    assert answer.power is None


QUESTIONS = st.one_of(
    st.builds(RateAgainst, value=st.floats(0.05, 0.7)),
    st.builds(PairedRates, discordance=st.floats(0.2, 1.0)),
    st.builds(MeanShift, sd=st.floats(0.3, 3.0)),
)


@given(
    question=QUESTIONS,
    effect=st.floats(0.02, 0.2),
    power=st.floats(0.5, 0.99),
    deff=st.floats(1.0, 4.0),
)
@settings(deadline=None, max_examples=60)
def test_needed_pairs_have_the_power_and_one_fewer_has_not(question, effect, power, deff):
    answer = pairs_needed(question, effect, power=power, deff=deff)
    assert achieved_power(question, pairs=answer.pairs, effect=effect, deff=deff) >= power
    if answer.pairs > 1:
        assert achieved_power(question, pairs=answer.pairs - 1, effect=effect, deff=deff) < power
    smallest = minimum_detectable_effect(question, answer.pairs, power=power, deff=deff)
    assert isinstance(smallest, PowerAnswer)
    assert smallest.effect <= effect * (1 + 1e-9)
    assert achieved_power(question, pairs=answer.pairs, effect=smallest.effect, deff=deff) == pytest.approx(power)


def test_clusters_thin_out_the_pairs():
    alone = pairs_needed(RateAgainst(), 0.1).pairs
    grouped = pairs_needed(RateAgainst(), 0.1, deff=design_effect(5, 0.25))
    assert grouped.pairs == pytest.approx(2 * alone, abs=1)
    assert grouped.method.endswith("design effect 2")


def test_what_cannot_be_shown_is_refused():
    few = minimum_detectable_effect(RateAgainst(value=0.5), 3)
    assert isinstance(few, Refusal)
    assert few.n == 3
    assert "more than" in pairs_needed(RateAgainst(), 1e-6).reason


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pairs_needed(RateAgainst(), 0.0), "effect must be a number other than 0"),
        (lambda: pairs_needed(RateAgainst(value=0.9), 0.2), "can't be moved by 0.2"),
        (lambda: pairs_needed(PairedRates(discordance=0.1), 0.2), "can't be 0.2 apart"),
        (lambda: pairs_needed(RateAgainst(), 0.1, power=1.0), "power must lie between"),
        (lambda: RateAgainst(value=1.0), "value must lie between"),
        (lambda: MeanShift(sd=0.0), "sd must be above 0"),
        (lambda: design_effect(0.5, 0.1), "cluster_size >= 1"),
        (lambda: minimum_detectable_effect(RateAgainst(), 0), "at least 1"),
        (lambda: achieved_power(RateAgainst(), pairs=10, effect=0.1, deff=0.0), "design effect must be above 0"),
    ],
)
def test_a_plan_that_makes_no_sense_is_an_error(call, words):
    with pytest.raises(StatisticsError, match=words):
        call()
