"""Linear and logistic regression with cluster-robust errors, fast enough for thousands of simulated audits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenhand.errors import StatisticsError
from evenhand.stats.arrays import FloatArray, as_labels, as_numbers, check_level, check_same_length
from evenhand.stats.clusters import cluster_flags
from evenhand.stats.design_matrix import INTERCEPT, DesignMatrix, design_matrix
from evenhand.stats.logistic_fit import fit_logit
from evenhand.stats.proportions import student_quantile
from evenhand.stats.results import Estimate, Interval, Refusal, TestResult
from evenhand.stats.robust_covariance import ErrorKind, robust_covariance

__all__ = ["FEWEST_DF", "INTERCEPT", "NO_CLUSTER_DIFFERS", "ONE_CLUSTER", "Regression", "Term", "logit", "ols"]

NO_CLUSTER_DIFFERS = "no cluster differs from another in this term: no interval, not tested"
"""Flag of a term whose cluster-robust error is 0: every cluster gives the same coefficient."""

ONE_CLUSTER = "one cluster alone settles this term: no interval, not tested"
"""Flag of a term whose own variation is nearly all in one cluster: the robust error of such a term is near 0 whatever
the truth (MacKinnon and Webb 2017, doi:10.1002/jae.2508)."""

_FEWEST_EFFECTIVE = 2.0
"""Effective clusters of a term below which it is left without an interval: one cluster then weighs more than all
others together."""

FEWEST_DF = 4.0
"""Degrees of freedom below which a t test of a term is not to be relied on (Tipton 2015, doi:10.1037/met0000011)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One coefficient.

    Attributes
    ----------
    estimate
        The coefficient with its interval; None where the data give none, which its flags then say.
    test
        Two-sided, of a coefficient of 0.
    df
        Degrees of freedom of its t.
    effective_clusters
        How many equal clusters would inform the coefficient as unequally as these do: one over the sum of squared
        shares of the clusters in the term's own variation, that which no other term explains.
    """

    name: str
    estimate: Estimate
    test: TestResult
    standard_error: float
    df: float
    effective_clusters: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regression:
    """A fit with its cluster-robust covariance.

    Attributes
    ----------
    terms
        In the order of the columns, the intercept first where there is one.
    covariance
        Shape (terms, terms).
    method
        In words fit for a caption.
    """

    terms: tuple[Term, ...]
    covariance: FloatArray
    n: int
    clusters: int
    level: float
    method: str
    flags: tuple[str, ...] = ()

    @property
    def coefficients(self) -> FloatArray:
        """The coefficients alone, shape (terms,)."""
        return np.array([term.estimate.value for term in self.terms])

    def index(self, name: str) -> int:
        """Where a term stands.

        Raises
        ------
        StatisticsError
            There is none of that name.
        """
        names = [term.name for term in self.terms]
        if name not in names:
            msg = f"the regression has no term {name!r}: it has {', '.join(names)}"
            raise StatisticsError(msg)
        return names.index(name)

    def term(self, name: str) -> Term:
        """The term of a name; :class:`StatisticsError` where there is none."""
        return self.terms[self.index(name)]


def ols(
    y: ArrayLike,
    x: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    names: Sequence[str],
    intercept: bool = True,
    errors: ErrorKind = "CR2",
    level: float = 0.95,
) -> Regression | Refusal:
    """Least squares with a cluster-robust covariance, CR2 unless told.

    With a 0/1 ``y`` it is the linear probability model: its coefficients are differences of shares, it has no
    separation, and its cluster-robust errors hold though the variance differs from row to row.

    Parameters
    ----------
    y
        Shape (n,), finite.
    x
        Shape (n, m), or (n,) for one column. Leave the constant out where ``intercept`` is true.
    clusters
        Shape (n,), any hashable values: rows of one value are not independent.
    names
        Of the m columns, distinct.
    intercept
        Whether to add a constant as the first term, named ``intercept``.
    errors
        ``CR2`` (Bell and McCaffrey) with Satterthwaite degrees of freedom of each term's own; or ``CR1`` with
        clusters - 1, which is what statsmodels' ``cov_type="cluster", use_t=True`` gives, and too narrow with few or
        unequal clusters.

    Returns
    -------
    Regression or Refusal
        Refused below 5 clusters, where clusters or rows are no more than terms, and where a term is a combination of
        others. Below 30 clusters the fit and every estimate are flagged. A term that one cluster settles, or in which
        no cluster differs from another, has no interval, and says so.

    Raises
    ------
    StatisticsError
        For arrays that differ in length or aren't finite.

    Notes
    -----
    ``V = (X'X)^-1 [Σ_g X_g' A_g u_g u_g' A_g X_g] (X'X)^-1`` with ``A_g = (I - X_g (X'X)^-1 X_g')^-½``; CR1 has
    ``√(G/(G-1) · (n-1)/(n-k))`` in place of every ``A_g``. Measured coverage of both below 30 clusters:
    docs/methods/regression-and-power.md.

    References
    ----------
    Liang and Zeger (1986), doi:10.1093/biomet/73.1.13; Cameron and Miller (2015), doi:10.3368/jhr.50.2.317; for CR2
    Pustejovsky and Tipton (2018), doi:10.1080/07350015.2016.1247004.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=200)
    >>> fit = ols(1 + 2 * x + rng.normal(size=200), x, np.arange(200) // 4, names=["x"])
    >>> [(term.name, round(term.estimate.value, 1)) for term in fit.terms]
    [('intercept', 0.9), ('x', 1.9)]
    """
    check_level(level)
    outcome = as_numbers("y", y)
    design = design_matrix(x, clusters, names=names, intercept=intercept)
    if isinstance(design, Refusal):
        return design
    check_same_length(y=outcome, x=design.columns)
    columns = design.columns
    scaled = np.linalg.solve(columns.T @ columns, columns.T @ outcome).astype(np.float64)
    residuals = outcome - columns @ scaled
    spread = float(np.abs(outcome).max(initial=0.0))
    residuals[np.abs(residuals) <= 1e-12 * spread] = 0.0
    ones = np.ones(design.n)
    return _finished(
        design, scaled, residuals=residuals, weights=ones, errors=errors, level=level, kind="least squares"
    )


def logit(
    y: ArrayLike,
    x: ArrayLike,
    clusters: Sequence[Any] | NDArray[Any],
    *,
    names: Sequence[str],
    intercept: bool = True,
    errors: ErrorKind = "CR2",
    level: float = 0.95,
) -> Regression | Refusal:
    """Logistic regression by maximum likelihood, with a cluster-robust covariance, CR2 unless told.

    Parameters
    ----------
    y
        Shape (n,), 0 or 1.
    x, clusters, names, intercept, errors, level
        As in :func:`ols`.

    Returns
    -------
    Regression or Refusal
        Coefficients are log odds ratios. Refused as :func:`ols` is, and where ``y`` is all 0 or all 1, or separated:
        the terms that separate it, completely or for some rows only, are named, for their coefficients are infinite.

    Notes
    -----
    With CR1 it agrees with statsmodels' ``Logit.fit(cov_type="cluster", use_t=True)``. Separation is decided exactly,
    by a linear programme, wherever a fitted probability comes near 0 or 1.

    References
    ----------
    Albert and Anderson (1984), doi:10.1093/biomet/71.1.1; Konis (2007), Linear programming algorithms for detecting
    separated data in binary logistic regression models, Oxford.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=400)
    >>> fit = logit(rng.random(400) < 1 / (1 + np.exp(-x)), x, np.arange(400) // 4, names=["x"])
    >>> 0.7 < fit.term("x").estimate.value < 1.3
    True
    >>> logit(x > 0, x, np.arange(400) // 4, names=["x"]).reason
    'x separates the outcomes completely: its coefficient is infinite'
    """
    check_level(level)
    outcome = as_labels("y", y).astype(np.float64)
    design = design_matrix(x, clusters, names=names, intercept=intercept)
    if isinstance(design, Refusal):
        return design
    check_same_length(y=outcome, x=design.columns)
    fit = fit_logit(outcome, design)
    if isinstance(fit, Refusal):
        return fit
    return _finished(
        design,
        fit.coefficients,
        residuals=outcome - fit.probability,
        weights=fit.probability * (1 - fit.probability),
        errors=errors,
        level=level,
        kind="logistic",
    )


def _finished(
    design: DesignMatrix,
    scaled: FloatArray,
    *,
    residuals: FloatArray,
    weights: FloatArray,
    errors: ErrorKind,
    level: float,
    kind: str,
) -> Regression:
    robust = robust_covariance(design, residuals=residuals, weights=weights, errors=errors)
    coefficients = design.back @ scaled
    standard = np.where(robust.flat, 0.0, np.sqrt(np.diag(robust.covariance)))
    shape = _Shape(n=design.n, clusters=design.clusters, errors=errors, level=level)
    return Regression(
        terms=tuple(
            _term(name, shape, value=value, error=error, df=df, effective=effective)
            for name, value, error, df, effective in zip(
                design.names,
                coefficients.tolist(),
                standard.tolist(),
                robust.df.tolist(),
                robust.effective.tolist(),
                strict=True,
            )
        ),
        covariance=robust.covariance,
        n=design.n,
        clusters=design.clusters,
        level=level,
        method=f"{kind}, cluster-robust ({errors}) over {design.clusters} clusters",
        flags=cluster_flags(design.clusters),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """What all terms of a fit share."""

    n: int
    clusters: int
    errors: ErrorKind
    level: float


def _term(name: str, shape: _Shape, *, value: float, error: float, df: float, effective: float) -> Term:
    flags = cluster_flags(shape.clusters)
    untested = ONE_CLUSTER if effective < _FEWEST_EFFECTIVE else NO_CLUSTER_DIFFERS if error == 0 else None
    interval: Interval | None = None
    if untested is not None:
        flags += (untested,)
        test = TestResult(name=f"cluster-robust t test of {name}", p_value=1.0, log10_p=0.0, n=shape.n, caveat=untested)
    else:
        half = student_quantile(shape.level, df) * error
        text = f"cluster-robust ({shape.errors}), t with {df:.4g} df"
        interval = Interval(low=value - half, high=value + half, level=shape.level, method=text)
        few = f"{df:.1f} degrees of freedom: few clusters inform {name}" if df < FEWEST_DF else None
        test = _test(name, value / error, df=df, n=shape.n, caveat=few)
        if few is not None:
            flags += (few,)
    return Term(
        name=name,
        estimate=Estimate(value=value, interval=interval, n=shape.n, clusters=shape.clusters, flags=flags),
        test=test,
        standard_error=error,
        df=df,
        effective_clusters=effective,
    )


def _test(name: str, statistic: float, *, df: float, n: int, caveat: str | None) -> TestResult:
    log_p = _log_student_tail(statistic, df)
    return TestResult(
        name=f"cluster-robust t test of {name}, {df:.4g} df",
        p_value=float(np.exp(log_p)),
        log10_p=log_p / log(10),
        n=n,
        statistic=statistic,
        caveat=caveat,
    )


def _log_student_tail(t: float, df: float) -> float:
    """Natural logarithm of the two-sided p-value of t, also where it underflows."""
    from scipy.special import betainc, betaln

    x = df / (df + t * t)
    p = float(betainc(df / 2, 0.5, x))
    if p > 1e-290:
        return log(p)
    # The first term of the incomplete beta function's series; the rest is x * O(1).
    return float(df / 2 * np.log(x) - log(df / 2) - betaln(df / 2, 0.5))
