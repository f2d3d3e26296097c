"""A verdict table read column by column, so that no row of it stays a Python object."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import DataError
from evenhand.logs.documents import Node
from evenhand.logs.text_parts import TextPart, UnsuitedError, csv_parts, json_line, json_parts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["TableColumns", "UnsuitedError", "open_columns"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableColumns:
    """An open table. Use it as a context manager: a text file's columns are staged in a temporary folder.

    Attributes
    ----------
    path, sha256
        The user's file.
    names
        Every column of the file.
    height
        Rows.
    """

    path: Path
    sha256: str
    names: tuple[str, ...]
    height: int
    _parts: tuple[Path, ...]
    _lines: NDArray[np.uint32] | None = None
    _folder: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)

    def column(self, name: str) -> pl.Series | None:
        """One column, whole; None where the file has none of that name."""
        import polars as pl

        if name not in self.names:
            return None
        with _unsuited_where_damaged():
            read = [pl.read_parquet(part, columns=[name], glob=False, hive_partitioning=False) for part in self._parts]
            return pl.concat(read, how="vertical_relaxed")[name].rechunk()

    def holds(self, name: str) -> bool:
        """Whether some row has a value under a column; an empty text is none."""
        import polars as pl

        if name not in self.names:
            return False
        rows = pl.scan_parquet(list(self._parts), glob=False, hive_partitioning=False)
        with _unsuited_where_damaged():
            match rows.collect_schema()[name]:
                case pl.Null:
                    return False
                case pl.String:
                    filled = pl.col(name).str.len_bytes() > 0
                case _:
                    filled = pl.col(name).is_not_null()
            return bool(rows.select(filled.any()).collect(engine="streaming").item())

    def node(self, index: int, *, only: Collection[str]) -> Node:
        """One row as the row-wise reader sees it; of its columns ``only`` these."""
        import polars as pl

        if self._lines is not None:
            return json_line(self.path, int(self._lines[index]))
        names = [name for name in self.names if name in only]
        with _unsuited_where_damaged():
            rows = pl.scan_parquet(list(self._parts), glob=False, hive_partitioning=False)
            value = rows.select(names).slice(index, 1).collect().to_dicts()[0]
        return Node(path=self.path, row=index + 1, field="", value=value)

    def __enter__(self) -> TableColumns:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()


@contextmanager
def _unsuited_where_damaged() -> Iterator[None]:
    """What polars says of a damaged file depends on how it was opened: the row-wise reader shall say it."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise UnsuitedError from error


def open_columns(path: Path, *, wanted: Collection[str]) -> TableColumns:
    """Open a CSV, JSON Lines or Parquet file.

    Parameters
    ----------
    wanted
        Columns whose values are needed; of others only the names are kept.

    Raises
    ------
    DataError
        A text file's line can't be read, or the file has no rows: in the row-wise reader's words.
    UnsuitedError
        Only the row-wise reader can read it, or say what is wrong with it.
    """
    match path.suffix.lower():
        case ".parquet":
            return _open_parquet(path)
        case ".csv":
            return _stage(path, csv_parts(path, wanted), by_line=False)
        case ".jsonl" | ".ndjson":
            return _stage(path, json_parts(path, wanted), by_line=True)
        case _:
            raise UnsuitedError


def _sha256(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise UnsuitedError from error


def _open_parquet(path: Path) -> TableColumns:
    import polars as pl

    sha256 = _sha256(path)
    with _unsuited_where_damaged():
        rows = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        names = tuple(rows.collect_schema().names())
        height = int(rows.select(pl.len()).collect().item())
    if height == 0:
        raise DataError("has no records", path=path)
    return TableColumns(path=path, sha256=sha256, names=names, height=height, _parts=(path,))


def _stage(path: Path, parts: Iterator[TextPart], *, by_line: bool) -> TableColumns:
    sha256 = _sha256(path)
    folder = tempfile.TemporaryDirectory(prefix="evenhand-import-")
    try:
        names: dict[str, None] = {}
        kinds: dict[str, pl.DataType] = {}
        files: list[Path] = []
        lines: list[NDArray[np.uint32]] = []
        height = 0
        for part in parts:
            names |= dict.fromkeys(part.names)
            files.append(Path(folder.name) / f"{len(files):06d}.parquet")
            _write(part.columns, files[-1], kinds)
            lines.append(np.asarray(part.lines, dtype=np.uint32))
            height += len(part.lines)
    except BaseException:
        folder.cleanup()
        raise
    if not files:
        folder.cleanup()
        raise DataError("has no records", path=path)
    return TableColumns(
        path=path,
        sha256=sha256,
        names=tuple(names),
        height=height,
        _parts=tuple(files),
        _lines=np.concatenate(lines) if by_line else None,
        _folder=folder,
    )


def _write(columns: Mapping[str, list[object]], file: Path, kinds: dict[str, pl.DataType]) -> None:
    """Write one part; a column is of one kind, or empty, throughout all parts."""
    import polars as pl

    series = [_series(name, values) for name, values in columns.items()]
    for each in series:
        if each.dtype != pl.Null and kinds.setdefault(each.name, each.dtype) != each.dtype:
            raise UnsuitedError
    with _unsuited_where_damaged():
        pl.DataFrame(series).write_parquet(file, compression="lz4", statistics=False)


def _series(name: str, values: list[object]) -> pl.Series:
    import polars as pl

    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) > 1 or not kinds <= {str, int}:
        raise UnsuitedError
    kind = kinds.pop() if kinds else None
    try:
        dtype = pl.Null if kind is None else pl.String if kind is str else pl.Int64
        return pl.Series(name, values, dtype=dtype)
    except (pl.exceptions.PolarsError, TypeError, ValueError, OverflowError) as error:  # a surrogate, a huge number
        raise UnsuitedError from error
