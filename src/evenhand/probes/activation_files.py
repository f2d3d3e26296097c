"""The activations of a run, on the disk before an answer counts: one file a presentation first, then packed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes.activation_meta import ActivationMeta, difference, read_meta, write_meta
from evenhand.probes.activation_record import ActivationRecord, check_key, read_record, write_record
from evenhand.probes.activation_shards import (
    IndexRow,
    matrix,
    read_index,
    record_of,
    shard_name,
    write_index,
    write_shard,
)
from evenhand.probes.activation_tensors import open_tensors
from evenhand.probes.places import Position
from evenhand.store.atomic import sync_directory

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FOLDER", "ActivationRecord", "ActivationStore", "VerdictFacts"]

FOLDER: Final = "activations"
"""Where they lie in a run's directory."""
_PACK: Final = 512
"""Records in one shard, and pending files from which on they are packed: the paper's four layers of an 8-billion model
make 64 MiB of each position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictFacts:
    """What can be told of a kept presentation without its activations.

    Attributes
    ----------
    verdict_index
        Which written token is the verdict; None where none was found.
    label_ids, label_logits
        The labels' tokens, and their raw logits where the verdict was chosen; no logits without a verdict.
    """

    verdict_index: int | None
    label_ids: tuple[int, ...]
    label_logits: tuple[float, ...] | None


class ActivationStore:
    """The activation files of one run directory. One process at a time writes: whoever holds the run's journal.

    A record is on the disk when :meth:`add` returns. Whoever writes it does so before the answer counts, so that an
    answer in the journal always has its record; a record without an answer, left by a crash, is overwritten when the
    presentation is asked again.

    Parameters
    ----------
    directory
        The run's directory.

    Examples
    --------
    >>> import tempfile
    >>> from evenhand.records import Order, Readout
    >>> record = ActivationRecord(
    ...     key="k1", pair_id="p1", order=Order.AB, repeat=0, layers=(1, 3), prompt_ids=(5, 6), token_ids=(7, 8),
    ...     verdict_index=1, label_ids=(8, 9), label_logits=np.float32([2.0, -1.0]),
    ...     vectors={position: np.ones((2, 4), dtype=np.float32) for position in Position})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = ActivationStore(folder)
    ...     store.begin(ActivationMeta(blocks=4, size=4, layers=(1, 3), readout=Readout.GENERATED))
    ...     store.add(record)
    ...     store.pack()
    ...     store.stack(["k1"], Position.BEFORE_VERDICT).shape, store.get("k1").token_ids
    ((1, 2, 4), (7, 8))
    """

    def __init__(self, directory: str | Path) -> None:
        self.folder = Path(directory) / FOLDER
        self._meta: ActivationMeta | None = None
        self._pending: dict[str, ActivationRecord] | None = None
        self._index: dict[str, IndexRow] | None = None

    @property
    def exists(self) -> bool:
        """Whether the run keeps activations."""
        return self._meta_path.is_file()

    @property
    def meta(self) -> ActivationMeta:
        """What is kept.

        Raises
        ------
        StoreError
            Nothing is kept here, or its description is damaged or newer.
        """
        if self._meta is None:
            if not self.exists:
                raise StoreError(
                    f"{self.folder}: no activations: the run was made by another command than evenhand probe collect"
                )
            self._meta = read_meta(self._meta_path)
        return self._meta

    @property
    def bytes(self) -> int:
        """Room that all the files take."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())

    def begin(self, meta: ActivationMeta) -> None:
        """Begin to keep activations here, or go on.

        Raises
        ------
        ConfigError
            Others are kept here already: of other layers, another model or another readout.
        StoreError
            The folder can't be written, or is damaged.
        """
        if self.exists:
            differs = difference(meta, self.meta)
            if differs is not None:
                raise ConfigError(
                    f"{self.folder} keeps other activations than asked for ({differs}); what was answered isn't asked "
                    "again for them: name another directory with --out"
                )
        try:
            self._pending_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"{self.folder}: can't be made ({error.strerror or error})") from error
        sync_directory(self.folder.parent)
        sync_directory(self.folder)
        if not self.exists:
            write_meta(self._meta_path, meta)
        self._meta = meta

    # -- writing -------------------------------------------------------------------------------------------------

    def add(self, record: ActivationRecord) -> None:
        """Keep a record, in place of an older one of the same presentation. It is on the disk when this returns.

        Raises
        ------
        DataError
            The record is of other layers or another size than the store keeps.
        StoreError
            The disk is full or refuses: then nothing was kept.
        """
        meta = self.meta
        if record.layers != meta.layers or record.size != meta.size:
            raise DataError(
                f"an activation of layers {record.layers} and width {record.size}, "
                f"where {meta.layers} and {meta.size} are kept"
            )
        pending = self._pending_records()
        write_record(self._pending_path(record.key), record)
        pending[record.key] = record
        if len(pending) >= _PACK:
            self.pack()

    def pack(self) -> None:
        """Put the pending records into shards. Whatever stops it, each record stays readable in one of the two places.

        Raises
        ------
        StoreError
            The disk is full or refuses, or a file is damaged.
        """
        pending = self._pending_records()
        keys = sorted(pending)
        for begin in range(0, len(keys), _PACK):
            chunk = keys[begin : begin + _PACK]
            index = self._index_rows()
            number = 1 + max((row.shard for row in index.values()), default=-1)
            rows = write_shard(
                self.folder, number, [pending[key] for key in chunk], layers=self.meta.layers, size=self.meta.size
            )
            index = {**index, **{row.key: row for row in rows}}
            write_index(self._index_path, tuple(index.values()))
            self._index = index
            for key in chunk:
                with suppress(OSError):  # still there it is only packed once more
                    self._pending_path(key).unlink()
                del pending[key]

    # -- reading -------------------------------------------------------------------------------------------------

    def keys(self) -> frozenset[str]:
        """The presentations that have a record."""
        return frozenset(self._pending_records()) | frozenset(self._index_rows())

    def facts(self, key: str) -> VerdictFacts | None:
        """Where a presentation's verdict is, and the labels' logits there; None where it has no record."""
        record = self._pending_records().get(key)
        if record is not None:
            logits = None if record.label_logits is None else tuple(record.label_logits.tolist())
            return VerdictFacts(verdict_index=record.verdict_index, label_ids=record.label_ids, label_logits=logits)
        row = self._index_rows().get(key)
        if row is None:
            return None
        return VerdictFacts(verdict_index=row.verdict_index, label_ids=row.label_ids, label_logits=row.label_logits)

    def get(self, key: str) -> ActivationRecord:
        """A presentation's record.

        Raises
        ------
        StoreError
            It has none, or its file is damaged.
        """
        return next(iter(self.records([key])))

    def records(self, keys: Iterable[str]) -> Iterator[ActivationRecord]:
        """The records of some presentations, in their order; a shard is opened for each, so memory stays small."""
        for key in keys:
            record = self._pending_records().get(key)
            if record is not None:
                yield record
                continue
            row = self._index_rows().get(key)
            if row is None:
                raise StoreError(f"{self.folder}: no activation of presentation {key[:80]}")
            with open_tensors(self.folder / shard_name(row.shard)) as file:
                yield record_of(file, row, layers=self.meta.layers, size=self.meta.size)

    def stack(
        self, keys: Sequence[str], position: Position, *, layers: Sequence[int] | None = None
    ) -> NDArray[np.float32]:
        """The vectors of many presentations at one position.

        Parameters
        ----------
        keys
            In the order of the rows.
        position
            Where a verdict is the first token written, ``prompt-end`` is ``before-verdict``.
        layers
            Some of those kept; None: all.

        Returns
        -------
        float32, shape (len(keys), layers, size)

        Raises
        ------
        ConfigError
            A layer that isn't kept.
        StoreError
            A presentation without a record or without that vector, or a damaged file.
        """
        meta = self.meta
        wanted = meta.layers if layers is None else tuple(layers)
        if not set(wanted) <= set(meta.layers):
            raise ConfigError(
                f"layers {', '.join(map(str, wanted))}: {self.folder} keeps {', '.join(map(str, meta.layers))}"
            )
        columns = [meta.layers.index(layer) for layer in wanted]
        packed: dict[int, list[int]] = {}
        first = next((key for key in keys if key not in self._pending_records()), None)
        if first is not None:  # before room is made for as much as a damaged description says
            self._check_width(self._row(first).shard, position)
        found = np.empty((len(keys), len(columns), meta.size), dtype=np.float32)
        for place, key in enumerate(keys):
            record = self._pending_records().get(key)
            if record is None:
                packed.setdefault(self._row(key).shard, []).append(place)
                continue
            vectors = record.at(position)
            if vectors is None:
                raise self._without(key, position)
            found[place] = vectors[columns]
        for shard, places in sorted(packed.items()):
            self._fill(found, shard, {place: self._row(keys[place]) for place in places}, position, columns)
        return found

    def _check_width(self, shard: int, position: Position) -> None:
        with open_tensors(self.folder / shard_name(shard)) as file:
            found = file.shape(position.value, dtype="F32", dimensions=3)
            if found[1:] != (len(self.meta.layers), self.meta.size):
                expected = [found[0], len(self.meta.layers), self.meta.size]
                raise file.damaged(f"{position} has shape {list(found)}, expected {expected}")

    def _fill(
        self,
        found: NDArray[np.float32],
        shard: int,
        rows: Mapping[int, IndexRow],
        position: Position,
        columns: Sequence[int],
    ) -> None:
        """Copy the vectors of one shard's rows into their places."""
        at = {place: Position.BEFORE_VERDICT if row.verdict_index == 0 else position for place, row in rows.items()}
        with open_tensors(self.folder / shard_name(shard)) as file:
            for each in set(at.values()):
                kept = matrix(file, each, layers=self.meta.layers, size=self.meta.size)
                for place, row in rows.items():
                    if at[place] is not each:
                        continue
                    number = row.row(each)
                    if number is None:
                        raise self._without(row.key, position)
                    if number >= len(kept):
                        raise file.damaged(f"{each} has {len(kept)} rows, the index names row {number}")
                    found[place] = kept[number, columns]

    def _row(self, key: str) -> IndexRow:
        row = self._index_rows().get(key)
        if row is None:
            raise StoreError(f"{self.folder}: no activation of presentation {key[:80]}")
        return row

    def _without(self, key: str, position: Position) -> StoreError:
        return StoreError(f"{self.folder}: presentation {key[:80]} has no activation at {position}")

    # -- files ---------------------------------------------------------------------------------------------------

    @property
    def _meta_path(self) -> Path:
        return self.folder / "meta.json"

    @property
    def _index_path(self) -> Path:
        return self.folder / "index.parquet"

    @property
    def _pending_folder(self) -> Path:
        return self.folder / "pending"

    def _pending_path(self, key: str) -> Path:
        check_key(key)
        return self._pending_folder / f"{key}.safetensors"

    def _pending_records(self) -> dict[str, ActivationRecord]:
        """The records that are not packed yet. They are newer than what a shard has of the same presentation."""
        if self._pending is None:
            found = {}
            for path in sorted(self._pending_folder.glob("*.safetensors")):
                try:
                    found[path.stem] = read_record(path, layers=self.meta.layers, size=self.meta.size)
                except StoreError:
                    if path.is_file():
                        raise
                    # Packed meanwhile by the process that writes: the index, read after this, has it.
            self._pending = found
        return self._pending

    def _index_rows(self) -> dict[str, IndexRow]:
        if self._index is None:
            rows = read_index(self._index_path) if self._index_path.is_file() else ()
            self._index = {row.key: row for row in rows}
        return self._index
