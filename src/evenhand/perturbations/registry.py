"""Every perturbation by the name of its factor."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from evenhand.perturbations.authority import AUTHORITY
from evenhand.perturbations.base import Perturbation
from evenhand.perturbations.endorsement import ENDORSEMENT
from evenhand.perturbations.format import FORMAT
from evenhand.perturbations.injection import INJECTION
from evenhand.perturbations.padding import PADDING
from evenhand.perturbations.recency import RECENCY
from evenhand.perturbations.register import REGISTER
from evenhand.perturbations.tone import TONE

__all__ = ["perturbations"]

_ALL: Final[Mapping[str, Perturbation]] = MappingProxyType(
    {one.factor: one for one in (PADDING, ENDORSEMENT, AUTHORITY, INJECTION, TONE, FORMAT, REGISTER, RECENCY)}
)


def perturbations() -> Mapping[str, Perturbation]:
    """Factor to perturbation.

    Examples
    --------
    >>> [level.name for level in perturbations()["endorsement"].levels]
    ['user', 'expert', 'majority']
    """
    return _ALL
