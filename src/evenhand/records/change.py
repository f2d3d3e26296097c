"""A controlled change: what a bias audit does to a pair before the judge sees it."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.records.outcome import Preference

__all__ = ["Change"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, in favour of (or made to) one of the two responses, whatever slot it is shown in.

    Attributes
    ----------
    factor
        What is changed, such as ``padding`` or ``endorsement``: a name of :mod:`evenhand.perturbations`.
    level
        How, such as ``redundant`` or ``expert``.
    target
        The response that is changed or endorsed: A or B, never a tie.

    Examples
    --------
    >>> Change(factor="endorsement", level="user", target=Preference.B).name
    'endorsement=user:B'
    """

    factor: str
    level: str
    target: Preference

    @property
    def name(self) -> str:
        """``FACTOR=LEVEL:TARGET``, as it stands in a condition's id."""
        return f"{self.factor}={self.level}:{self.target}"
