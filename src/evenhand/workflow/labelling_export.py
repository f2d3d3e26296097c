"""Recorded labels as a label file, which ``evenhand humans`` and ``evenhand mitigate`` read."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from evenhand.errors import ConfigError
from evenhand.store.atomic import write_text_atomically
from evenhand.store.label_store import LABELS, LabelStore
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.workflow.labelling_current import LabelState, StatedLabel, state_labels

__all__ = ["COLUMNS", "FORMATS", "ExportedLabels", "export_labels", "labels_text", "store_path"]

Cell: TypeAlias = str | int | float | bool | None

FORMATS: Final = ("csv", "jsonl")

COLUMNS: Final = (
    "pair_id",
    "preference",
    "annotator",
    "date",
    "state",
    "choice",
    "shown_order",
    "confidence",
    "seconds",
    "drawn",
    "after_results",
    "note",
    "text_sha256",
)
"""The first four are a label file's; the others say how each label came about."""

_FORMULA: Final = tuple("=+-@\t\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedLabels:
    """What was written.

    Attributes
    ----------
    path
        The file; None: nothing was written, ``text`` has it.
    text
        The file's text.
    counts
        Rows by :class:`~evenhand.workflow.labelling_current.LabelState`; those of ``label`` alone have a preference.
    """

    path: Path | None
    text: str
    counts: Mapping[LabelState, int]

    @property
    def labels(self) -> int:
        """Rows with a preference."""
        return self.counts.get(LabelState.LABEL, 0)


def export_labels(
    source: str | Path,
    path: str | Path | None = None,
    *,
    runs: Sequence[str | Path] = (),
    annotators: Sequence[str] = (),
    history: bool = False,
    form: str | None = None,
) -> ExportedLabels:
    """Write the labels of a store as a label file.

    Parameters
    ----------
    source
        A run's directory, whose ``labels.sqlite`` is meant, or a label store.
    path
        The file, ``.csv`` or ``.jsonl``; None: none is written.
    runs
        Where the pairs are as they are now, to tell labels of pairs that changed since. A run given as ``source``
        is one of them.
    annotators
        Only theirs; empty: everybody's.
    history
        Also what a later label took the place of, and repeats, without a preference: they don't count.
    form
        ``csv`` or ``jsonl``; None: what the path ends in, else ``csv``.

    Raises
    ------
    ConfigError
        Another ending, or an annotator who isn't in the store.
    StoreError
        The store or a run can't be read, or the file not written.
    """
    target = None if path is None else Path(path)
    chosen = form or ("csv" if target is None else target.suffix.lower().removeprefix("."))
    if chosen not in FORMATS:
        name = repr(form) if target is None else str(target)
        raise ConfigError(f"labels as {name}: expected a name that ends in .csv or .jsonl")
    store = LabelStore(store_path(source), create=False)
    known = {annotator.name for annotator in store.annotators()}
    strangers = [name for name in annotators if name not in known]
    if strangers:
        have = ", ".join(sorted(known)) or "nobody"
        raise ConfigError(f"annotator {strangers[0]!r} labelled nothing in {store.path}: it has {have}")
    directories = [Path(run) for run in ((source, *runs) if Path(source).is_dir() else runs)]
    pairs = LabelPairs(directories) if directories else None
    stated = state_labels(store.events(), text_sha256=None if pairs is None else pairs.text_sha256)
    kept = [
        each
        for each in stated
        if (not annotators or each.event.annotator in annotators)
        and (history or each.state not in (LabelState.SUPERSEDED, LabelState.REPEAT))
    ]
    text = labels_text(kept, form=chosen)
    if target is not None:
        write_text_atomically(target, text)
    return ExportedLabels(path=target, text=text, counts=Counter(each.state for each in kept))


def store_path(source: str | Path) -> Path:
    """The label store that a run's directory or a file's name means."""
    path = Path(source)
    return path / LABELS if path.is_dir() else path


def labels_text(stated: Iterable[StatedLabel], *, form: str) -> str:
    """Labels as the text of a label file; no cell of a CSV can be taken for a formula."""
    rows = [_row(each) for each in stated]
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_cell(row[name]) for name in COLUMNS] for row in rows)
    return buffer.getvalue()


def _row(each: StatedLabel) -> dict[str, Cell]:
    event = each.event
    counts = each.state is LabelState.LABEL and event.preference is not None
    return {
        "pair_id": event.showing.pair_id,
        "preference": str(event.preference) if counts else "",
        "annotator": event.annotator,
        "date": event.recorded_at,
        "state": each.state.value,
        "choice": event.choice.value,
        "shown_order": event.showing.shown_order.value,
        "confidence": event.confidence,
        "seconds": None if event.seconds is None else round(event.seconds, 1),
        "drawn": event.showing.drawn.value,
        "after_results": event.after_results,
        "note": event.note,
        "text_sha256": event.showing.text_sha256,
    }


def _cell(value: Cell) -> Cell:
    """An apostrophe before what a spreadsheet takes for a formula, as :func:`evenhand.report.text.csv_cell` has it.

    :func:`evenhand.datasets.labels.read_labels` takes it off a pair's id again.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
