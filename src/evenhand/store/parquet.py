"""Parquet files: tables of our own, whatever happened to their bytes, and verdicts for people who go on elsewhere."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import DataError
from evenhand.records import verdict_table
from evenhand.records.regular_file import why_never
from evenhand.store.atomic import write_atomically

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_table", "read_verdicts", "write_verdicts"]


def read_table(path: Path) -> pl.DataFrame:
    """Read a Parquet file, any columns.

    Raises
    ------
    DataError
        No such file, not Parquet, or so damaged that the reader gives up in whatever manner.
    """
    import polars as pl

    if (problem := why_never(path)) is not None:
        raise DataError(f"can't be read as Parquet ({problem})", path=path)
    try:
        # All at once: by its path the file would be opened again for its pages, and may have been replaced meanwhile.
        return pl.read_parquet(io.BytesIO(path.read_bytes()))
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:  # some damage makes it panic
        first = (str(error).splitlines() or [type(error).__name__])[0][:200]
        raise DataError(f"can't be read as Parquet ({first})", path=path) from error


def write_verdicts(table: pl.DataFrame, path: Path) -> None:
    """Write a verdict table; the file is whole or isn't there (or is the old one).

    Parameters
    ----------
    table
        As :func:`evenhand.records.verdict_table` makes it.
    path
        Where to write; its folder must exist.

    Raises
    ------
    DataError
        The table's columns are not those of a verdict table.
    StoreError
        The folder can't be written, or the disk is full.
    """
    _check_columns(table, path)
    write_atomically(path, table.write_parquet)


def read_verdicts(path: Path) -> pl.DataFrame:
    """Read a verdict table.

    Raises
    ------
    DataError
        No such file, not Parquet, or a column is missing, unknown or of another type; the message names it.
    """
    table = read_table(path)
    _check_columns(table, path)
    return table


def _check_columns(table: pl.DataFrame, path: Path) -> None:
    expected = verdict_table([]).schema
    for name, dtype in expected.items():
        if name not in table.schema:
            raise DataError("the column of a verdict table is missing", path=path, field=name)
        if table.schema[name] != dtype:
            raise DataError(f"the column is {table.schema[name]}, expected {dtype}", path=path, field=name)
    for name in table.schema:
        if name not in expected:
            raise DataError("no column of a verdict table", path=path, field=name)
