import numpy as np
import pytest
from scipy import stats

from evenhand.stats.exact_tests import binomial_test, mcnemar
from evenhand.stats.small_sample_power import power_of_binomial, power_of_mcnemar, power_of_t


@pytest.mark.parametrize(("n", "value", "rate"), [(12, 0.5, 0.8), (30, 0.2, 0.45), (40, 0.9, 0.7), (6, 0.5, 1.0)])
def test_power_of_the_binomial_test_sums_what_it_rejects(n: int, value: float, rate: float) -> None:
    rejects = [binomial_test(k, n, value).p_value <= 0.05 for k in range(n + 1)]
    theirs = stats.binom.pmf(np.arange(n + 1), n, rate)[rejects].sum()
    assert power_of_binomial(n, value=value, rate=rate, level=0.95) == pytest.approx(theirs)


@pytest.mark.parametrize(("n", "discordance", "effect"), [(20, 0.4, 0.3), (9, 1.0, 0.9), (15, 0.2, -0.2)])
def test_power_of_mcnemars_test_sums_what_it_rejects(n: int, discordance: float, effect: float) -> None:
    more, fewer = (discordance + effect) / 2, (discordance - effect) / 2
    theirs = sum(
        stats.multinomial.pmf([b, c, n - b - c], n, [more, fewer, 1 - discordance])
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if mcnemar(b, c).p_value <= 0.05
    )
    assert power_of_mcnemar(n, discordance=discordance, effect=effect, level=0.95) == pytest.approx(theirs)


def test_nothing_is_found_with_nothing() -> None:
    assert power_of_binomial(0, value=0.5, rate=0.9, level=0.95) == 0.0
    assert power_of_mcnemar(0, discordance=0.5, effect=0.5, level=0.95) == 0.0
    # 2 ** (1 - 5) = .0625: five can't reject at .05, six can.
    assert power_of_binomial(5, value=0.5, rate=1.0, level=0.95) == 0.0
    assert power_of_binomial(6, value=0.5, rate=1.0, level=0.95) == 1.0


@pytest.mark.parametrize("df", [4, 10.5, 300])
def test_power_of_t_is_the_noncentral_t(df: float) -> None:
    quantile = stats.t.ppf(0.975, df)
    theirs = stats.nct.sf(quantile, df, 2.5) + stats.nct.sf(quantile, df, -2.5)
    assert power_of_t(2.5, df=df, level=0.95) == pytest.approx(theirs, abs=1e-9)


def test_scale_moves_the_critical_value() -> None:
    limit = stats.norm.sf(1.2 * stats.norm.ppf(0.975) - 2.5)
    assert power_of_t(2.5, df=1e6, level=0.95, scale=1.2) == pytest.approx(limit, abs=1e-4)
