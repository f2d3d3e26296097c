"""Standardisation: scikit-learn's scaler, taken from training rows alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler

from evenhand.probes import standardise
from evenhand.probes.standardise import StandardisedRows, scaling_of, standardised


def rows(seed: int, n: int, d: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) * np.exp(3 * rng.normal(size=d)) + 100 * rng.normal(size=d)).astype(np.float32)


@given(st.integers(0, 1000))
def test_agrees_with_scikit_learns_scaler(seed: int) -> None:
    x = rows(seed, 20, 7)
    scaler = StandardScaler().fit(x.astype(np.float64))
    scaling = scaling_of(x)
    np.testing.assert_allclose(scaling.mean, scaler.mean_, rtol=1e-12)
    np.testing.assert_allclose(scaling.scale, scaler.scale_, rtol=1e-12)
    np.testing.assert_allclose(scaling.apply(x), scaler.transform(x.astype(np.float64)), atol=1e-10)


@pytest.mark.parametrize("value", [0.0, 0.1, 1e30, -1e-30, 123456.7])
def test_a_constant_feature_has_scale_1_and_counts_as_nothing(value: float) -> None:
    x = np.column_stack([np.full(31, value), np.arange(31.0)])
    scaling = scaling_of(x)
    assert scaling.constant.tolist() == [True, False]
    assert scaling.scale[0] == 1
    assert (scaling.apply(x + np.array([5.0, 0.0]))[:, 0] == 0).all()


def test_a_feature_that_moves_by_a_rounding_only_is_not_constant() -> None:
    x = np.full((30, 1), 1e6)
    x[0] = np.nextafter(1e6, 2e6)
    assert not scaling_of(x).constant[0]


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("columns", [3, 512])
def test_products_are_those_of_standardised_rows(columns: int, weighed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standardise, "COLUMNS", columns)
    x = rows(0, 30, 11)
    x[:20, 4] = 2.5
    weights = np.linspace(0.5, 3, 11) if weighed else None
    train, other = np.arange(20), np.arange(20, 30)
    z, scaling = standardised(x, train, weights)
    rows_of = StandardisedRows(x, train, other, weights)
    np.testing.assert_allclose(rows_of.gram, z @ z.T, atol=1e-10)
    np.testing.assert_allclose(rows_of.other_products(np.eye(20)), scaling.apply(x[other]) @ z.T, atol=1e-9)
    if weights is not None:
        np.testing.assert_allclose(z.std(axis=0)[weights != weights[4]], weights[weights != weights[4]])


def test_other_rows_do_not_touch_the_scaling_of_training_rows() -> None:
    x = rows(1, 30, 11)
    train, other = np.arange(20), np.arange(20, 30)
    before = StandardisedRows(x, train, other).gram
    x[other] *= 1000
    np.testing.assert_array_equal(StandardisedRows(x, train, other).gram, before)
