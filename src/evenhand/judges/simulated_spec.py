"""What stands behind ``simulated:``: the parameters of the judge made of a formula, listed and read."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from evenhand.errors import ConfigError
from evenhand.judges.parameters import Parameter, parameter, parameters_of
from evenhand.judges.simulated_biases import BiasStrengths
from evenhand.judges.simulated_truth import AuditParameters

__all__ = ["PARAMETERS", "SimulatedSpec", "read_simulated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Whole:
    """What is neither the formula's nor a bias's."""

    seed: int = parameter(0, "another seed is another judge of the same kind")
    context: int = parameter(32_768, "tokens that prompt and answer may have together; beyond that a request fails")


PARAMETERS: Mapping[str, Parameter] = MappingProxyType(
    {**parameters_of(AuditParameters), **parameters_of(BiasStrengths), **parameters_of(_Whole)}
)
"""What a spec may set, in the order of the formula."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedSpec:
    """A spec as it was read."""

    parameters: AuditParameters
    biases: BiasStrengths
    seed: int
    context: int


def read_simulated(rest: str, *, spec: str) -> SimulatedSpec:
    """Read ``fair`` (all defaults) or ``NAME=VALUE,…`` with the names of :data:`PARAMETERS`.

    Raises
    ------
    ConfigError
        An unknown name, a value that is no number, or parameters that can't be.

    Examples
    --------
    >>> read_simulated("position=0.5,seed=3", spec="simulated:position=0.5,seed=3").seed
    3
    """
    given: dict[str, Any] = {}
    for part in [] if rest == "fair" else rest.split(","):
        name, equals, value = (text.strip() for text in part.partition("="))
        known = PARAMETERS.get(name)
        if not equals or known is None:
            close = difflib.get_close_matches(name, PARAMETERS, n=1)
            hint = f"; was {close[0]!r} meant?" if close and known is None else ""
            raise ConfigError(
                f"judge {spec!r}: {part!r} is not NAME=VALUE with one of {', '.join(sorted(PARAMETERS))}{hint} "
                "(evenhand judges simulated says what each is)"
            )
        given[name] = _value(name, value, known.kind, spec=spec)

    def of(cls: type[Any]) -> dict[str, Any]:
        return {each.name: given[each.name] for each in fields(cls) if each.name in given}

    whole = _Whole(**of(_Whole))
    return SimulatedSpec(
        parameters=AuditParameters(**of(AuditParameters)),
        biases=BiasStrengths(**of(BiasStrengths)),
        seed=whole.seed,
        context=whole.context,
    )


def _value(name: str, text: str, kind: type[int] | type[float] | type[str], *, spec: str) -> float | int | str:
    try:
        value = kind(text)
    except ValueError as error:
        raise ConfigError(f"judge {spec!r}: {name} is {text!r}, expected a number") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"judge {spec!r}: {name} is {text!r}, expected a finite number")
    return value
