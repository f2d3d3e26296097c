"""Many records in one safetensors file, and the table that says where each of them is: ``index.parquet``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evenhand.errors import DataError, StoreError
from evenhand.probes.activation_record import ActivationRecord, check_key, positions_of
from evenhand.probes.activation_tensors import TensorFile, write_tensors
from evenhand.probes.places import Position
from evenhand.records import Order
from evenhand.store.atomic import write_atomically
from evenhand.store.parquet import read_table

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

__all__ = ["IndexRow", "matrix", "read_index", "record_of", "shard_name", "write_index", "write_shard"]

_KIND: Final = "evenhand-activations-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """Where a packed record is, and what can be told of it without reading activations.

    Attributes
    ----------
    shard
        Number of the file.
    before_verdict, prompt_end
        Its row in the shard's tensor of that name; None where the record has no such vector.
    prompt_start, prompt_tokens, token_start, tokens
        Where its token ids begin in the shard's lists, and how many they are.
    """

    key: str
    pair_id: str
    order: Order
    repeat: int
    shard: int
    before_verdict: int | None
    prompt_end: int | None
    prompt_start: int
    prompt_tokens: int
    token_start: int
    tokens: int
    verdict_index: int | None
    label_ids: tuple[int, ...]
    label_logits: tuple[float, ...] | None

    def __post_init__(self) -> None:
        check_key(self.key)
        starts = (self.shard, self.prompt_start, self.prompt_tokens, self.token_start, self.tokens, self.repeat)
        rows = [row for row in (self.before_verdict, self.prompt_end) if row is not None]
        if min(*starts, *rows) < 0:
            raise DataError("a negative place")
        if {position for position in Position if self.row(position) is not None} != set(
            positions_of(self.verdict_index)
        ):
            raise DataError(f"the vectors kept don't fit a verdict at {self.verdict_index}")
        if (self.label_logits is None) != (self.verdict_index is None) or (
            self.label_logits is not None and len(self.label_logits) != len(self.label_ids)
        ):
            raise DataError(f"{len(self.label_ids)} label ids don't fit its label logits")
        if self.label_logits is not None and not all(map(math.isfinite, self.label_logits)):
            raise DataError("a label logit that is not finite")

    def row(self, position: Position) -> int | None:
        """Its row in the tensor of a position."""
        return self.before_verdict if position is Position.BEFORE_VERDICT else self.prompt_end


def shard_name(number: int) -> str:
    """``shard-0007.safetensors``."""
    return f"shard-{number:04d}.safetensors"


def write_shard(
    folder: Path, number: int, records: Sequence[ActivationRecord], *, layers: tuple[int, ...], size: int
) -> tuple[IndexRow, ...]:
    """Write records into one file, and say where each is. It is on the disk when this returns.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full.
    """
    vectors: dict[Position, list[NDArray[np.float32]]] = {position: [] for position in Position}
    prompts: list[int] = []
    tokens: list[int] = []
    rows = []
    for record in records:
        places = {position: len(vectors[position]) for position in record.vectors}
        rows.append(
            IndexRow(
                key=record.key,
                pair_id=record.pair_id,
                order=record.order,
                repeat=record.repeat,
                shard=number,
                before_verdict=places.get(Position.BEFORE_VERDICT),
                prompt_end=places.get(Position.PROMPT_END),
                prompt_start=len(prompts),
                prompt_tokens=len(record.prompt_ids),
                token_start=len(tokens),
                tokens=len(record.token_ids),
                verdict_index=record.verdict_index,
                label_ids=record.label_ids,
                label_logits=None if record.label_logits is None else tuple(record.label_logits.tolist()),
            )
        )
        for position, each in record.vectors.items():
            vectors[position].append(each)
        prompts += record.prompt_ids
        tokens += record.token_ids
    empty = np.zeros((0, len(layers), size), dtype=np.float32)
    write_tensors(
        folder / shard_name(number),
        {
            **{position.value: np.stack(kept) if kept else empty for position, kept in vectors.items()},
            "prompt_ids": np.asarray(prompts, dtype=np.int32),
            "token_ids": np.asarray(tokens, dtype=np.int32),
        },
        metadata={"kind": _KIND, "layers": ",".join(map(str, layers))},
    )
    return tuple(rows)


def matrix(file: TensorFile, position: Position, *, layers: tuple[int, ...], size: int) -> NDArray[np.float32]:
    """All vectors of a position in a shard, shape (rows, layers, size).

    Raises
    ------
    StoreError
        Not a shard of this run, or damaged.
    """
    _check_shard(file, layers)
    rows = file.shape(position.value, dtype="F32", dimensions=3)[0]
    return file.floats(position.value, (rows, len(layers), size))


def _check_shard(file: TensorFile, layers: tuple[int, ...]) -> None:
    if file.text("kind") != _KIND:
        raise file.damaged(f"its kind is {file.text('kind')[:60]!r}, expected {_KIND!r}")
    if file.text("layers") != ",".join(map(str, layers)):
        raise file.damaged(f"its layers are {file.text('layers')[:60]}, the run keeps {','.join(map(str, layers))}")


def record_of(file: TensorFile, row: IndexRow, *, layers: tuple[int, ...], size: int) -> ActivationRecord:
    """One record out of an open shard.

    Raises
    ------
    StoreError
        Not a shard of this run, damaged, or shorter than the index says.
    """
    _check_shard(file, layers)
    places = {position: row.row(position) for position in Position}
    vectors = {
        position: file.row(position.value, place, (len(layers), size))
        for position, place in places.items()
        if place is not None
    }
    try:
        return ActivationRecord(
            key=row.key,
            pair_id=row.pair_id,
            order=row.order,
            repeat=row.repeat,
            layers=layers,
            vectors=vectors,
            prompt_ids=_ids(file, "prompt_ids", row.prompt_start, row.prompt_tokens),
            token_ids=_ids(file, "token_ids", row.token_start, row.tokens),
            verdict_index=row.verdict_index,
            label_ids=row.label_ids,
            label_logits=None if row.label_logits is None else np.asarray(row.label_logits, dtype=np.float32),
        )
    except DataError as error:
        raise file.damaged(str(error)) from error


def _ids(file: TensorFile, name: str, start: int, count: int) -> tuple[int, ...]:
    kept = file.ids(name)
    if start + count > len(kept):
        raise file.damaged(f"{name} has {len(kept)} entries, the index names {start} to {start + count}")
    return tuple(kept[start : start + count].tolist())


def _schema() -> Mapping[str, pl.DataType]:
    import polars as pl

    return {
        "key": pl.String(),
        "pair_id": pl.String(),
        "order": pl.String(),
        "repeat": pl.Int64(),
        "shard": pl.Int64(),
        "before_verdict": pl.Int64(),
        "prompt_end": pl.Int64(),
        "prompt_start": pl.Int64(),
        "prompt_tokens": pl.Int64(),
        "token_start": pl.Int64(),
        "tokens": pl.Int64(),
        "verdict_index": pl.Int64(),
        "label_ids": pl.List(pl.Int64()),
        "label_logits": pl.List(pl.Float32()),
    }


def write_index(path: Path, rows: Sequence[IndexRow]) -> None:
    """Write the table; whole or not at all.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full.
    """
    import polars as pl

    columns: dict[str, list[Any]] = {name: [getattr(row, name) for row in rows] for name in _schema()}
    columns["order"] = [row.order.value for row in rows]
    columns["pair_id"] = [row.pair_id.encode("utf-8", "backslashreplace").decode("utf-8") for row in rows]
    for name in ("label_ids", "label_logits"):
        columns[name] = [None if value is None else list(value) for value in columns[name]]
    write_atomically(path, pl.DataFrame(columns, schema=dict(_schema())).write_parquet)


def read_index(path: Path) -> tuple[IndexRow, ...]:
    """Read the table and check every row.

    Raises
    ------
    StoreError
        Not Parquet, damaged, other columns, or a row that can't be.
    """
    try:
        table = read_table(path)
    except DataError as error:
        raise StoreError(str(error)) from error
    if dict(table.schema) != dict(_schema()):
        raise StoreError(f"{path}: damaged, or no index of ours: its columns are {', '.join(table.columns)[:200]}")
    if table["key"].is_duplicated().any():
        raise StoreError(f"{path}: damaged: a presentation is in it twice")
    try:
        return tuple(_row(values) for values in table.iter_rows(named=True))
    except (DataError, ValueError, TypeError) as error:
        raise StoreError(f"{path}: damaged: {str(error)[:200]}") from error


def _row(values: Mapping[str, Any]) -> IndexRow:
    logits = values["label_logits"]
    return IndexRow(
        **{
            **values,
            "order": Order(values["order"]),
            "label_ids": tuple(values["label_ids"]),
            "label_logits": None if logits is None else tuple(logits),
        }
    )
