"""Parameters that stand in a judge's spec, such as ``simulated:position=0.5``: each told where it is defined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, TypeVar

__all__ = ["Parameter", "parameter", "parameters_of"]

T = TypeVar("T")

_ABOUT, _UNSET = "about", "unset"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a spec.

    Attributes
    ----------
    kind
        ``int``, ``float`` or ``str``.
    default
        What holds where it isn't given; None where ``unset`` says it in words.
    help
        What it does, in one line, for ``evenhand judges``.
    unset
        What holds where it isn't given and is no value of its own; empty for a plain default.
    """

    kind: type[int] | type[float] | type[str]
    default: float | str | None
    help: str
    unset: str = ""

    @property
    def default_text(self) -> str:
        """The default in words; ``none`` for an empty text."""
        return self.unset or (f"{self.default:g}" if isinstance(self.default, int | float) else self.default or "none")


def parameter(default: T, about: str, *, unset: str = "") -> T:
    """A dataclass's field that says what it is about.

    Parameters
    ----------
    default
        What holds where it isn't given.
    about
        One line, as ``evenhand judges`` lists it.
    unset
        What holds where ``default`` is None.

    Examples
    --------
    >>> @dataclass(frozen=True)
    ... class Lean:
    ...     position: float = parameter(0.0, "bias toward the first slot")
    >>> Lean(), parameters_of(Lean)["position"].help
    (Lean(position=0.0), 'bias toward the first slot')
    """
    made: T = field(default=default, metadata={_ABOUT: about, _UNSET: unset})
    return made


def parameters_of(*classes: type[Any]) -> Mapping[str, Parameter]:
    """The parameters of dataclasses whose fields were made by :func:`parameter`, in their order.

    Raises
    ------
    KeyError
        A field says nothing of itself.
    """
    return MappingProxyType(
        {
            each.name: _parameter(each.default, about=each.metadata[_ABOUT], unset=each.metadata[_UNSET])
            for one in classes
            for each in fields(one)
        }
    )


def _parameter(default: Any, *, about: str, unset: str) -> Parameter:  # noqa: ANN401 - a field's
    """What is unset by default is a number."""
    kind = str if isinstance(default, str) else int if isinstance(default, int) else float
    return Parameter(kind=kind, default=default, help=about, unset=unset)
