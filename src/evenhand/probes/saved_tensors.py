"""The numbers of a saved probe as safetensors: float64, four names, checked one by one. Never pickle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from evenhand.errors import ConfigError, DataError, install_hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TENSORS", "largest_file", "read_tensors", "write_tensors"]

TENSORS: Final = ("mean", "scale", "weights", "intercept")
"""Of a file, in its order. The first three have a row a column of the features, the intercept one row."""

_HEADER: Final = 1 << 16
"""More than four names and shapes can need."""


def largest_file(columns: int) -> int:
    """The most bytes that a probe's file of so many columns may have."""
    return _HEADER + 8 * (3 * columns + 1)


def write_tensors(tensors: Mapping[str, NDArray[np.float64]]) -> bytes:
    """The four tensors as the bytes of a safetensors file, the same for the same numbers.

    Raises
    ------
    ConfigError
        safetensors isn't installed.
    """
    save = _library("safetensors.numpy").save
    return bytes(save({name: np.ascontiguousarray(tensors[name], dtype="<f8") for name in TENSORS}))


def read_tensors(data: bytes, *, columns: int) -> dict[str, NDArray[np.float64]]:
    """The four tensors of a file: finite float64 numbers in the shapes that the card promises.

    Parameters
    ----------
    data
        The file's bytes. Who reads the file sees to its size first (:func:`largest_file`).
    columns
        Columns of the features.

    Raises
    ------
    ConfigError
        safetensors isn't installed.
    DataError
        Not such a file, another tensor, dtype or shape, a number that isn't finite, or a scale that isn't positive.
    """
    library = _library("safetensors")
    try:
        found = dict(library.deserialize(data))
    except (library.SafetensorError, ValueError) as error:
        raise DataError(f"not a safetensors file, or cut off ({str(error)[:100]})") from error
    if sorted(found) != sorted(TENSORS):
        raise DataError(f"holds {', '.join(sorted(found)[:8])[:200] or 'no tensor'}, expected {', '.join(TENSORS)}")
    return {name: _checked(name, found[name], rows=1 if name == "intercept" else columns) for name in TENSORS}


def _checked(name: str, tensor: Mapping[str, Any], *, rows: int) -> NDArray[np.float64]:
    if tensor["dtype"] != "F64":
        raise DataError(f"is {tensor['dtype']}, expected F64", field=name)
    if tensor["shape"] != [rows]:
        raise DataError(f"has shape {tensor['shape']}, the card says [{rows}]", field=name)
    values = np.frombuffer(tensor["data"], dtype="<f8").astype(np.float64)
    if not np.isfinite(values).all():
        raise DataError("holds a number that isn't finite", field=name)
    if name == "scale" and not (values > 0).all():
        raise DataError("holds a scale that isn't positive", field=name)
    return values


def _library(module: str) -> Any:  # noqa: ANN401 - a module that may be missing
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise ConfigError(f"saved probes need safetensors ({error}): {install_hint('probes')}") from error
