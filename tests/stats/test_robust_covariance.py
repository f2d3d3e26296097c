import numpy as np
import pytest
import statsmodels.api as sm

from evenhand.stats.design_matrix import design_matrix
from evenhand.stats.regression import logit, ols
from evenhand.stats.robust_covariance import robust_covariance
from stats.regression_data import NAMES, SIZES, binary, clustered


def test_cr2_of_clusters_of_one_is_hc2():
    y, x, clusters = clustered(SIZES["alone"])
    fit = sm.OLS(y, sm.add_constant(x)).fit(cov_type="HC2")
    assert ols(y, x, clusters, names=NAMES).covariance == pytest.approx(fit.cov_params(), rel=1e-9, abs=1e-12)


def cr2_by_definition(x, residuals, clusters, weights):
    """Bell and McCaffrey's formulas, one matrix a cluster; and Satterthwaite's degrees of freedom."""
    design = sm.add_constant(x)
    root = np.sqrt(weights)
    white = design * root[:, None]
    bread = np.linalg.inv(white.T @ white)
    rest = np.eye(len(x)) - white @ bread @ white.T
    meat, forms = 0, []
    for cluster in np.unique(clusters):
        rows = np.flatnonzero(clusters == cluster)
        values, vectors = np.linalg.eigh(rest[np.ix_(rows, rows)])
        adjusted = (vectors / np.sqrt(values)) @ vectors.T @ white[rows]
        score = adjusted.T @ (residuals / root)[rows]
        meat = meat + np.outer(score, score)
        forms.append(rest[:, rows] @ adjusted @ bread)
    df = []
    for term in range(design.shape[1]):
        each = np.array([form[:, term] for form in forms])
        gram = each @ each.T
        df.append(np.trace(gram) ** 2 / np.trace(gram @ gram))
    return bread @ meat @ bread, df


@pytest.mark.parametrize("shape", ["balanced", "few"])
def test_cr2_and_its_degrees_of_freedom_by_their_definition(shape):
    y, x, clusters = clustered(SIZES[shape])
    fit = ols(y, x, clusters, names=NAMES)
    residuals = y - sm.add_constant(x) @ fit.coefficients
    covariance, df = cr2_by_definition(x, residuals, clusters, np.ones(len(y)))
    assert fit.covariance == pytest.approx(covariance, rel=1e-8)
    assert [term.df for term in fit.terms] == pytest.approx(df, rel=1e-8)


def test_cr2_of_a_logistic_fit_by_its_definition():
    y, x, clusters = binary(SIZES["balanced"])
    fit = logit(y, x, clusters, names=NAMES)
    p = 1 / (1 + np.exp(-sm.add_constant(x) @ fit.coefficients))
    covariance, df = cr2_by_definition(x, y - p, clusters, p * (1 - p))
    assert fit.covariance == pytest.approx(covariance, rel=1e-7)
    assert [term.df for term in fit.terms] == pytest.approx(df, rel=1e-7)


@pytest.mark.parametrize("shape", SIZES)
def test_effective_clusters_are_as_many_as_weigh_alike(shape):
    y, x, clusters = clustered(SIZES[shape])
    design = design_matrix(x, clusters, names=NAMES, intercept=True)
    robust = robust_covariance(design, residuals=y - y.mean(), weights=np.ones(len(y)), errors="CR2")
    rest = x[:, 0] - sm.OLS(x[:, 0], sm.add_constant(x[:, 1:])).fit().fittedvalues
    shares = np.bincount(clusters, weights=rest**2) / (rest @ rest)
    assert robust.effective[1] == pytest.approx(1 / (shares @ shares), rel=1e-8)
    assert np.all(robust.effective <= len(SIZES[shape]) + 1e-9)
    assert np.all((robust.df >= 1) & (robust.df <= len(SIZES[shape]) - 1))
    assert not robust.flat.any()
