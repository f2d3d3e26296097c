"""What is kept of one answered presentation: its activations, its tokens, and the labels' logits at the verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evenhand.errors import DataError
from evenhand.probes.activation_tensors import TensorFile, open_tensors, write_tensors
from evenhand.probes.places import Position
from evenhand.records import Order

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ActivationRecord", "check_key", "positions_of", "read_record", "write_record"]

_KEY: Final = re.compile(r"[0-9A-Za-z_-]{1,128}")
_KIND: Final = "evenhand-activation-1"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ActivationRecord:
    """One presentation's activations and what is needed to take them again.

    Attributes
    ----------
    key
        Of the presentation: what the run's journal knows it by.
    pair_id, order, repeat
        Which presentation that is, for people.
    layers
        Ascending.
    vectors
        By position, float32, shape (layers, size). No ``before-verdict`` where no verdict token was found. Where the
        verdict is the first token that the judge writes, the token before it is the prompt's last: that vector is
        kept once, as ``before-verdict``.
    prompt_ids, token_ids
        The prompt's tokens, and those that the judge wrote.
    verdict_index
        Which of ``token_ids`` is the verdict token; 0 where the verdict is the first token, also where nothing was
        written; None where no verdict token was found.
    label_ids
        Tokens of the labels' declared variants.
    label_logits
        float32, shape (len(label_ids),): their raw logits where the verdict token was chosen; None without a verdict.

    Raises
    ------
    DataError
        Parts that don't fit each other.
    """

    key: str
    pair_id: str
    order: Order
    repeat: int
    layers: tuple[int, ...]
    vectors: Mapping[Position, NDArray[np.float32]]
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]
    verdict_index: int | None
    label_ids: tuple[int, ...] = ()
    label_logits: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        check_key(self.key)
        index = self.verdict_index
        if index is not None and not 0 <= index <= max(0, len(self.token_ids) - 1):
            raise DataError(f"is {index}, of {len(self.token_ids)} tokens", field="verdict_index")
        if set(self.vectors) != set(positions_of(index)):
            raise DataError(f"hold {', '.join(self.vectors) or 'nothing'} with a verdict at {index}", field="vectors")
        shapes = {vectors.shape for vectors in self.vectors.values()}
        if len(shapes) != 1 or any(len(s) != 2 or s[0] != len(self.layers) or not s[1] for s in shapes):
            raise DataError(f"have shapes {sorted(shapes)}, expected ({len(self.layers)}, size)", field="vectors")
        if any(values.dtype != np.float32 for values in self.vectors.values()):
            raise DataError("are not float32", field="vectors")
        if not all(np.isfinite(values).all() for values in self.vectors.values()):
            raise DataError("hold numbers that are not finite", field="vectors")
        if (self.label_logits is None) != (index is None):
            raise DataError("there is exactly one set of them where there is a verdict", field="label_logits")
        if self.label_logits is not None and self.label_logits.shape != (len(self.label_ids),):
            raise DataError(f"has shape {self.label_logits.shape}, of {len(self.label_ids)} ids", field="label_logits")
        if self.label_logits is not None and not np.isfinite(self.label_logits).all():
            raise DataError("holds numbers that are not finite", field="label_logits")
        if not self.prompt_ids:
            raise DataError("a prompt has at least one token", field="prompt_ids")

    @property
    def size(self) -> int:
        """Width of the residual stream."""
        return int(next(iter(self.vectors.values())).shape[1])

    def at(self, position: Position) -> NDArray[np.float32] | None:
        """The vectors of a position, shape (layers, size); None before a verdict that was not found."""
        if position is Position.PROMPT_END and self.verdict_index == 0:
            return self.vectors[Position.BEFORE_VERDICT]
        return self.vectors.get(position)


def positions_of(verdict_index: int | None) -> tuple[Position, ...]:
    """Which positions a record keeps, given where its verdict is."""
    if verdict_index is None:
        return (Position.PROMPT_END,)
    return (Position.BEFORE_VERDICT,) if verdict_index == 0 else (Position.BEFORE_VERDICT, Position.PROMPT_END)


def check_key(key: str) -> None:
    """Refuse a key that can't be a file's name: journals come from others too.

    Raises
    ------
    DataError
        Something else than letters, digits, ``-`` and ``_``.
    """
    if not _KEY.fullmatch(key):
        raise DataError(f"presentation key {key[:80]!r}: expected letters and digits")


def write_record(path: Path, record: ActivationRecord) -> None:
    """Write a record as a file of its own; it is on the disk when this returns.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full.
    ConfigError
        safetensors isn't installed.
    """
    tensors: dict[str, NDArray[Any]] = {position.value: vectors for position, vectors in record.vectors.items()}
    for name in ("prompt_ids", "token_ids", "label_ids"):
        tensors[name] = np.asarray(getattr(record, name), dtype=np.int32)
    if record.label_logits is not None:
        tensors["label_logits"] = record.label_logits
    write_tensors(
        path,
        tensors,
        metadata={
            "kind": _KIND,
            "key": record.key,
            "pair_id": record.pair_id.encode("utf-8", "backslashreplace").decode("utf-8"),
            "order": record.order.value,
            "repeat": str(record.repeat),
            "layers": ",".join(map(str, record.layers)),
            "verdict_index": "" if record.verdict_index is None else str(record.verdict_index),
        },
    )


def read_record(path: Path, *, layers: tuple[int, ...], size: int) -> ActivationRecord:
    """Read a record's file, and check it against what the run keeps.

    Raises
    ------
    StoreError
        No such file, damaged, or of other layers or another size.
    ConfigError
        safetensors isn't installed.
    """
    with open_tensors(path) as file:
        if file.text("kind") != _KIND:
            raise file.damaged(f"its kind is {file.text('kind')[:60]!r}, expected {_KIND!r}")
        if file.text("key") != path.stem:
            raise file.damaged("it is of another presentation than its name says")
        if file.text("layers") != ",".join(map(str, layers)):
            raise file.damaged(f"its layers are {file.text('layers')[:60]}, the run keeps {','.join(map(str, layers))}")
        index = _number(file, "verdict_index") if file.text("verdict_index") else None
        label_ids = file.ids("label_ids")
        try:
            return ActivationRecord(
                key=path.stem,
                pair_id=file.text("pair_id"),
                order=_order(file),
                repeat=_number(file, "repeat"),
                layers=layers,
                vectors={
                    position: file.floats(position.value, (len(layers), size)) for position in positions_of(index)
                },
                prompt_ids=tuple(file.ids("prompt_ids").tolist()),
                token_ids=tuple(file.ids("token_ids").tolist()),
                verdict_index=index,
                label_ids=tuple(label_ids.tolist()),
                label_logits=None if index is None else file.floats("label_logits", (len(label_ids),)),
            )
        except DataError as error:
            raise file.damaged(str(error)) from error


def _number(file: TensorFile, name: str) -> int:
    text = file.text(name)
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise file.damaged(f"its {name} is {text[:60]!r}, expected a whole number")
    return int(text)


def _order(file: TensorFile) -> Order:
    try:
        return Order(file.text("order"))
    except ValueError:
        raise file.damaged(f"its order is {file.text('order')[:60]!r}, expected AB or BA") from None
