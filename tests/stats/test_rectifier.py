"""The correction is unbiased by enumeration of every sample, whatever the covariates; leave-one-out by refitting."""

from itertools import combinations

import numpy as np
import pytest

from evenhand.stats.rectifier import RIDGE, Stratum, rectify

POPULATION = np.array([0.0, 1.0, 1.0, 0.5, 3.0, 0.0, 2.0])
COVARIATES = {
    "good": POPULATION[:, None] + np.array([0.1, 0.0, -0.2, 0.1, 0.0, 0.3, -0.1])[:, None],
    "useless": np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0])[:, None],
    "constant": np.ones((7, 1)),
    "two": np.column_stack([POPULATION**2, [1.0, 0, 0, 1, 1, 0, 0]]),
}


def strata_of(names, sampled, x):
    rows = {unit: row for row, unit in enumerate(sorted(sampled))}
    made = []
    for name in sorted(set(names)):
        units = np.array([i for i, n in enumerate(names) if n == name])
        chosen = np.array([i for i in units if i in rows], dtype=int)
        made.append(
            Stratum(name=name, units=units, sampled=chosen, rows=np.array([rows[i] for i in chosen], dtype=int), x=x)
        )
    return made


def fit(values, names, sampled, x, *, denominator=None, coefficient=None, bounds=None):
    labels = np.asarray(values)[sorted(sampled)]
    return rectify(
        labels,
        np.ones(len(labels)) if denominator is None else np.asarray(denominator)[sorted(sampled)],
        strata_of(names, sampled, x),
        clusters=np.arange(len(names)),
        coefficient=coefficient,
        bounds=bounds,
        prior=1.92,
        level=0.95,
    )


@pytest.mark.parametrize("name", COVARIATES)
@pytest.mark.parametrize("n", [3, 4, 6])
def test_a_mean_is_unbiased_over_all_samples(name, n):
    values = [fit(POPULATION, ["s"] * 7, sample, COVARIATES[name]).value for sample in combinations(range(7), n)]
    assert np.mean(values) == pytest.approx(POPULATION.mean(), abs=1e-12)


@pytest.mark.parametrize("name", COVARIATES)
def test_a_mean_is_unbiased_over_all_stratified_samples(name):
    strata = ["a"] * 4 + ["b"] * 3
    samples = [(*a, *b) for a in combinations(range(4), 3) for b in combinations(range(4, 7), 2)]
    values = [fit(POPULATION, strata, sample, COVARIATES[name]).value for sample in samples]
    assert np.mean(values) == pytest.approx(POPULATION.mean(), abs=1e-12)
    assert name == "constant" or np.std(values) > 0


def test_the_full_coefficient_is_a_ridge_drawn_to_the_pooled_one():
    rng = np.random.default_rng(0)
    x, e = rng.normal(size=(30, 1)), rng.normal(size=30)
    names = ["a"] * 18 + ["b"] * 12
    found = fit(e, names, range(30), x).coefficients
    parts = [slice(0, 18), slice(18, 30)]
    centred = [(x[p, 0] - x[p, 0].mean(), e[p] - e[p].mean()) for p in parts]
    spread = [float(np.var(x[p])) for p in parts]
    pooled = sum(u @ v for u, v in centred) / (
        sum(u @ u for u, _ in centred) + RIDGE * (18 * spread[0] + 12 * spread[1]) / 30
    )
    for coefficient, (u, v), s in zip(found, centred, spread, strict=True):
        assert coefficient[0] == pytest.approx((u @ v + RIDGE * s * pooled) / (u @ u + RIDGE * s))


def test_left_out_coefficients_are_those_of_the_others():
    # With one label less, refitted: the correction must use exactly those coefficients.
    rng = np.random.default_rng(1)
    x, values, sample = rng.normal(size=(12, 2)), rng.normal(size=12), list(range(7))
    unlabelled = x[7:].mean(axis=0)
    spread = x.var(axis=0)
    terms = []
    for i in sample:
        others = [j for j in sample if j != i]
        u, e = x[others] - x[others].mean(axis=0), values[others] - values[others].mean()
        pooled = np.linalg.solve(u.T @ u + RIDGE * np.diag(spread), u.T @ e)
        own = np.linalg.solve(u.T @ u + RIDGE * np.diag(spread), u.T @ e + RIDGE * spread * pooled)
        terms.append((unlabelled - x[i]) @ own)
    expected = values[:7].mean() + (1 - 7 / 12) * np.mean(terms)
    assert fit(values, ["s"] * 12, sample, x).value == pytest.approx(expected)


def test_a_corrected_rate_stays_a_rate():
    # Everybody's cheap values are 0 but for the sample's: the correction alone would lead below 0.
    x = np.zeros((40, 1))
    x[:6] = 1.0
    values = np.zeros(40)
    values[:1] = 1.0
    found = fit(values, ["s"] * 40, range(8), x, coefficient=1.0, bounds=(0, 1))
    assert found.clipped
    assert found.value == 0.0
    assert found.variance > 0


def test_one_label_of_two_units_leaves_something_open():
    values, sampled = np.arange(11.0), range(10)
    census = fit(values[:10], ["a"] * 9 + ["b"], sampled, np.zeros((10, 1)))
    one_of_two = fit(values, ["a"] * 9 + ["b"] * 2, sampled, np.zeros((11, 1)))
    assert census.effective_labels == pytest.approx(10)
    assert 9 < one_of_two.effective_labels < 10.5
