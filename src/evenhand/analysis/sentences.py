"""The sentences that stand beside figures: what was left out, and what can't be claimed.

Beginnings by which a report knows a sentence again stand here too, so that they are written and recognised by one text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from evenhand.analysis.scope import ABSENT, OUTCOMES, Booleans, Codes, Scope

__all__ = [
    "AGAINST_BASELINE",
    "ASKED_AGAIN",
    "COMPLIANCE_IS_OF",
    "EXCLUDED_FROM_BOTH",
    "MOVERS",
    "NOISE_NOT_MEASURED",
    "NOTHING_MOVES",
    "NO_SLOTS",
    "SAME_PAIRS",
    "SAMPLED",
    "SINGLE_ORDER",
    "SWAPPED_SELECTIVELY",
    "excluded_states",
    "in_figures",
    "listed",
    "of",
    "of_strata",
    "unknown_compliance",
]

NO_SLOTS = "each response was judged by itself: none stood first, and the order that is written says nothing"
"""Why a log that was graded response by response has no figure on slots; a report knows such a log by it."""
SINGLE_ORDER = "One order only: no position figure can be claimed."
NOISE_NOT_MEASURED = (
    "No presentation was repeated in its own order: noise was not measured, and the flip rate includes it."
)

SAMPLED = (
    "Text was asked for of a random sample of the pairs: these figures describe the sample, in which small strata of "
    "compliance are drawn more often; for all pairs see the prediction-powered estimates."
)
SWAPPED_SELECTIVELY = (
    "Order BA was asked where a flip was likely, and of a random floor: these figures are of order AB alone, asked of "
    "every pair; for both orders see the selective estimates."
)

ASKED_AGAIN = "Asked again in the same order, "
"""Begins the repeat control's figures in words."""
SAME_PAIRS = "On the same pairs: "
"""Begins two readouts' flips, counted on the same pairs."""
AGAINST_BASELINE = "Against the baseline "
"""Begins what a level of a design is compared with."""
COMPLIANCE_IS_OF = "Compliance belongs to the presentation: "
"""Begins why a design's compliance is not tested under another readout again."""
MOVERS = "Levels that move "
"""Begins the levels of a design that are shown to move something, with their differences."""
NOTHING_MOVES = "No level is shown to move "
"""Begins that none is."""
EXCLUDED_FROM_BOTH = "Excluded from both readouts: "
"""Begins how many pairs two readouts leave out, of all and of each stratum of compliance."""

_IN_FIGURES = (ASKED_AGAIN, SAME_PAIRS, AGAINST_BASELINE, COMPLIANCE_IS_OF, MOVERS, NOTHING_MOVES)
_NOTHING_LEFT_OUT = re.compile(
    r".{0,60}?: over ([0-9,]+) of \1 pairs|(?:Over|.{1,20}:) ([0-9,]+) of \2 (?:matched cells|rows)"
)


def in_figures(note: str) -> bool:
    """Whether a report's tables say the same in figures, or the note says that nothing was left out.

    Examples
    --------
    >>> in_figures("Over 6 of 6 matched cells of the grid."), in_figures("Over 5 of 6 matched cells of the grid.")
    (True, False)
    """
    return note.startswith(_IN_FIGURES) or _NOTHING_LEFT_OUT.match(note) is not None


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


def of_strata(counts: Mapping[str, int], strata: Iterable[str], done: str) -> str:
    """``high risk 12 of 12, floor 3 of 30``, from a finding's table of strata; empty ones are left out.

    Examples
    --------
    >>> of_strata({"floor, pairs": 30, "floor, swapped": 3, "unknown, pairs": 0}, ("floor", "unknown"), "swapped")
    'floor 3 of 30'
    """
    present = [name for name in strata if counts[f"{name}, pairs"]]
    return ", ".join(f"{name} {counts[f'{name}, {done}']:,} of {counts[f'{name}, pairs']:,}" for name in present)


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
