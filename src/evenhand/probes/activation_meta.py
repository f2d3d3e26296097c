"""What a run's activation files hold, said once for all of them: ``activations/meta.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes.places import Place, Position
from evenhand.records import Readout
from evenhand.records.regular_file import why_never
from evenhand.store.atomic import write_text_atomically
from evenhand.store.codec import dump, load

__all__ = ["FORMAT", "ActivationMeta", "difference", "read_meta", "write_meta"]

FORMAT: Final = 1
"""Version of the activation files. A reader refuses a newer one by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivationMeta:
    """What is kept of every presentation.

    Attributes
    ----------
    blocks, size
        Of the model: how many blocks, and the width of its residual stream.
    layers
        Ascending; 1 to ``blocks`` is what that block adds up to, 0 the embeddings.
    readout
        Whose verdict the activation stands before: ``generated``, ``first-token`` or ``prefilled``.
    format
        Version of the files.

    Raises
    ------
    ConfigError
        Layers that the model doesn't have or that are no ascending list, or another readout.

    Examples
    --------
    >>> meta = ActivationMeta(blocks=30, size=576, layers=(8, 15), readout=Readout.FIRST_TOKEN)
    >>> [place.name for place in meta.places]
    ['before-verdict@8', 'before-verdict@15']
    """

    blocks: int
    size: int
    layers: tuple[int, ...]
    readout: Readout
    format: int = FORMAT

    def __post_init__(self) -> None:
        if self.blocks < 1 or self.size < 1:
            raise ConfigError(f"a model of {self.blocks} blocks and width {self.size} has no activations")
        if not self.layers or any(not 0 <= layer <= self.blocks for layer in self.layers):
            raise ConfigError(
                f"layers {', '.join(map(str, self.layers)) or 'none'}: expected some of 0 (embeddings) to "
                f"{self.blocks} (the last block)"
            )
        if list(self.layers) != sorted(set(self.layers)):
            raise ConfigError(f"layers {', '.join(map(str, self.layers))}: expected each once, ascending")
        if self.readout not in (Readout.GENERATED, Readout.FIRST_TOKEN, Readout.PREFILLED):
            raise ConfigError(f"readout {self.readout}: activations stand before a verdict that is one written token")

    @property
    def positions(self) -> tuple[Position, ...]:
        """Where activations are taken. A verdict that is the first token stands right after the prompt's last."""
        if self.readout is Readout.GENERATED:
            return (Position.BEFORE_VERDICT, Position.PROMPT_END)
        return (Position.BEFORE_VERDICT,)

    @property
    def places(self) -> tuple[Place, ...]:
        """Every position at every layer."""
        return tuple(Place(position=position, layer=layer) for position in self.positions for layer in self.layers)

    @property
    def bytes_each(self) -> int:
        """How many bytes one presentation's activations have; its token ids come on top, 4 bytes each."""
        return len(self.places) * self.size * 4


def write_meta(path: Path, meta: ActivationMeta) -> None:
    """Write it, whole or not at all.

    Raises
    ------
    StoreError
        The folder can't be written.
    """
    write_text_atomically(path, dump(meta, indent=2) + "\n")


def read_meta(path: Path) -> ActivationMeta:
    """Read it and check every field.

    Raises
    ------
    StoreError
        No such file, damaged, or written by a newer version.
    """
    if (problem := why_never(path)) is not None:
        raise StoreError(f"{path}: {problem}")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: can't be read ({getattr(error, 'strerror', None) or 'not UTF-8'})") from error
    version = _version(text)
    if version is not None and version > FORMAT:
        raise StoreError(
            f"{path}: activation format {version} is newer than the {FORMAT} that this version of Evenhand reads: "
            "update Evenhand"
        )
    try:
        return load(ActivationMeta, text, what="activation metadata")
    except (DataError, ConfigError) as error:
        raise StoreError(f"{path}: damaged ({error})") from error


def difference(one: ActivationMeta, other: ActivationMeta) -> str | None:
    """The first field in which two differ, as ``layers 7, 14 against 1, 2``; None where they are the same."""
    for field in fields(ActivationMeta):
        here, there = getattr(one, field.name), getattr(other, field.name)
        if here != there:
            return f"{field.name} {_text(here)} against {_text(there)}"
    return None


def _text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _version(text: str) -> int | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    version = value.get("format") if isinstance(value, dict) else None
    return version if isinstance(version, int) else None
