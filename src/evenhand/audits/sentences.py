"""The sentences that stand beside figures: what was left out, and what can't be claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from evenhand.audits.wide import ABSENT, OUTCOMES, Booleans, Codes, Scope

__all__ = [
    "NOISE_NOT_MEASURED",
    "SAMPLED",
    "SINGLE_ORDER",
    "excluded_states",
    "listed",
    "of",
    "unknown_compliance",
]

SINGLE_ORDER = "One order only: no position figure can be claimed."
NOISE_NOT_MEASURED = (
    "No presentation was repeated in its own order: noise was not measured, and the flip rate includes it."
)

SAMPLED = (
    "Text was asked for of a random sample of the pairs, drawn more thickly where the judge did not lead with a label: "
    "these figures describe the sample; for all pairs see the prediction-powered estimates."
)


def of(count: int, total: int, what: str) -> str:
    """``3 of 60 pairs (5.0 %)``.

    Examples
    --------
    >>> of(3, 60, "pairs")
    '3 of 60 pairs (5.0 %)'
    >>> of(0, 0, "pairs")
    '0 of 0 pairs'
    """
    share = f" ({100 * count / total:.1f} %)" if total else ""
    return f"{count:,} of {total:,} {what}{share}"


def listed(counts: Iterable[tuple[str, int]]) -> str:
    """``truncated 2, tie 1``; zero counts are left out.

    Examples
    --------
    >>> listed([("tie", 1), ("error", 0), ("not asked", 2)])
    'tie 1, not asked 2'
    """
    return ", ".join(f"{name} {count:,}" for name, count in counts if count)


def excluded_states(outcome: Codes, *, decided: Booleans) -> str:
    """How the presentations that didn't choose a slot ended, over the rows given.

    Parameters
    ----------
    outcome, decided
        Shape (pairs, 2), of the excluded pairs alone.
    """
    codes = Counter(outcome[~decided].ravel().tolist())
    named = [(str(name), codes[code]) for code, name in enumerate(OUTCOMES)]
    return listed([*named, ("not asked", codes[ABSENT])])


def unknown_compliance(scope: Scope) -> tuple[str, ...]:
    """A note where compliance is known for some presentations only."""
    unknown = int(np.count_nonzero(scope.asked & (scope.compliant == ABSENT)))
    total = int(np.count_nonzero(scope.asked))
    if unknown in (0, total):
        return ()
    return (
        f"Compliance is unknown for {of(unknown, total, 'presentations')}: no first-token distribution. "
        "They don't enter the compliance rates.",
    )
