"""A verdict table as columns: the rules of :mod:`evenhand.logs.table_row`, asked of all rows at once.

The rules aren't written twice. Of each column, :mod:`evenhand.logs.column_values` finds the rows that could be wrong;
of each combination of order, outcome, preference and finish reason that occurs, the row-wise reader is asked what it
means. The first row that could be wrong is given to the row-wise reader, whose words every message therefore has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import DataError
from evenhand.logs.base import ColumnarLog
from evenhand.logs.column_values import ColumnValues
from evenhand.logs.columns import TableColumns, UnsuitedError, open_columns
from evenhand.logs.documents import Node
from evenhand.logs.table_agreement import (
    first_disagreement,
    first_doubled,
    first_other,
    first_rows,
    stated_of_pairs,
)
from evenhand.logs.table_checks import (
    PAIR_FIELDS,
    conditions_of,
    constant,
    judge_of,
    labels_by_condition,
    log_rules,
    pairs_of,
    refuse_duplicates,
    require_columns,
    unused_columns,
)
from evenhand.logs.table_frames import pair_frame, presentation_frame
from evenhand.logs.table_row import COLUMNS, TableRow, parse_row
from evenhand.records.codes import NO_CODE, CodedTexts, repeated
from evenhand.records.columnar import PAIR_TEXTS, VerdictColumns
from evenhand.records.completion import FinishReason
from evenhand.records.grammar import GrammarHint
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Order, Outcome, Preference

__all__ = ["read_columns"]

_ORDERS, _OUTCOMES, _PREFERENCES, _FINISHES = tuple(Order), tuple(Outcome), tuple(Preference), tuple(FinishReason)


def read_columns(path: Path, *, judge: str | None, model: str | None) -> ColumnarLog | None:
    """Read a table of verdicts; None where only the row-wise reader can.

    Raises
    ------
    DataError
        The file, a row or a field can't be read: the first problem, as the row-wise reader finds and says it.
    """
    try:
        with open_columns(path, wanted=COLUMNS) as table:
            require_columns(table.names, path)
            return _log(table, _read(table), judge=judge, model=model)
    except UnsuitedError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Columns:
    """Each column as codes, shape (rows,); -1 or :data:`NO_CODE` where a row has no value."""

    pair: CodedTexts
    order: NDArray[np.int8]
    condition: CodedTexts
    repeat: NDArray[np.uint32]
    outcome: NDArray[np.int8]
    finish: NDArray[np.int8]
    facts: dict[str, CodedTexts]
    labels: tuple[CodedTexts, list[LabelSet]] | None
    judge: CodedTexts | None
    model: CodedTexts | None


def _read(table: TableColumns) -> _Columns:
    values = ColumnValues(table)
    empty = values.refuse_texts()
    order = values.choice("order", Order, needed=True)
    outcome, finish = _answers(table, values, order, empty)
    facts = {"gold": _coded(values.choice("gold", Preference), table)} if "gold" in table.names else {}
    for name in ("source", "group"):
        facts |= _there(name, values.names(name))
    for name in PAIR_TEXTS:
        facts |= _there(name, values.texts(name))
    columns = _Columns(
        pair=_needed(values.names("pair_id", needed=True)),
        order=order,
        condition=values.names("condition", absent="table") or _one("table", table.height),
        repeat=values.repeat(),
        outcome=outcome,
        finish=finish,
        facts=facts,
        labels=values.labels(),
        judge=values.names("judge"),
        model=values.names("model"),
    )
    if values.first_odd < table.height:
        parse_row(table.node(values.first_odd, only=COLUMNS))
        raise UnsuitedError  # it is in order after all: the row-wise reader knows more
    return columns


def _needed(coded: CodedTexts | None) -> CodedTexts:
    assert coded is not None  # noqa: S101 - the column is required
    return coded


def _there(name: str, coded: CodedTexts | None) -> dict[str, CodedTexts]:
    return {} if coded is None else {name: coded}


def _one(text: str, height: int) -> CodedTexts:
    import polars as pl

    return CodedTexts(codes=np.zeros(height, dtype=np.uint32), values=pl.Series([text]))


def _coded(codes: NDArray[np.int8], table: TableColumns) -> CodedTexts:
    """The gold column, whose codes are of fixed values."""
    import polars as pl

    wide = np.full(table.height, NO_CODE, dtype=np.uint32)
    np.copyto(wide, codes, where=codes >= 0, casting="unsafe")
    return CodedTexts(codes=wide, values=pl.Series([preference.value for preference in _PREFERENCES]))


def _answers(
    table: TableColumns, values: ColumnValues, order: NDArray[np.int8], empty: NDArray[np.bool_]
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Outcome and finish reason of each row, by asking the row-wise reader about each combination that occurs."""
    columns = (
        ("order", _ORDERS, np.maximum(order, 0)),
        ("outcome", _OUTCOMES, values.choice("outcome", Outcome)),
        ("preference", _PREFERENCES, values.choice("preference", Preference)),
        ("finish_reason", _FINISHES, values.choice("finish_reason", FinishReason)),
    )
    combined = empty.astype(np.uint16)
    for _, kinds, codes in columns:
        combined *= np.uint16(len(kinds) + 1)
        combined += (codes + 1).astype(np.uint16)
    size = 2 * int(np.prod([len(kinds) + 1 for _, kinds, _ in columns]))
    outcome, finish = np.full(size, -1, dtype=np.int8), np.full(size, -1, dtype=np.int8)
    odd = np.zeros(size, dtype=np.bool_)
    for combination in np.flatnonzero(np.bincount(combined, minlength=size)).tolist():
        record: dict[str, object] = {"pair_id": "p"}
        rest = combination
        for name, kinds, _ in reversed(columns):
            rest, code = divmod(rest, len(kinds) + 1)
            if name in table.names:
                record[name] = kinds[code - 1].value if code else None
        if rest:
            record["text"] = ""
        try:
            row = parse_row(Node(path=table.path, row=1, field="", value=record))
        except DataError:
            odd[combination] = True
            continue
        if row.text is not None:  # an answer of no words: it is read like any other
            raise UnsuitedError
        outcome[combination] = -1 if row.outcome is None else _OUTCOMES.index(row.outcome)
        finish[combination] = _FINISHES.index(row.answer_finish)
    values.mark(odd[combined])
    return outcome[combined], finish[combined]


def _log(table: TableColumns, read: _Columns, *, judge: str | None, model: str | None) -> ColumnarLog:
    def refuse(rows: Sequence[int], check: Callable[[Sequence[TableRow]], object]) -> NoReturn:
        check([parse_row(table.node(row, only=COLUMNS)) for row in rows])
        raise UnsuitedError  # the row-wise reader finds nothing wrong with them

    pair, condition = read.pair, read.condition
    if repeated(pair.codes, read.order.astype(np.uint8), condition.codes, read.repeat):
        refuse(first_doubled(pair.codes, read.order, condition.codes, read.repeat), refuse_duplicates)
    for field, coded in (("judge", read.judge), ("model", read.model)):
        if coded is not None and (rows := first_other(coded.codes)):
            refuse(rows, lambda rows, field=field: constant(rows, field))  # type: ignore[misc]
    labels = _labels(read, refuse)
    facts = {name: stated_of_pairs(pair, coded) for name, coded in read.facts.items()}
    if rows := first_disagreement(pair, {name: read.facts[name] for name in PAIR_FIELDS if name in facts}, facts):
        refuse(rows, pairs_of)
    return ColumnarLog(
        columns=VerdictColumns(
            pairs=pair_frame(pair, {name: (read.facts[name].values, codes) for name, codes in facts.items()}),
            presentations=presentation_frame(
                pair=pair.codes,
                order=read.order,
                condition=condition,
                conditions=tuple(labels),
                repeat=read.repeat,
                outcome=read.outcome,
                finish=read.finish,
            ),
            log_format="table",
            file_sha256=table.sha256,
        ),
        format="table",
        conditions=conditions_of(labels),
        judge=judge_of(_only(read.judge) or judge, _only(read.model) or model),
        orders="both" if _both_orders(pair, read.order) else "single",
        log_rules=log_rules(states=bool((read.outcome >= 0).any())),
        grammars=tuple((name, GrammarHint(labels=label)) for name, label in labels.items()),
        notes=unused_columns(table.names),
    )


def _only(coded: CodedTexts | None) -> str | None:
    return None if coded is None or not len(coded.values) else str(coded.values[0])


def _both_orders(pair: CodedTexts, order: NDArray[np.int8]) -> bool:
    seen = np.zeros((len(_ORDERS), len(pair.values)), dtype=np.bool_)
    for code, row in enumerate(seen):
        row[pair.codes[order == code]] = True
    return bool(seen.all(axis=0).any())


def _labels(
    read: _Columns, refuse: Callable[[Sequence[int], Callable[[Sequence[TableRow]], object]], NoReturn]
) -> dict[str, LabelSet]:
    """Labels of each condition, in the order of first mention; A/B where no row of a condition states them."""
    condition = read.condition
    default = LabelSet(first="A", second="B")
    mentioned = np.argsort(first_rows(condition)).tolist()
    labels = {str(condition.values[code]): default for code in mentioned}
    if read.labels is None:
        return labels
    coded, sets = read.labels
    stated = stated_of_pairs(condition, coded)
    if rows := first_disagreement(condition, {"labels": coded}, {"labels": stated}):
        refuse(rows, labels_by_condition)
    for code, label in enumerate(stated.tolist()):
        if label != NO_CODE:
            labels[str(condition.values[code])] = sets[label]
    return labels
