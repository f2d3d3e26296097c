"""safetensors files as we use them: written whole, and read with every name, dtype and shape checked. Never pickle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evenhand.errors import ConfigError, StoreError, install_hint
from evenhand.store.atomic import write_bytes_atomically

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TensorFile", "open_tensors", "write_tensors"]

_DTYPES: Final = {"F32": np.dtype("<f4"), "I32": np.dtype("<i4")}
"""All that activation files hold: activations and logits, and token ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorFile:
    """An open file. Nothing in it is believed before it was checked.

    Attributes
    ----------
    path
        Which file: errors name it.
    metadata
        Its texts by name.
    """

    path: Path
    metadata: Mapping[str, str]
    _file: Any

    @property
    def names(self) -> frozenset[str]:
        """The tensors in it."""
        return frozenset(self._file.keys())

    def shape(self, name: str, *, dtype: str, dimensions: int) -> tuple[int, ...]:
        """The shape of a tensor of that dtype (``F32`` or ``I32``) and so many dimensions."""
        if name not in self.names:
            raise self.damaged(f"has no tensor {name!r}")
        part = self._file.get_slice(name)
        shape = tuple(int(length) for length in part.get_shape())
        if part.get_dtype() != dtype:
            raise self.damaged(f"{name} is {part.get_dtype()}, expected {dtype}")
        if len(shape) != dimensions:
            raise self.damaged(f"{name} has shape {list(shape)}, expected {dimensions} dimensions")
        return shape

    def floats(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """A tensor of finite float32 numbers in that shape."""
        found = self.shape(name, dtype="F32", dimensions=len(shape))
        if found != shape:
            raise self.damaged(f"{name} has shape {list(found)}, expected {list(shape)}")
        return self._finite(name, self._file.get_tensor(name))

    def row(self, name: str, number: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """One entry, of that shape, of a tensor with many; the others aren't read."""
        found = self.shape(name, dtype="F32", dimensions=len(shape) + 1)
        if found[1:] != shape or number >= found[0]:
            raise self.damaged(f"{name} has shape {list(found)}, expected entry {number} of shape {list(shape)}")
        return self._finite(name, self._file.get_slice(name)[number])

    def _finite(self, name: str, values: NDArray[np.float32]) -> NDArray[np.float32]:
        if not np.isfinite(values).all():
            raise self.damaged(f"{name} holds numbers that are not finite")
        return values

    def ids(self, name: str) -> NDArray[np.int32]:
        """A list of token ids, none negative."""
        self.shape(name, dtype="I32", dimensions=1)
        values: NDArray[np.int32] = self._file.get_tensor(name)
        if len(values) and int(values.min()) < 0:
            raise self.damaged(f"{name} holds a negative token id")
        return values

    def text(self, name: str) -> str:
        """One of the texts."""
        try:
            return self.metadata[name]
        except KeyError:
            raise self.damaged(f"has no {name!r} in its metadata") from None

    def damaged(self, what: str) -> StoreError:
        """The error that says what is wrong with this file."""
        return StoreError(f"{self.path}: damaged, or no activation file of ours: {what}")


@contextmanager
def open_tensors(path: Path) -> Iterator[TensorFile]:
    """Open a file for reading.

    Raises
    ------
    StoreError
        No such file, not safetensors, cut off; inside the block: a tensor that is missing or of another kind.
    ConfigError
        safetensors isn't installed.
    """
    library = _library("safetensors")
    try:
        opened = library.safe_open(path, framework="numpy")
    except OSError as error:
        raise StoreError(f"{path}: can't be read ({error.strerror or error})") from error
    except library.SafetensorError as error:
        raise StoreError(f"{path}: damaged, or no activation file of ours: {str(error)[:120]}") from error
    with opened as file:
        found = TensorFile(path=path, metadata=file.metadata() or {}, _file=file)
        try:
            yield found
        except library.SafetensorError as error:
            raise found.damaged(str(error)[:120]) from error


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]], *, metadata: Mapping[str, str]) -> None:
    """Write float32 and int32 arrays with some texts; the file is whole and on the disk when this returns.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full; the file is then as it was.
    ConfigError
        safetensors isn't installed.
    """
    save = _library("safetensors.numpy").save
    kept = {
        name: np.ascontiguousarray(values, dtype=_DTYPES["F32" if values.dtype.kind == "f" else "I32"])
        for name, values in tensors.items()
    }
    write_bytes_atomically(path, save(kept, metadata=dict(metadata)))


def _library(module: str) -> Any:  # noqa: ANN401 - a module that may be missing
    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(f"activations need safetensors ({error}): {install_hint('probes')}") from error
