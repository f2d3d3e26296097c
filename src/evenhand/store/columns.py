"""The Parquet files of a columnar run, named by their content, and the record that ties them to the journal."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import StoreError
from evenhand.records.columnar import VerdictColumns
from evenhand.records.hashing import file_sha256
from evenhand.store.atomic import sync_directory

if TYPE_CHECKING:
    import polars as pl

    from evenhand.records import Pair

__all__ = [
    "ColumnFiles",
    "check_columns",
    "load_columns",
    "load_some",
    "pair_rows",
    "pairs_at",
    "remove_columns",
    "write_columns",
]

_PAIRS, _VERDICTS = "pairs", "verdicts"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFiles:
    """What the journal knows of a run's columns.

    Attributes
    ----------
    pairs, verdicts
        Names of the files, in the run's directory.
    pairs_sha256, verdicts_sha256
        Of their bytes.
    presentations, failed
        How many there are, and how many of them the log calls failed.
    log_format, file_sha256
        Of the log that was imported; keys are made of them.
    """

    pairs: str
    pairs_sha256: str
    verdicts: str
    verdicts_sha256: str
    presentations: int
    failed: int
    log_format: str
    file_sha256: str


def write_columns(directory: Path, columns: VerdictColumns) -> ColumnFiles:
    """Write the files, durably; nothing of the run that is there changes.

    Raises
    ------
    StoreError
        The folder can't be written, or the disk is full; what was there is as it was.
    """
    pairs = _write(directory, _PAIRS, columns.pairs)
    verdicts = _write(directory, _VERDICTS, columns.presentations)
    return ColumnFiles(
        pairs=_name(_PAIRS, pairs),
        pairs_sha256=pairs,
        verdicts=_name(_VERDICTS, verdicts),
        verdicts_sha256=verdicts,
        presentations=columns.presentations.height,
        failed=columns.failed,
        log_format=columns.log_format,
        file_sha256=columns.file_sha256,
    )


def _name(kind: str, sha256: str) -> str:
    return f"{kind}-{sha256[:16]}.parquet"


def _write(directory: Path, kind: str, frame: pl.DataFrame) -> str:
    import polars as pl

    temporary = directory / f".{kind}.{os.getpid()}.part"
    try:
        frame.write_parquet(temporary)
        descriptor = os.open(temporary, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        sha256 = file_sha256(temporary)
        temporary.replace(directory / _name(kind, sha256))
        sync_directory(directory)
    except OSError as error:
        raise StoreError(f"{directory}: can't be written ({error.strerror or error})") from error
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StoreError(f"{directory}: can't be written ({_first_line(error)})") from error
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    return sha256


def load_columns(directory: Path, files: ColumnFiles) -> VerdictColumns:
    """Read the files.

    Raises
    ------
    StoreError
        One is gone, or can't be read.
    """
    return VerdictColumns(
        pairs=_read(directory / files.pairs),
        presentations=_read(directory / files.verdicts),
        log_format=files.log_format,
        file_sha256=files.file_sha256,
    )


def load_some(directory: Path, files: ColumnFiles, pair_ids: Collection[str]) -> VerdictColumns:
    """Read some pairs with their presentations; of the files no more is held than that.

    Raises
    ------
    StoreError
        As :func:`load_columns`.
    """
    import polars as pl

    pairs = _scanned(
        directory / files.pairs,
        lambda rows: rows.with_row_index("row").filter(pl.col("id").is_in(sorted(pair_ids))),
    )
    rows = _scanned(directory / files.verdicts, lambda rows: rows.filter(pl.col("pair").is_in(pairs["row"].implode())))
    place = pl.DataFrame({"pair": pairs["row"].cast(pl.UInt32)}).with_row_index("new")
    return VerdictColumns(
        pairs=pairs.drop("row"),
        presentations=rows.join(place, on="pair", maintain_order="left")
        .with_columns(pl.col("new").alias("pair"))
        .drop("new"),
        log_format=files.log_format,
        file_sha256=files.file_sha256,
    )


def pair_rows(directory: Path, files: ColumnFiles) -> pl.DataFrame:
    """Which pairs there are, in the log's order: ``id``, ``row`` in the file, ``has_text`` of a response, or none.

    Raises
    ------
    StoreError
        As :func:`load_columns`.
    """
    import polars as pl

    def wanted(rows: pl.LazyFrame) -> pl.LazyFrame:
        texts = [name for name in ("response_a", "response_b") if name in rows.collect_schema().names()]
        has_text = pl.any_horizontal(pl.lit(False), *(pl.col(name).fill_null("") != "" for name in texts))
        numbered = rows.with_row_index("row").select("id", "row", "ordinal", has_text=has_text)
        return numbered.sort("ordinal").drop("ordinal")

    return _scanned(directory / files.pairs, wanted)


def pairs_at(directory: Path, files: ColumnFiles, row: int, count: int = 1) -> tuple[Pair, ...]:
    """Some neighbouring pairs of the file, from a row on; fewer, or none, where it ends.

    Raises
    ------
    StoreError
        As :func:`load_columns`.
    """
    import polars as pl

    return tuple(
        VerdictColumns(
            pairs=_scanned(directory / files.pairs, lambda rows: rows.slice(row, count)),
            presentations=pl.DataFrame(),
            log_format=files.log_format,
            file_sha256=files.file_sha256,
        ).iter_pairs()
    )


def _scanned(path: Path, query: Callable[[pl.LazyFrame], pl.LazyFrame]) -> pl.DataFrame:
    import polars as pl

    with _told_plainly(path):
        return query(pl.scan_parquet(path, glob=False, hive_partitioning=False)).collect(engine="streaming")


def _read(path: Path) -> pl.DataFrame:
    import polars as pl

    with _told_plainly(path):
        return pl.read_parquet(path, glob=False, hive_partitioning=False)


@contextmanager
def _told_plainly(path: Path) -> Iterator[None]:
    import polars as pl

    try:
        yield
    except FileNotFoundError as error:
        raise StoreError(_gone(path)) from error
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise StoreError(f"{path}: {_damaged(_first_line(error))}") from error


def check_columns(directory: Path, files: ColumnFiles) -> None:
    """Compare the files' bytes with what the journal knows of them (about a second a gigabyte).

    Raises
    ------
    StoreError
        One is gone, or is not what was written.
    """
    for name, expected in ((files.pairs, files.pairs_sha256), (files.verdicts, files.verdicts_sha256)):
        path = directory / name
        try:
            found = file_sha256(path)
        except FileNotFoundError as error:
            raise StoreError(_gone(path)) from error
        except OSError as error:
            raise StoreError(f"{path}: can't be read ({error.strerror or error})") from error
        if found != expected:
            raise StoreError(f"{path}: {_damaged('its SHA-256 is not the one in the journal')}")


def remove_columns(directory: Path, *, keep: ColumnFiles | None) -> None:
    """Delete column files that the journal no longer names, and what an interrupted import left; only by the writer."""
    kept = set() if keep is None else {keep.pairs, keep.verdicts}
    for kind in (_PAIRS, _VERDICTS):
        for path in (*directory.glob(f"{kind}-????????????????.parquet"), *directory.glob(f".{kind}.*.part")):
            if path.name not in kept:
                with suppress(OSError):  # a reader on Windows may hold it; the next import tries again
                    path.unlink()


def _gone(path: Path) -> str:
    return (
        f"{path}: is gone. If the log was imported again meanwhile, open the run once more; else restore the run "
        "directory from a copy, or import the log again"
    )


def _damaged(what: str) -> str:
    return f"is damaged ({what}): restore the run directory from a copy, or import the log again"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
