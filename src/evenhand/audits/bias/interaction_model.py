"""The logistic model of the factorial design: what each bias adds to the log-odds, and what they add together.

Every term is odd: exchanging the names A and B turns its sign, and that of the log-odds with it. With the intercept,
which is how much better A happens to be, the nine odd terms say everything that such a design can say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log, log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Measure
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.factorial import FAVOURS, SLOT, Factorial
from evenhand.stats import Refusal, TestResult
from evenhand.stats.regression import Regression, logit

__all__ = ["INTERACTIONS", "MAIN", "fit_interactions", "interaction_measures", "joint_test"]

MAIN: Final = ("logit_slot", "logit_length", "logit_endorsement")
INTERACTIONS: Final = (
    "logit_slot_given_length",
    "logit_slot_given_endorsement",
    "logit_length_given_endorsement",
    "logit_endorsement_given_length",
    "logit_three_way",
    "logit_slot_given_both",
)
"""s l², s e², l e², e l², s l e, s l² e²; with s, l, e = +1 where A is favoured and -1 where B is."""

_NO_VERDICT: Final = "needs decided verdicts in the cells of the design, has none"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """One row a decided presentation: whether A was preferred, the terms, and the pair's index in the table."""

    preferred: NDArray[np.bool_]
    terms: NDArray[np.float64]
    pairs: NDArray[np.int64]


def fit_interactions(made: Factorial, sampler: Sampler) -> Regression | Refusal:
    """Fit the decided verdicts of all cells, with cluster-robust errors."""
    rows = _rows(made)
    if not rows.pairs.size:
        return Refusal(reason=_NO_VERDICT)
    return logit(
        rows.preferred, rows.terms, sampler.clusters[rows.pairs], names=(*MAIN, *INTERACTIONS), level=sampler.level
    )


def interaction_measures(fit: Regression | Refusal) -> Iterator[Measure]:
    """Each coefficient, or why there is none."""
    for name in (*MAIN, *INTERACTIONS):
        yield Measure(name=name, estimate=fit if isinstance(fit, Refusal) else fit.term(name).estimate)


def joint_test(fit: Regression | Refusal) -> tuple[TestResult, ...]:
    """Wald's test that every interaction is 0; nothing where there is no fit or a coefficient without an error.

    Notes
    -----
    With W the Wald statistic of q coefficients from G clusters, ``W (G - q) / (q (G - 1))`` is compared with F of q and
    G - q degrees of freedom, as Hotelling's T² is: a chi-squared reference rejects too often with few clusters.
    """
    if isinstance(fit, Refusal) or fit.clusters <= 2 * len(INTERACTIONS):
        return ()
    at = [fit.index(name) for name in INTERACTIONS]
    covariance = fit.covariance[np.ix_(at, at)]
    coefficients = fit.coefficients[at]
    if not np.isfinite(covariance).all() or np.linalg.matrix_rank(covariance, hermitian=True) < len(at):
        return ()
    from scipy.stats import f as f_distribution

    q, clusters = len(at), fit.clusters
    wald = float(coefficients @ np.linalg.solve(covariance, coefficients))
    statistic = wald * (clusters - q) / (q * (clusters - 1))
    log10_p = float(f_distribution.logsf(statistic, q, clusters - q)) / log(10)
    return (
        TestResult(
            name=f"cluster-robust Wald test of the {q} interactions together, F with {q} and {clusters - q} df",
            p_value=10**log10_p if log10_p > log10(np.finfo(float).tiny) else 0.0,
            log10_p=log10_p,
            n=clusters,
            statistic=statistic,
        ),
    )


def _rows(made: Factorial) -> _Rows:
    decided = made.verdict & (made.stood != 0)
    pair, i, j, order = np.nonzero(decided)
    favours = np.array(FAVOURS, dtype=np.float64)
    s, le, e = SLOT[order].astype(np.float64), favours[i], favours[j]
    terms = (s, le, e, s * le**2, s * e**2, le * e**2, e * le**2, s * le * e, s * le**2 * e**2)
    return _Rows(preferred=made.stood[decided] > 0, terms=np.column_stack(terms), pairs=made.pairs[pair])
