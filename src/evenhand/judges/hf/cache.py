"""Keys and values of a batch of rows, left-padded so that every row ends in the same column.

One layout serves prefill, shared beginnings and writing: rows can leave, join and be copied, and what the model
computes is what it would compute for a row alone, for padding is masked and positions are given explicitly.
Layers with a sliding window keep all columns too (the model's own mask cuts the window), so that rows can be moved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

__all__ = ["RowCache", "joined", "new_cache", "select", "shared_start"]

_SPARE = 64
"""Columns of room that a growing layer allocates at once, so that one token doesn't copy the whole."""


@cache
def _layer_class() -> type[Any]:
    """The layer, made late: its base lives in transformers."""
    import torch
    from transformers.cache_utils import DynamicLayer

    class GrowingLayer(DynamicLayer):  # type: ignore[misc,no-untyped-call,unused-ignore]
        """A layer that grows in place while single tokens are added."""

        def update(self, key_states: Tensor, value_states: Tensor, *_: object, **__: object) -> tuple[Tensor, Tensor]:
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
                self.keys, self.values = key_states, value_states
                return self.keys, self.values
            keys = self._grown("_key_room", self.keys, key_states)
            values = self._grown("_value_room", self.values, value_states)
            self.keys, self.values = keys, values
            return keys, values

        def _grown(self, name: str, old: Tensor | None, new: Tensor) -> Tensor:
            if old is None:
                return new
            start, end = old.shape[-2], old.shape[-2] + new.shape[-2]
            if new.shape[-2] > 1:
                setattr(self, name, None)
                return torch.cat([old, new], dim=-2)
            room: Tensor | None = getattr(self, name, None)
            if room is None or room.shape[-2] < end:
                room = old.new_empty((*old.shape[:-2], end + _SPARE, old.shape[-1]))
                room[..., :start, :] = old
                setattr(self, name, room)
            room[..., start:end, :] = new
            return room[..., :end, :]

    return GrowingLayer


def new_cache(tensors: Sequence[tuple[Tensor, Tensor]] = ()) -> Any:  # noqa: ANN401 - a transformers Cache
    """A cache of transformers, empty or holding (keys, values) of each layer, shape (rows, heads, columns, size)."""
    from transformers.cache_utils import Cache

    made = Cache(layer_class_to_replicate=_layer_class())
    for index, (keys, values) in enumerate(tensors):
        made.update(keys, values, index)
    return made


@dataclass(slots=True, kw_only=True)
class RowCache:
    """What the model holds of some rows.

    Attributes
    ----------
    cache
        The transformers cache, columns left-padded.
    mask
        Shape (rows, columns): True where a column holds a token of the row.
    """

    cache: Any
    mask: Tensor

    @property
    def columns(self) -> int:
        """Columns, padding included."""
        return int(self.mask.shape[1])

    @property
    def tensors(self) -> list[tuple[Tensor, Tensor]]:
        """Keys and values of each layer."""
        return [(layer.keys, layer.values) for layer in self.cache.layers]


def select(held: RowCache, rows: Sequence[int]) -> RowCache:
    """Some of the rows, without the columns that are padding in all of them."""
    import torch

    index = torch.tensor(list(rows), device=held.mask.device)
    mask = held.mask.index_select(0, index)
    start = held.columns - int(mask.sum(1).max())
    tensors = [
        (keys.index_select(0, index)[:, :, start:], values.index_select(0, index)[:, :, start:])
        for keys, values in held.tensors
    ]
    return RowCache(cache=new_cache(tensors), mask=mask[:, start:])


def joined(one: RowCache, other: RowCache) -> RowCache:
    """Rows of both, the first's first, right-aligned."""
    import torch
    from torch.nn.functional import pad

    columns = max(one.columns, other.columns)
    left, right = columns - one.columns, columns - other.columns

    def beside(a: Tensor, b: Tensor) -> Tensor:
        return torch.cat([pad(a, (0, 0, left, 0)), pad(b, (0, 0, right, 0))])

    tensors = [
        (beside(keys, more_keys), beside(values, more_values))
        for (keys, values), (more_keys, more_values) in zip(one.tensors, other.tensors, strict=True)
    ]
    mask = torch.cat([pad(one.mask, (left, 0)), pad(other.mask, (right, 0))])
    return RowCache(cache=new_cache(tensors), mask=mask)


def shared_start(held: RowCache, sources: Sequence[int], lengths: Sequence[int]) -> RowCache:
    """Rows that begin as others do: for each, the first ``lengths`` tokens of the row ``sources`` of what is held.

    Right-aligned again, as if each beginning had been computed by itself.
    """
    import torch

    device = held.mask.device
    source = torch.tensor(list(sources), device=device)
    length = torch.tensor(list(lengths), device=device)
    columns = max(lengths)
    begins = held.columns - held.mask.sum(1)[source]
    column = torch.arange(columns, device=device)[None, :] - (columns - length)[:, None]
    mask = column >= 0
    taken = (column + begins[:, None]).clamp(min=0)
    tensors = [
        (keys[source[:, None], :, taken].transpose(1, 2), values[source[:, None], :, taken].transpose(1, 2))
        for keys, values in held.tensors
    ]
    return RowCache(cache=new_cache(tensors), mask=mask)
