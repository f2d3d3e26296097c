"""Tests of one yes or no under two ways on the same pairs: over clusters, and pair by pair as the paper has it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans
from evenhand.stats import TestResult, mcnemar, sign_flip_test

__all__ = ["MCNEMAR", "mcnemar_test", "signs_test"]

MCNEMAR = "exact McNemar, pairs as independent"
"""Begins the name of a test that takes the pairs of one question for independent."""


def signs_test(
    first: Booleans, second: Booleans, *, pairs: NDArray[np.int64], sampler: Sampler, what: str, stream: str
) -> tuple[TestResult, ...]:
    """Exchange the signs of whole clusters' differences; nothing where no pair differs.

    Pairs of one question need not be independent of each other. With one pair in each cluster it is the exact McNemar
    test.

    Parameters
    ----------
    first, second
        Shape (n,). A pair may stand there several times, such as once a condition.
    pairs
        Index of each in the whole table, to look its cluster up.
    what
        Ends the test's name.
    stream
        Name of the random stream, for where the test isn't exact.
    """
    apart = first != second
    if not apart.any():
        return ()
    test = sign_flip_test(
        first[apart].astype(np.int64) - second[apart], sampler.clusters[pairs[apart]], rng=sampler.stream(stream)
    )
    return (replace(test, name=f"{test.name}, {what}"),)


def mcnemar_test(b: int, c: int, *, what: str) -> tuple[TestResult, ...]:
    """Exact McNemar test of two discordant counts, with its caveat; nothing where there is no discordant pair."""
    if b + c == 0:
        return ()
    return (replace(mcnemar(b, c), name=f"{MCNEMAR}, {what}"),)
