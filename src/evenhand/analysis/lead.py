"""Led with one slot and concluded with the other: the one definition, for figures, the pair browser, pairs to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import FIRST, SECOND, Booleans
from evenhand.records import Readout

__all__ = ["CONCLUDING", "Conclusions", "conclusions"]

CONCLUDING: Final = Readout.GENERATED
"""The readout that has a conclusion beside its lead. Any other is read at one position, is held to a label, is made of
two readouts, or comes from a log without its tokens."""

Numbers: TypeAlias = NDArray[np.signedinteger[Any]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Conclusions:
    """Of each presentation, in the shape that was given.

    Attributes
    ----------
    slots
        Led with a slot's label, compliantly, and concluded with a slot: only of these can one ask whether they turned.
        Who led with the tie label named no response to turn from.
    turned
        Of these, concluded with the other slot than they led with.
    """

    slots: Booleans
    turned: Booleans


def conclusions(outcome: Numbers, lead: Numbers, compliant: Numbers) -> Conclusions:
    """Tell what presentations of the :data:`CONCLUDING` readout led with from what they concluded.

    Parameters
    ----------
    outcome, lead
        Codes of :data:`evenhand.analysis.scope.OUTCOMES`; any other number stands for none. All three of one shape.
    compliant
        1 for yes; any other number for no, or not known.

    Examples
    --------
    The third led with the tie label, the fourth with no label, the fifth concluded with a tie.

    >>> found = conclusions(np.array([1, 0, 0, 1, 2]), np.array([0, 0, 2, -1, 0]), np.array([1, 1, 1, 0, 1]))
    >>> found.slots.tolist()
    [True, True, False, False, False]
    >>> found.turned.tolist()
    [True, False, False, False, False]
    """
    led = (compliant == 1) & ((lead == FIRST) | (lead == SECOND))
    slots = np.asarray(led & ((outcome == FIRST) | (outcome == SECOND)), dtype=np.bool_)
    return Conclusions(slots=slots, turned=np.asarray(slots & (lead != outcome), dtype=np.bool_))
