import numpy as np
import pytest

from evenhand.stats.design_matrix import DesignMatrix, cluster_sums, design_matrix
from evenhand.stats.regression import logit, ols
from evenhand.stats.results import Refusal
from stats.regression_data import NAMES, SIZES, binary, clustered


def test_too_little_is_refused_in_words():
    y, x, clusters = clustered(SIZES["few"])
    few = clusters < 4
    assert ols(y[few], x[few], clusters[few], names=NAMES) == Refusal(
        reason="needs at least 5 clusters, has 4", n=int(few.sum())
    )
    wide = np.random.default_rng(0).normal(size=(len(y), 9))
    refused = ols(y, wide, clusters, names=list("abcdefghi"))
    assert refused.reason == "needs more clusters than the 10 terms of the regression, has 9"


@pytest.mark.parametrize("fit", [ols, logit])
def test_a_term_that_others_explain_is_named(fit):
    y, x, clusters = binary(SIZES["balanced"])
    x[:, 2] = 3 * x[:, 0] - x[:, 1] / 7 + 4
    refused = fit(y, x, clusters, names=NAMES)
    assert refused.reason == "slot is a linear combination of intercept, quality, length: its coefficient is undefined"
    x[:, 0] = 0.3
    assert fit(y, x, clusters, names=NAMES).reason.startswith("quality does not vary")


def test_a_sum_of_columns_is_found_whatever_their_units():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 3)) * [1e-6, 1.0, 1e6]
    x[:, 2] = x[:, 0] * 1e12 + 5e6
    assert design_matrix(x, range(60), names=NAMES, intercept=True).reason.startswith("slot is a linear combination")
    x[:, 2] += rng.normal(size=60)
    assert isinstance(design_matrix(x, range(60), names=NAMES, intercept=True), DesignMatrix)


@pytest.mark.parametrize("intercept", [True, False])
def test_back_undoes_centring_and_scaling(intercept):
    _, x, clusters = clustered(SIZES["few"])
    design = design_matrix(x, clusters, names=NAMES, intercept=intercept)
    given = np.column_stack([np.ones(len(x)), x]) if intercept else x
    assert design.columns == pytest.approx(given @ design.back, abs=1e-9)
    assert np.sqrt((design.columns**2).mean(axis=0)) == pytest.approx(1)
    assert design.names == (("intercept", *NAMES) if intercept else tuple(NAMES))


def test_cluster_sums_keep_every_row():
    values, codes = np.arange(12.0).reshape(6, 2), np.array([2, 0, 1, 2, 2, 0])
    sums = cluster_sums(values, codes, 3)
    assert sums.tolist() == [[12, 14], [4, 5], [14, 17]]
