"""The front door for logs that hold verdicts and no texts: as columns, where the format and the file allow it."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import DataError
from evenhand.logs.base import ColumnarLog
from evenhand.logs.read import open_format

__all__ = ["read_log_columns"]


def read_log_columns(format: str, path: Path | str, **options: object) -> ColumnarLog | None:
    r"""Read a log as columns.

    Returns
    -------
    ColumnarLog or None
        None where the format knows no columns, or the file has texts or log probabilities that readouts are to read:
        :func:`evenhand.logs.read_log` reads it.

    Raises
    ------
    DataError, ConfigError
        As :func:`evenhand.logs.read_log`, in the same words.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "verdicts.csv"
    ...     _ = file.write_text("pair_id,order,outcome\np1,AB,first\np1,BA,first\n")
    ...     log = read_log_columns("table", file)
    >>> log.columns.verdict_table()["preference"].to_list()
    ['A', 'B']
    """
    reader = open_format(format, **options)
    read = getattr(reader, "read_columns", None)
    file = Path(path)
    if read is None:
        return None
    if not file.exists():
        raise DataError("no such file", path=file, remedy="check the path")
    log: ColumnarLog | None = read(file)
    return log
