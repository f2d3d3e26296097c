import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from evenhand.errors import StatisticsError
from evenhand.stats import clopper_pearson
from evenhand.stats.finite_population import hypergeometric_interval


def by_hand(found: int, sample: int, population: int, level: float) -> tuple[int, int]:
    """Every number that neither tail rules out."""
    tail = (1 - level) / 2
    kept = [
        count
        for count in range(found, population - (sample - found) + 1)
        if hypergeom.sf(found - 1, population, count, sample) > tail
        and hypergeom.cdf(found, population, count, sample) > tail
    ]
    return min(kept), max(kept)


@st.composite
def samples(draw):
    population = draw(st.integers(1, 80))
    sample = draw(st.integers(1, population))
    return draw(st.integers(0, sample)), sample, population


@given(samples(), st.sampled_from([0.5, 0.8, 0.95, 0.99]))
def test_it_is_what_the_two_tails_leave(case, level):
    found, sample, population = case
    interval = hypergeometric_interval(found, sample=sample, population=population, level=level)
    assert (interval.low, interval.high) == by_hand(found, sample, population, level)
    assert found <= interval.low <= interval.high <= population - (sample - found)


@pytest.mark.parametrize(("population", "sample"), [(60, 20), (100, 10), (37, 36)])
def test_it_covers_whatever_the_number_is(population, sample):
    limits = [hypergeometric_interval(k, sample=sample, population=population) for k in range(sample + 1)]
    for count in range(population + 1):
        chances = hypergeom.pmf(np.arange(sample + 1), population, count, sample)
        covered = [interval.low <= count <= interval.high for interval in limits]
        assert chances[covered].sum() >= 0.95 - 1e-12


def test_a_census_leaves_nothing_open_and_a_large_population_is_clopper_and_pearsons():
    whole = hypergeometric_interval(7, sample=40, population=40)
    assert (whole.low, whole.high) == (7.0, 7.0)
    exact = clopper_pearson(12, 100)
    large = hypergeometric_interval(12, sample=100, population=10_000_000)
    assert large.low / 1e7 == pytest.approx(exact.low, rel=1e-4)
    assert large.high / 1e7 == pytest.approx(exact.high, rel=1e-4)


def test_none_found_gives_the_auditors_upper_limit():
    # One-sided at .95: none in 58 of a large population leaves just under 5 % of it (discovery sampling tables: 59).
    assert hypergeometric_interval(0, sample=59, population=1_000_000, level=0.9).high / 1e6 < 0.05
    assert hypergeometric_interval(0, sample=58, population=1_000_000, level=0.9).high / 1e6 > 0.05


@pytest.mark.parametrize(("found", "sample", "population"), [(-1, 5, 10), (6, 5, 10), (2, 11, 10), (0, 0, 10)])
def test_impossible_counts_are_refused(found, sample, population):
    with pytest.raises(StatisticsError, match="finite population needs"):
        hypergeometric_interval(found, sample=sample, population=population)
