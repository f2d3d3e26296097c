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


@pytest.mark.parametrize(("value", "effect"), [(0.5, 0.1), (0.15, 0.05), (0.15, -0.05), (0.9, -0.05)])
def test_a_rate_by_its_closed_form(value, effect):
    # Fleiss, Levin and Paik, formula 2.12: the far tail adds nothing at this power.
    p = value + effect
    exact = ((Z_95 * np.sqrt(value * (1 - value)) + Z_80 * np.sqrt(p * (1 - p))) / effect) ** 2
    assert pairs_needed(RateAgainst(value=value), effect).pairs == int(np.ceil(exact))


@pytest.mark.parametrize(("discordance", "effect"), [(0.2, 0.1), (0.5, 0.05), (0.35, 0.15)])
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
    grouped = pairs_needed(RateAgainst(), 0.1, deff=design_effect(5, 0.25), cluster_size=5)
    # Twice as many, and a little more for Student's t with 80 clusters.
    assert 2 * alone < grouped.pairs == pytest.approx(2 * alone, rel=0.03)
    assert grouped.method.endswith("design effect 2")


def test_few_clusters_have_the_degrees_of_freedom_of_clusters():
    # Five clusters of 20, ICC .3: noncentral t with 4 df, shift .6 √(100 / 6.7). Simulated: .43 (n / deff - 1: .58).
    deff = design_effect(20, 0.3)
    shift = 0.6 * np.sqrt(100 / deff)
    quantile = stats.t.ppf(0.975, 4)
    theirs = stats.nct.sf(quantile, 4, shift) + stats.nct.sf(quantile, 4, -shift)
    mine = achieved_power(MeanShift(), pairs=100, effect=0.6, deff=deff, cluster_size=20)
    assert mine == pytest.approx(theirs, abs=1e-9) == pytest.approx(0.425, abs=1e-3)
    rng = np.random.default_rng(5)
    runs, group = 4000, np.sqrt(0.3) * rng.normal(size=(4000, 5, 1))
    means = (0.6 + group + np.sqrt(0.7) * rng.normal(size=(runs, 5, 20))).mean(axis=2)
    found = np.abs(stats.ttest_1samp(means, 0.0, axis=1).statistic) > quantile
    assert mine == pytest.approx(found.mean(), abs=4 * np.sqrt(0.25 / runs))


@pytest.mark.parametrize("question", [RateAgainst(), PairedRates(discordance=0.6), MeanShift(), HalfWidth(rate=0.3)])
def test_fewer_than_five_clusters_show_nothing(question):
    few = minimum_detectable_effect(question, 76, deff=design_effect(19, 0.1), cluster_size=19)
    assert isinstance(few, Refusal)
    assert few.reason == "needs at least 5 clusters, has 4"
    # However large the effect, no fewer than 5 clusters are planned.
    wide = 0.45 if not isinstance(question, MeanShift) else 50.0
    assert pairs_needed(question, wide, cluster_size=19).pairs >= 5 * 19
    if not isinstance(question, HalfWidth):
        assert achieved_power(question, pairs=4, effect=0.4) == 0.0


@pytest.mark.parametrize("question", [RateAgainst(), PairedRates(discordance=1.0)])
def test_an_exact_test_over_five_clusters_rejects_nothing(question):
    # 2 ** (1 - 5) = .0625.
    assert achieved_power(question, pairs=100, effect=0.45, cluster_size=20) == 0.0
    assert achieved_power(question, pairs=120, effect=0.45, cluster_size=20) > 0.5


@pytest.mark.parametrize(("question", "effect"), [(RateAgainst(), 0.45), (PairedRates(discordance=1.0), 0.9)])
def test_few_discordant_pairs_by_the_exact_test(question, effect):
    # .95^7 = .698 with 7; 8 of 9 or 9 of 9 with 9, since 2 (1 + 9) / 512 = .039.
    assert achieved_power(question, pairs=7, effect=effect) == pytest.approx(0.95**7)
    answer = pairs_needed(question, effect)
    assert (answer.pairs, answer.method.split()[0]) == (9, "exact")
    assert achieved_power(question, pairs=9, effect=effect) == pytest.approx(0.95**9 + 9 * 0.05 * 0.95**8)


@pytest.mark.parametrize(("question", "effect"), [(RateAgainst(), 0.25), (RateAgainst(value=0.2), 0.2)])
def test_every_greater_number_has_the_power_too(question, effect):
    answer = pairs_needed(question, effect)
    powers = [achieved_power(question, pairs=n, effect=effect) for n in range(5, 3 * answer.pairs)]
    assert max(n + 5 for n, power in enumerate(powers) if power < 0.8) == answer.pairs - 1


def test_what_cannot_be_shown_is_refused():
    few = minimum_detectable_effect(RateAgainst(value=0.5), 5)
    assert isinstance(few, Refusal)
    assert few.reason == "even a rate of 1 is found with a power of only 0.00 by 5 pairs"
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
        (
            lambda: achieved_power(RateAgainst(), pairs=10, effect=0.1, deff=2, cluster_size=1.5),
            "no design effect above",
        ),
    ],
)
def test_a_plan_that_makes_no_sense_is_an_error(call, words):
    with pytest.raises(StatisticsError, match=words):
        call()
