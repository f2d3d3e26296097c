"""The logistic model of the factorial design: what each bias adds to the log-odds, and what they add together.

Every term is odd: exchanging the names A and B turns its sign, and that of the log-odds with it. How much better A is
than B differs from pair to pair and is no term: two presentations of one pair are compared with each other, so that it
cancels.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import log, log10
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Measure
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.factorial import FAVOURS, SLOT, Factorial
from evenhand.stats import Refusal, TestResult
from evenhand.stats.regression import Regression, logit

__all__ = ["INTERACTIONS", "MAIN", "fit_interactions", "informative_pairs", "interaction_measures", "joint_test"]

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

_NOTHING_TURNED: Final = "needs a pair with different preferences under different changes or orders, has none"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """Two presentations of a pair: whether the first preferred A, its terms less the second's, the pair's index."""

    preferred: NDArray[np.bool_]
    terms: NDArray[np.float64]
    pairs: NDArray[np.int64]


def fit_interactions(made: Factorial, sampler: Sampler) -> Regression | Refusal:
    """Fit the decided verdicts within each pair, with cluster-robust errors.

    Notes
    -----
    Given that one of two presentations of a pair preferred A and the other B, the chance that it was the first depends
    on the difference of their terms alone, if the pair's own log-odds are added to both. All such twos are fitted
    together as if independent (a composite likelihood); the cluster-robust errors don't take them to be. So biases that
    add up in each pair's log-odds show no interaction, however much pairs differ. A model of shares over all pairs
    would show some: a mean of logistic curves is none.

    References
    ----------
    Chamberlain (1980), doi:10.2307/2297110, for the conditional likelihood; Varin, Reid and Firth (2011), An overview
    of composite likelihood methods, Statistica Sinica 21, 5-42.
    """
    rows = _rows(made)
    if not rows.pairs.size:
        return Refusal(reason=_NOTHING_TURNED)
    return logit(
        rows.preferred,
        rows.terms,
        sampler.clusters[rows.pairs],
        names=(*MAIN, *INTERACTIONS),
        intercept=False,
        level=sampler.level,
    )


def informative_pairs(made: Factorial) -> int:
    """How many pairs the model learns from: those that were not decided alike in every presentation."""
    decided = made.verdict & (made.stood != 0)
    a, b = ((decided & (made.stood == side)).any(axis=(1, 2, 3)) for side in (1, -1))
    return int(np.count_nonzero(a & b))


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
    """Every two presentations of a pair that ended in different preferences, as the difference of their terms.

    Which of the two stands first alternates: exchanging them changes no likelihood without an intercept.
    """
    cells = made.verdict.shape[0], -1
    decided = (made.verdict & (made.stood != 0)).reshape(cells)
    preferred = (made.stood > 0).reshape(cells)
    terms = _terms()
    rows, differences, outcomes = [], [], []
    for turn, (one, other) in enumerate(combinations(range(decided.shape[1]), 2)):
        apart = np.flatnonzero(decided[:, one] & decided[:, other] & (preferred[:, one] != preferred[:, other]))
        first, second = (one, other) if turn % 2 else (other, one)
        rows.append(apart)
        differences.append(np.broadcast_to(terms[first] - terms[second], (apart.size, terms.shape[1])))
        outcomes.append(preferred[apart, first])
    return _Rows(
        preferred=np.concatenate(outcomes), terms=np.concatenate(differences), pairs=made.pairs[np.concatenate(rows)]
    )


def _terms() -> NDArray[np.float64]:
    """The nine terms of each of the 18 cells, shape (18, 9)."""
    favours = np.array(FAVOURS, dtype=np.float64)
    le, e, s = (axis.ravel() for axis in np.meshgrid(favours, favours, SLOT.astype(np.float64), indexing="ij"))
    return np.column_stack([s, le, e, s * le**2, s * e**2, le * e**2, e * le**2, s * le * e, s * le**2 * e**2])
