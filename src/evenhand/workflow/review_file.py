"""The review queue as a file that a person fills in blind, and that ``--labels`` reads again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand.errors import ConfigError
from evenhand.mitigation.review_queue import ReviewItem
from evenhand.records import Pair
from evenhand.store.atomic import write_text_atomically

__all__ = ["FORMATS", "check_review_path", "write_review"]

FORMATS = (".csv", ".jsonl")
_COLUMNS = ("pair_id", "preference", "annotator", "reason", "priority", "instruction", "response_a", "response_b")


def check_review_path(path: Path) -> None:
    """Refuse another extension than ``.csv`` and ``.jsonl``.

    Raises
    ------
    ConfigError
        It has another.
    """
    if path.suffix.lower() not in FORMATS:
        raise ConfigError(f"review queue {path}: expected a name that ends in {' or '.join(FORMATS)}")


def write_review(path: Path, queue: Sequence[ReviewItem], pairs: Mapping[str, Pair]) -> None:
    """Write the queue, most urgent first, with empty columns ``preference`` and ``annotator`` to fill in.

    What the judges voted isn't written: whoever reads it before deciding leans towards it.

    Raises
    ------
    ConfigError
        The extension is another.
    StoreError
        The file can't be written.
    """
    check_review_path(path)
    rows = [_row(item, pairs[item.pair_id]) for item in queue]
    if path.suffix.lower() == ".jsonl":
        text = "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows)
    else:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\r\n")
        writer.writerow(_COLUMNS)
        writer.writerows([_cell(row[name]) for name in _COLUMNS] for row in rows)
        text = buffer.getvalue()
    write_text_atomically(path, text)


def _row(item: ReviewItem, pair: Pair) -> dict[str, str | float]:
    return {
        "pair_id": item.pair_id,
        "preference": "",
        "annotator": "",
        "reason": item.reason,
        "priority": round(item.priority, 4),
        "instruction": pair.instruction,
        "response_a": pair.response_a,
        "response_b": pair.response_b,
    }


def _cell(value: str | float) -> str | float:
    """No spreadsheet takes it for a formula: see :func:`evenhand.report.text.csv_cell`; line breaks stay."""
    return f"'{value}" if isinstance(value, str) and value[:1] in tuple("=+-@\t\r") else value
