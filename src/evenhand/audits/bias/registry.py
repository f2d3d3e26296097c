"""The bias audits by name, each loaded when it is first asked for; a package elsewhere can add to them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Final

from evenhand.audits.bias.base import BiasAudit
from evenhand.errors import ConfigError

__all__ = ["ALL", "BIAS_AUDITS", "ENTRY_POINTS", "OBSERVED", "SELF_PREFERENCE", "bias_names"]

ALL = "all"
"""Stands for every audit, in place of a name."""

OBSERVED: Final = ("verbosity", "rationale")
"""Audits that have something to say of verdicts as they are: of any run, whatever it was made for."""

SELF_PREFERENCE = "self-preference"
"""What one judge's run can't show: it is made from the runs of several, so no name of one run's audits."""

ENTRY_POINTS = "evenhand.bias_audits"
"""Entry-point group whose members, ``module:Class``, are audits of their own."""

_BUILT_IN: Final[tuple[tuple[str, str], ...]] = (
    ("verbosity", "evenhand.audits.bias.verbosity:VerbosityAudit"),
    ("sycophancy", "evenhand.audits.bias.sycophancy:SycophancyAudit"),
    ("tone", "evenhand.audits.bias.tone:ToneAudit"),
    ("formatting", "evenhand.audits.bias.formatting:FormattingAudit"),
    ("register", "evenhand.audits.bias.register:RegisterAudit"),
    ("recency", "evenhand.audits.bias.recency:RecencyAudit"),
    ("rationale", "evenhand.audits.bias.rationale:RationaleAudit"),
    ("interaction", "evenhand.audits.bias.interaction:InteractionAudit"),
)


class _Registry(Mapping[str, BiasAudit]):
    """Names to audits; iterating names imports none of them."""

    def __init__(self, built_in: Iterable[tuple[str, str]]) -> None:
        self._built_in = dict(built_in)
        self._loaded: dict[str, BiasAudit] = {}

    def __getitem__(self, name: str) -> BiasAudit:
        if name not in self._loaded:
            self._loaded[name] = _load(name, self._targets()[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._targets())

    def __len__(self) -> int:
        return len(self._targets())

    def __contains__(self, name: object) -> bool:
        return name in self._targets()

    def _targets(self) -> dict[str, str]:
        """Ours first, in the order in which they are reported; then others', sorted. Ours can't be replaced."""
        others = {point.name: point.value for point in entry_points(group=ENTRY_POINTS)}
        return {**self._built_in, **{name: others[name] for name in sorted(others) if name not in self._built_in}}


def _load(name: str, target: str) -> BiasAudit:
    module, _, attribute = target.partition(":")
    try:
        made: object = getattr(import_module(module), attribute)()
    except ImportError as error:
        raise ConfigError(f"bias audit {name!r} needs {error.name or module}, which is not installed") from error
    if not isinstance(made, BiasAudit):
        raise ConfigError(f"bias audit {name!r}: {target} is no bias audit")
    return made


BIAS_AUDITS: Mapping[str, BiasAudit] = _Registry(_BUILT_IN)
"""Every audit of one run by its name, in the order in which they are reported."""


def bias_names(names: Iterable[str]) -> tuple[str, ...]:
    """The audits named, each once and in the order in which they are reported; ``all`` stands for every one.

    Raises
    ------
    ConfigError
        A name is unknown; the message lists those that exist.

    Examples
    --------
    >>> bias_names(["tone", "verbosity", "tone"])
    ('verbosity', 'tone')
    """
    asked = set(names)
    known = tuple(BIAS_AUDITS)
    if SELF_PREFERENCE in asked:
        raise ConfigError(f"{SELF_PREFERENCE} is told from the runs of several judges: evenhand biases RUN RUN…")
    for name in sorted(asked - {*known, ALL}):
        close = difflib.get_close_matches(name, (*known, SELF_PREFERENCE), n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(
            f"unknown bias audit {name!r}{hint} (known: {', '.join(known)}, {ALL}; of several runs {SELF_PREFERENCE})"
        )
    return known if ALL in asked else tuple(name for name in known if name in asked)
