"""Where in a judge's residual stream an activation is taken: a position in its writing, and a layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.errors import ConfigError

__all__ = ["DEPTHS", "Place", "Position", "default_layers"]

DEPTHS: Final = (0.25, 0.5, 0.75)
"""Relative depths beside the penultimate layer, from "Will the Judge Flip?" (2026)."""


class Position(StrEnum):
    """Which token's activation."""

    BEFORE_VERDICT = "before-verdict"
    """The token just before the verdict token: the one from which the verdict is chosen."""
    PROMPT_END = "prompt-end"
    """The last token of the prompt: before the judge has written anything."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Place:
    """A position and a layer.

    Attributes
    ----------
    layer
        1 to L is what block ``layer`` adds up to, 0 the embeddings, as in :class:`evenhand.judges.hf.capture.Captured`.

    Examples
    --------
    >>> Place.parse("prompt-end@14") == Place(position=Position.PROMPT_END, layer=14)
    True
    >>> Place(position=Position.BEFORE_VERDICT, layer=7).name
    'before-verdict@7'
    """

    position: Position
    layer: int

    @property
    def name(self) -> str:
        """The form that :meth:`parse` reads."""
        return f"{self.position}@{self.layer}"

    @classmethod
    def parse(cls, text: str) -> Place:
        """Read ``before-verdict@21``.

        Raises
        ------
        ConfigError
            Another form, an unknown position or a negative layer.
        """
        position, at, layer = text.partition("@")
        if not at or position not in set(Position) or not layer.isascii() or not layer.isdigit():
            raise ConfigError(f"place {text!r}: expected POSITION@LAYER, such as {Position.BEFORE_VERDICT}@21")
        return cls(position=Position(position), layer=int(layer))


def default_layers(blocks: int) -> tuple[int, ...]:
    """Layers at 25, 50 and 75 % of the depth (rounded half up) and the penultimate one, ascending, each once.

    Parameters
    ----------
    blocks
        How many blocks the model has: L. The penultimate layer is L - 1: ``hidden_states[L - 1]`` of transformers.

    Examples
    --------
    >>> default_layers(28), default_layers(30), default_layers(2)
    ((7, 14, 21, 27), (8, 15, 23, 29), (1, 2))
    """
    if blocks < 1:
        raise ConfigError(f"a model of {blocks} blocks has no layers to take activations from")
    return _ascending([*(int(depth * blocks + 0.5) for depth in DEPTHS), max(1, blocks - 1)])


def _ascending(layers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(layers)))
