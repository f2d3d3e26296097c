"""The axes along which a prompt's design is varied, each with its levels, its baseline and its source."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from evenhand.errors import ConfigError
from evenhand.records import LabelSet

__all__ = ["AXES", "Axis", "Level", "parse_axes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One way of designing a prompt along an axis; ``meaning`` says what it is in a few words."""

    name: str
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One thing that prompts differ in.

    Attributes
    ----------
    levels
        The baseline comes first; all the others are compared with it.
    source
        Why one might expect it to matter.
    """

    name: str
    levels: tuple[Level, ...]
    source: str

    @property
    def baseline(self) -> str:
        """The name of the level that the others are compared with."""
        return self.levels[0].name

    @property
    def names(self) -> tuple[str, ...]:
        """The levels' names."""
        return tuple(level.name for level in self.levels)


_CAUSES: Final = "[C] 'Position Bias in LLM Judges: Measurement and Mitigation', causes in the prompt"


def _axis(name: str, source: str, **levels: str) -> Axis:
    return _axis_of(name, source, levels)


def _axis_of(name: str, source: str, levels: Mapping[str, str]) -> Axis:
    made = tuple(Level(name=level, meaning=meaning) for level, meaning in levels.items())
    return Axis(name=name, levels=made, source=source)


_LABELS: Final = _axis_of(
    "labels",
    f"[F] 'The First Token Is Not the Verdict' (2026): other labels alone moved one judge's compliance from .506 to "
    f".676; {_CAUSES}: ordinal labels",
    {
        "A/B": "letters that count",
        "X/Y": "letters that seldom grade anything",
        "1/2": "digits",
        "J/V": (
            "a neutral code: single ASCII letters are one token in every common vocabulary; these two are neither "
            "neighbours nor grades (A-F, S) nor initials of yes, no, true, false, pass, win, lose, left, right or first"
        ),
        "Red/Blue": "colours: words that have no order, one token each in common vocabularies",
    },
)

AXES: Final[Mapping[str, Axis]] = MappingProxyType(
    {
        axis.name: axis
        for axis in (
            _LABELS,
            _axis(
                "framing",
                f"{_CAUSES}: unequal framing and ordinal words",
                neutral="Response A, Response B",
                ordinal="the first response, the second response",
            ),
            _axis(
                "criteria",
                f"{_CAUSES}: criteria before or after the responses",
                before="the criteria stand before instruction and responses",
                after="the criteria stand after them",
                none="no criteria are given",
            ),
            _axis(
                "separators",
                f"{_CAUSES}: how the parts are set off",
                brackets="[RESPONSE A] … [END OF RESPONSE A]",
                tags='<response label="A"> … </response>',
                headings="## Response A: … and a rule below",
            ),
            _axis(
                "distance",
                f"{_CAUSES}: the distance between the responses",
                adjacent="the second response follows the first",
                far="a passage of about eighty words, which says nothing of either, stands between them",
            ),
            _axis(
                "system",
                "common practice: the role stands in a system message",
                none="no system message",
                role="a system message gives the judge its role",
            ),
        )
    }
)
"""Every axis by its name. On ``labels`` any other label set is a level too."""


def parse_axes(text: str) -> tuple[Axis, ...]:
    """Read ``labels,criteria`` or, with chosen levels, ``labels=A/B|1/2,criteria=before|none``.

    Chosen levels keep the order in which they are written, except that the axis' own baseline, where it is among them,
    comes first. On ``labels`` any label set may be written.

    Raises
    ------
    ConfigError
        An unknown axis or level, one named twice, or an axis with fewer than two levels.

    Examples
    --------
    >>> [(axis.name, axis.names) for axis in parse_axes("labels=1/2|A/B,framing")]
    [('labels', ('A/B', '1/2')), ('framing', ('neutral', 'ordinal'))]
    """
    axes = tuple(_parse_axis(part.strip()) for part in text.split(","))
    names = [axis.name for axis in axes]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"axis {name!r} is named twice")
    return axes


def _parse_axis(text: str) -> Axis:
    name, chosen, levels = text.partition("=")
    axis = AXES.get(name.strip())
    if axis is None:
        close = difflib.get_close_matches(name.strip(), AXES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(f"unknown axis {name.strip()!r}{hint} (known: {', '.join(AXES)})")
    return _narrowed(axis, [level.strip() for level in levels.split("|")]) if chosen else axis


def _narrowed(axis: Axis, names: list[str]) -> Axis:
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ConfigError(f"axis {axis.name!r}: level {twice!r} is named twice")
    if len(names) < 2:
        raise ConfigError(f"axis {axis.name!r}: at least two levels are needed to compare, got {names[0]!r} alone")
    levels = [_level(axis, name) for name in names]
    levels.sort(key=lambda level: level.name != axis.baseline)
    return replace(axis, levels=tuple(levels))


def _level(axis: Axis, name: str) -> Level:
    known = next((level for level in axis.levels if level.name == name), None)
    if known is not None:
        return known
    if axis.name != "labels":
        raise ConfigError(f"axis {axis.name!r}: unknown level {name!r} (known: {', '.join(axis.names)})")
    labels = LabelSet.parse(name)
    if labels.tie is not None:
        raise ConfigError(f"axis 'labels': {name!r} has a label for a tie, designed prompts ask for one of two labels")
    return Level(name=labels.name, meaning="labels of your own")
