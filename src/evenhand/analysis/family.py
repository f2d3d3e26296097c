"""Families of tests: the same test made several times is adjusted over all of them, and says so in its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log10

from evenhand.stats import TestResult, holm

__all__ = ["FEWEST_TRIALS", "HOLM_MARK", "holm_adjusted"]

FEWEST_TRIALS = 6
"""Trials from which a two-sided exact test of a fair coin can reach p < .05 at all: 2 * 0.5**6 = .031."""

HOLM_MARK = "Holm-adjusted over"
"""In the name of every adjusted test."""


def holm_adjusted(tests: Sequence[TestResult], *, family: str) -> tuple[TestResult, ...]:
    """The same tests with Holm's step-down adjustment, in the order given.

    Parameters
    ----------
    family
        What the tests are, in the plural: ``contrasts of conditions``.

    Notes
    -----
    Where a p-value underflows to 0, its adjusted logarithm is bounded by Bonferroni's, which is never smaller.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scand. J. Stat. 6, 65-70.

    Examples
    --------
    >>> tests = [TestResult(name="exact binomial", p_value=p, log10_p=log10(p), n=9) for p in (0.01, 0.04)]
    >>> [round(t.p_value, 3) for t in holm_adjusted(tests, family="readouts")]
    [0.02, 0.04]
    """
    if not tests:
        return ()
    size = len(tests)
    over = f"1 test of {family}" if size == 1 else f"{size} {family}"
    return tuple(
        replace(
            test,
            name=f"{test.name}, {HOLM_MARK} {over}",
            p_value=float(p),
            log10_p=log10(p) if p > 0 else min(0.0, test.log10_p + log10(size)),
        )
        for test, p in zip(tests, holm([test.p_value for test in tests]).p_values, strict=True)
    )
