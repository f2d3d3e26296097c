"""Tables of a report as files, each as CSV and LaTeX, and none of an earlier report beside them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from evenhand.report.model import Table
from evenhand.report.tables import table_csv, table_latex
from evenhand.store.atomic import write_text_atomically
from evenhand.store.remove import remove_files

__all__ = ["FORMS", "write_tables"]

FORMS = ("csv", "tex")
"""Of a table's file."""


def write_tables(tables: Sequence[Table], directory: Path, *, names: Collection[str]) -> tuple[Path, ...]:
    """Write every table as ``ID.csv`` and ``ID.tex`` into a directory that is there.

    Parameters
    ----------
    names
        Ids of every table that a report of this kind may have: files of theirs that are not written now are an earlier
        report's and are removed.

    Returns
    -------
    tuple of Path
        The files: the CSV ones first, in order.

    Raises
    ------
    StoreError
        A file can't be written or removed.
    """
    texts = {
        **{directory / f"{table.id}.csv": table_csv(table) for table in tables},
        **{directory / f"{table.id}.tex": table_latex(table) for table in tables},
    }
    for path, text in texts.items():
        write_text_atomically(path, text)
    remove_files({directory / f"{name}.{form}" for name in names for form in FORMS}.difference(texts))
    return tuple(texts)
