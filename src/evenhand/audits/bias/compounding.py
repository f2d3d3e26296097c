"""What everything in favour of one response does beyond the sum of what each thing does by itself; no model assumed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Measure
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.factorial import Factorial
from evenhand.stats import TestResult, sign_flip_test

__all__ = ["SHIFTS", "complete_pairs", "excess_log_odds", "excess_test", "share_shifts"]

SHIFTS: Final = ("joint_shift", "slot_shift", "length_shift", "endorsement_shift", "excess_shift")
_NOTHING: Final = (
    "needs a pair with a verdict in both orders without any change, under each change alone for A and for B, and with "
    "everything in favour of A and of B, has none"
)
_A, _NONE, _B = 2, 1, 0
"""Index of a response on the axes of the design."""
_AB, _BA = 0, 1


def complete_pairs(made: Factorial) -> NDArray[np.bool_]:
    """Pairs with a verdict in each of the twelve presentations that the shifts compare, shape (pairs,)."""
    return np.asarray(_needed(made.verdict).all(axis=1), dtype=np.bool_)


def share_shifts(made: Factorial, sampler: Sampler) -> Iterator[Measure]:
    """The shifts of the favoured response's share; the favoured one is A and B in turn, so that ``parts`` is halved.

    A standing of -1 to 1 has twice the width of a share: that halves it once more.
    """
    complete = complete_pairs(made)
    parts = _parts(made.stood[complete].astype(np.float64)) / 4
    columns = [*parts.T, parts[:, 0] - parts[:, 1:].sum(axis=1)]
    for name, values in zip(SHIFTS, columns, strict=True):
        limit = 0.5 if name != "excess_shift" else 2.0
        yield sampler.mean(name, values, pairs=made.pairs[complete], nothing=_NOTHING, limits=(-limit, limit))


def excess_log_odds(made: Factorial, sampler: Sampler) -> Measure:
    """The same excess of the log-odds for the favoured response, on pairs with log-odds in all twelve presentations."""
    known = _needed(np.isfinite(made.log_odds)).all(axis=1)
    parts = _parts(made.log_odds[known]) / 2
    return sampler.mean(
        "excess_log_odds",
        parts[:, 0] - parts[:, 1:].sum(axis=1),
        pairs=made.pairs[known],
        nothing=_NOTHING.replace("a verdict", "log-odds"),
    )


def excess_test(made: Factorial, sampler: Sampler) -> tuple[TestResult, ...]:
    """Exchange the signs of whole clusters' excess; nothing where no pair has any.

    Notes
    -----
    Exact where neither length nor endorsement matters, however much position does: then the verdicts that are compared
    are exchangeable, and a cluster's excess is as likely to have the one sign as the other. Else an excess of 0 on
    average need not be symmetric, and the test holds for many clusters. Measured: docs/methods/interaction.md.
    """
    complete = complete_pairs(made)
    # Doubled, so that it is in whole numbers.
    parts = np.rint(2 * _parts(made.stood[complete].astype(np.float64)))
    excess = parts[:, 0] - parts[:, 1:].sum(axis=1)
    if not excess.any():
        return ()
    test = sign_flip_test(excess, sampler.clusters[made.pairs[complete]], rng=sampler.stream("excess signs"))
    return (replace(test, name=f"{test.name}, excess of the joint shift over the sum of the separate ones"),)


def _parts(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Joint, slot, length and endorsement: favouring A minus favouring B; shape (pairs, 4).

    Parameters
    ----------
    values
        Shape (pairs, 3, 3, 2), of A over B. Length and endorsement alone are averaged over the two orders.
    """
    return np.column_stack(
        [
            values[:, _A, _A, _AB] - values[:, _B, _B, _BA],
            values[:, _NONE, _NONE, _AB] - values[:, _NONE, _NONE, _BA],
            (values[:, _A, _NONE] - values[:, _B, _NONE]).mean(axis=1),
            (values[:, _NONE, _A] - values[:, _NONE, _B]).mean(axis=1),
        ]
    )


def _needed(known: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each presentation that :func:`_parts` takes is known; shape (pairs, 12)."""
    alone = [known[:, i, j] for i, j in ((_NONE, _NONE), (_A, _NONE), (_B, _NONE), (_NONE, _A), (_NONE, _B))]
    return np.column_stack([known[:, _A, _A, _AB], known[:, _B, _B, _BA], *alone])
