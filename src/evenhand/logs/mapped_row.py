"""One foreign record as one row of the ``table`` format: values put into our words, errors named by their own place."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from evenhand.errors import DataError
from evenhand.logs.column_map import ColumnMap
from evenhand.logs.documents import Node, short
from evenhand.logs.places import look_up
from evenhand.logs.table_row import COLUMNS, TableRow, parse_row
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Order, Outcome, Preference, preference_of

__all__ = ["MappedRow", "parse_mapped", "slot_label"]

_ORDERS: Mapping[str, Order] = {
    **dict.fromkeys(("ab", "original", "forward", "straight", "unswapped", "normal"), Order.AB),
    **dict.fromkeys(("ba", "swapped", "reverse", "reversed", "switched", "flipped"), Order.BA),
}
"""How tools and people name the two orders."""

_TRUE_FALSE: Mapping[object, bool] = {True: True, False: False, "true": True, "false": False, "1": True, "0": False}

_TIES = ("tie", "draw", "tied")

_BRACKETED = re.compile(r"\[{1,2} ?([^\[\]]{1,40}?) ?\]{1,2}")

_NOUN = re.compile(r"(?:assistant|response|answer|output|option|model|candidate) (.{1,40})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MappedRow:
    """A parsed row and what the ``table`` format has no column for.

    Attributes
    ----------
    node
        The record as it stands in the file.
    table
        The row in the ``table`` format's words.
    author_a, author_b
        Who wrote the two responses; None where the record doesn't say.
    first, second
        The texts by slot, where they were mapped so.
    """

    node: Node
    table: TableRow
    author_a: str | None = None
    author_b: str | None = None
    first: str | None = None
    second: str | None = None


def slot_label(text: str, labels: LabelSet) -> Outcome | None:
    """Read a bare label, in brackets or after a noun, as a slot; None where it is none.

    Examples
    --------
    >>> slot_label("[[A]]", LabelSet.parse("A/B")), slot_label("Response 2", LabelSet.parse("1/2"))
    (<Outcome.FIRST: 'first'>, <Outcome.SECOND: 'second'>)
    >>> slot_label("C", LabelSet.parse("A/B")) is None
    True
    """
    bare = text.strip()
    bracketed = _BRACKETED.fullmatch(bare)
    bare = bracketed[1] if bracketed else bare
    noun = _NOUN.fullmatch(bare)
    bare = noun[1].strip() if noun else bare
    for outcome, label in labels.by_outcome.items():
        if bare == label or (not labels.case_sensitive and bare.casefold() == label.casefold()):
            return outcome
    return Outcome.TIE if bare.casefold() in _TIES else None


def parse_mapped(row: Node, columns: ColumnMap, *, labels: LabelSet, order: Order | None = None) -> MappedRow:
    """Parse a record by a column map.

    Parameters
    ----------
    row
        The record.
    columns
        Where each thing stands.
    labels
        The labels of the two slots, for values such as ``A``; a row's own ``labels`` come first.
    order
        The order of every row, where the user says that all were shown in one.

    Raises
    ------
    DataError
        A value can't be read; the field named is the record's own.
    """
    row.mapping()
    values = {target: look_up(row.value, place) for target, place in columns.places}
    reader = _Reader(row=row, columns=columns, values=values, labels=labels)
    shown = _order(reader, order)
    record: dict[str, object] = {name: values[name] for name in COLUMNS if values.get(name) is not None}
    record["order"] = str(shown)
    if isinstance(record.get("text"), Mapping | list | int) and not isinstance(record["text"], bool):
        # A judge that was asked for JSON: its answer was parsed before it was logged.
        record["text"] = json.dumps(record["text"], ensure_ascii=False)
    _verdict(reader, record, shown)
    if reader.text("error"):
        record["finish_reason"] = "error"
        for name in ("outcome", "preference", "text"):
            record.pop(name, None)
    if isinstance(record.get("logprobs"), Mapping) and not record["logprobs"]:
        del record["logprobs"]
    record.setdefault("labels", labels.name)
    try:
        table = parse_row(Node(path=row.path, row=row.row, field="", value=record))
    except DataError as error:
        raise reader.renamed(error) from error
    return MappedRow(
        node=row,
        table=table,
        author_a=reader.text("author_a"),
        author_b=reader.text("author_b"),
        first=reader.text("first"),
        second=reader.text("second"),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reader:
    row: Node
    columns: ColumnMap
    values: Mapping[str, object]
    labels: LabelSet

    def node(self, target: str) -> Node:
        """The value of a target, at its own place."""
        place = self.columns.place(target) or target
        return Node(path=self.row.path, row=self.row.row, field=place, value=self.values.get(target))

    def text(self, target: str) -> str | None:
        """Text of a target; None where absent or empty."""
        value = self.values.get(target)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)  # labels may be numbers
        return None if value is None or value == "" else self.node(target).text()

    def renamed(self, error: DataError) -> DataError:
        """The same error, its field being the record's own place."""
        place = self.columns.place(error.field or "")
        field = error.field if place is None else place
        return DataError(error.problem, path=error.path, row=error.row, field=field, remedy=error.remedy)


def _order(reader: _Reader, fixed: Order | None) -> Order:
    value = reader.values.get("order")
    if value is not None and value != "":
        node = reader.node("order")
        found = _ORDERS.get(node.text().strip().casefold())
        if found is None:
            raise node.error(f"is {short(value)}, expected AB (A shown first) or BA")
        return found
    swapped = reader.values.get("swapped")
    if swapped is not None and swapped != "":
        node = reader.node("swapped")
        key = swapped.strip().casefold() if isinstance(swapped, str) else swapped
        known = _TRUE_FALSE.get(key) if isinstance(key, bool | str | int) else None
        if known is None:
            raise node.error(f"is {short(swapped)}, expected true (B shown first) or false")
        return Order.BA if known else Order.AB
    if fixed is not None:
        return fixed
    raise reader.row.error(
        "doesn't say which response was shown first",
        remedy="map order or swapped to a column; --set order=AB only where every row showed response A first",
    )


def _verdict(reader: _Reader, record: dict[str, object], order: Order) -> None:
    """Put outcome, preference and the right answer into our words, in place."""
    for target in ("outcome", "preference"):
        if reader.columns.place(target) is None:
            continue
        value = reader.text(target)
        if value is None:
            # The column is there and this row has nothing: a state, not silence.
            record["preference"] = ""
            record.pop("outcome", None)
        elif target == "outcome":
            record["outcome"] = str(_outcome(reader, value))
        else:
            record["preference"] = str(_preference(reader, value))
    if reader.text("correct") is not None and record.get("gold") in (None, ""):
        node = reader.node("correct")
        right = slot_label(reader.text("correct") or "", reader.labels)
        gold = None if right is None else preference_of(right, order)
        if gold is None:
            raise node.error(f"is {short(node.value)}, expected a label of {reader.labels.name}")
        record["gold"] = str(gold)
    elif reader.text("gold") is not None:
        record["gold"] = str(_identity(reader, "gold"))


def _outcome(reader: _Reader, value: str) -> Outcome:
    if value in tuple(Outcome):
        return Outcome(value)
    found = slot_label(value, reader.labels)
    if found is None:
        raise reader.node("outcome").error(
            f"is {short(value)}, expected {', '.join(Outcome)} or a label of {reader.labels.name}"
        )
    return found


def _preference(reader: _Reader, value: str) -> Preference:
    return _identity(reader, "preference") if value else Preference.TIE


def _identity(reader: _Reader, target: str) -> Preference:
    """A, B, tie, or the name of one of the two authors."""
    node = reader.node(target)
    value = (reader.text(target) or "").strip()
    for preference in Preference:
        if value.casefold() == preference.value.casefold():
            return preference
    named = [side for side in ("author_a", "author_b") if reader.text(side) == value]
    if len(named) == 1:
        return Preference.A if named[0] == "author_a" else Preference.B
    raise node.error(f"is {short(node.value)}, expected A, B, tie or the name of one of the two authors")
