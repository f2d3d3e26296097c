"""The side of a pair that a change is made to, and the rules that rewrite one response and nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass, replace

from evenhand.errors import ConfigError
from evenhand.perturbations.base import Level, NotApplicable, Place
from evenhand.records import Change, Pair, Preference

__all__ = ["ResponseRule", "check_change", "response_of", "with_response"]


def response_of(pair: Pair, target: Preference) -> str:
    """The response that a target names.

    Raises
    ------
    ConfigError
        The target is a tie.
    """
    match target:
        case Preference.A:
            return pair.response_a
        case Preference.B:
            return pair.response_b
        case _:
            raise ConfigError(f"target is {str(target)!r}, expected A or B: a change is made to one response")


def with_response(pair: Pair, target: Preference, text: str) -> Pair:
    """The pair with another text for the response that a target names; everything else stays.

    Raises
    ------
    ConfigError
        The target is a tie.
    """
    response_of(pair, target)
    return replace(pair, response_a=text) if target is Preference.A else replace(pair, response_b=text)


def check_change(change: Change, *, factor: str, levels: tuple[Level, ...]) -> Level:
    """The level that a change names.

    Raises
    ------
    ConfigError
        It names another factor, an unknown level, or a tie as its target.
    """
    if change.factor != factor:
        raise ConfigError(f"change {change.name} was given to factor {factor!r}")
    if change.target not in (Preference.A, Preference.B):
        raise ConfigError(f"change {change.name}: the target must be A or B")
    for level in levels:
        if level.name == change.level:
            return level
    names = [level.name for level in levels]
    close = difflib.get_close_matches(change.level[:80], names, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    raise ConfigError(f"factor {factor!r} has no level {change.level[:80]!r}{hint} (known: {', '.join(names)})")


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseRule:
    """A perturbation that rewrites the target response by a rule and leaves all else alone.

    Attributes
    ----------
    factor, levels
        See :class:`~evenhand.perturbations.base.Perturbation`.
    rewrite
        From the response and the level's name to the changed response, or why there is none. Deterministic. It is
        never given a blank response, nor a level whose rewrites the user supplies.
    """

    factor: str
    levels: tuple[Level, ...]
    rewrite: Callable[[str, str], str | NotApplicable]

    def apply(self, pair: Pair, change: Change, place: Place) -> Pair | NotApplicable:  # noqa: ARG002 - the contract
        """The pair with the target response rewritten.

        Raises
        ------
        ConfigError
            A level that it doesn't have, or a tie as target.
        """
        level = check_change(change, factor=self.factor, levels=self.levels)
        before = response_of(pair, change.target)
        if not level.exact:
            return NotApplicable(reason="no rule makes this change, and no rewrite was supplied")
        if not before.strip():
            return NotApplicable(reason="the response is empty")
        after = self.rewrite(before, level.name)
        if isinstance(after, NotApplicable):
            return after
        if after == before:
            return NotApplicable(reason="the response already has this form")
        return with_response(pair, change.target, after)
