"""One row of a verdict table: its columns, checked one by one and against each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from evenhand.errors import ConfigError
from evenhand.logs.documents import Node, decode_json, short
from evenhand.logs.rows import state_without_verdict
from evenhand.records.completion import FinishReason
from evenhand.records.labels import LabelSet
from evenhand.records.outcome import Order, Outcome, Preference, preference_of, slot_of

__all__ = ["COLUMNS", "LARGEST_REPEAT", "OPTIONAL", "VERDICT_COLUMNS", "TableRow", "parse_row"]

VERDICT_COLUMNS = ("text", "outcome", "preference")
"""At least one of these must be there."""

OPTIONAL = (
    "condition",
    "repeat",
    "gold",
    "source",
    "group",
    "instruction",
    "response_a",
    "response_b",
    "labels",
    "finish_reason",
    "logprobs",
    "judge",
    "model",
)
"""Columns that may be absent, or empty in any row."""

COLUMNS = ("pair_id", "order", *VERDICT_COLUMNS, *OPTIONAL)
"""Every column that is read."""

_ROUNDING = 1e-3
"""How far above 1 rounded log probabilities may sum."""

LARGEST_REPEAT = 1_000_000
"""No control asks a question again this often; larger values are a mistaken column."""

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row's values; None where the column is absent or the field empty."""

    node: Node
    pair_id: str
    order: Order
    text: str | None
    outcome: Outcome | None
    condition: str
    repeat: int
    gold: Preference | None
    source: str | None
    group: str | None
    instruction: str | None
    response_a: str | None
    response_b: str | None
    labels: LabelSet | None
    finish_reason: FinishReason
    logprobs: Mapping[str, float]
    judge: str | None
    model: str | None

    @property
    def answer_finish(self) -> FinishReason:
        """The finish reason of the row's completion: a row that calls its outcome an error has failed."""
        return FinishReason.ERROR if self.outcome is Outcome.ERROR else self.finish_reason


def parse_row(row: Node) -> TableRow:
    """Check one row.

    Raises
    ------
    DataError
        A value can't be read, two columns contradict each other, or the row says nothing.
    """
    order = _choice(row, "order", Order)
    if order is None:
        raise row.child("order").error("is empty, expected AB or BA")
    finish = _choice(row, "finish_reason", FinishReason) or FinishReason.UNKNOWN
    outcome = _outcome(row, order, finish)
    if finish is FinishReason.ERROR and outcome not in (None, Outcome.ERROR):
        raise row.child("finish_reason").error(f"is 'error' beside the outcome {str(outcome)!r}")
    text = _text(row, "text", empty_is_none=outcome is not None)
    logprobs = _logprobs(row)
    if text is None and outcome is None and not logprobs and finish is not FinishReason.ERROR:
        raise row.error("has neither text nor outcome, preference or logprobs")
    return TableRow(
        node=row,
        pair_id=row.child("pair_id").name_or_integer(),
        order=order,
        text=text,
        outcome=Outcome.ERROR if finish is FinishReason.ERROR else outcome,
        condition=_name(row, "condition") or "table",
        repeat=_repeat(row),
        gold=_choice(row, "gold", Preference),
        source=_name(row, "source"),
        group=_name(row, "group"),
        instruction=_text(row, "instruction"),
        response_a=_text(row, "response_a"),
        response_b=_text(row, "response_b"),
        labels=_labels(row),
        finish_reason=finish,
        logprobs=logprobs,
        judge=_name(row, "judge"),
        model=_name(row, "model"),
    )


def _filled(row: Node, column: str) -> Node | None:
    node = row.get(column)
    return None if node is None or node.value == "" else node


def _text(row: Node, column: str, *, empty_is_none: bool = True) -> str | None:
    node = _filled(row, column) if empty_is_none else row.get(column)
    return None if node is None else node.text()


def _name(row: Node, column: str) -> str | None:
    node = _filled(row, column)
    return None if node is None else node.name_or_integer()


def _choice(row: Node, column: str, kind: type[E]) -> E | None:
    node = _filled(row, column)
    if node is None:
        return None
    text = node.text()
    for member in kind:
        if text == member.value:
            return member
    raise node.error(f"is {short(text)}, expected {', '.join(kind)} or empty")


def _outcome(row: Node, order: Order, finish: FinishReason) -> Outcome | None:
    """Read outcome and preference, which must not contradict each other; None where the row has neither column."""
    outcome = _choice(row, "outcome", Outcome)
    preference = _choice(row, "preference", Preference)
    has_preference = "preference" in row.mapping()
    if outcome is None:
        if preference is not None:
            return slot_of(preference, order)
        # An empty preference says that there was no verdict; an empty outcome says nothing.
        return state_without_verdict(finish) if has_preference else None
    stated = preference_of(outcome, order)
    if has_preference and preference is not stated:
        meant = f"preference {stated}" if stated else "no preference"
        told = f"is {preference}" if preference else "is empty"
        raise row.child("outcome").error(
            f"is {str(outcome)!r} in order {order}, which means {meant}, but the column preference {told}"
        )
    return outcome


def _repeat(row: Node) -> int:
    node = _filled(row, "repeat")
    if node is None:
        return 0
    value = node.value
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(LARGEST_REPEAT)):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_REPEAT:
        raise node.error(f"is {short(node.value)}, expected 0, 1, 2, …")
    return value


def _labels(row: Node) -> LabelSet | None:
    node = _filled(row, "labels")
    if node is None:
        return None
    try:
        return LabelSet.parse(node.text())
    except ConfigError as error:
        raise node.error(str(error)) from error


def _logprobs(row: Node) -> Mapping[str, float]:
    """Read token → natural-log probability, from an object or its JSON text."""
    node = _filled(row, "logprobs")
    if node is None:
        return {}
    if isinstance(node.value, str):
        value = decode_json(node.value, path=node.path, row=node.row, field=node.field)
        node = Node(path=node.path, row=node.row, field=node.field, value=value)
    found: dict[str, float] = {}
    for token in node.mapping():
        entry = node.get(token)
        if entry is None:  # Parquet structs hold every row's tokens, null where this row has none
            continue
        found[token] = entry.number()
        if found[token] > 0:
            raise entry.error(f"is {found[token]}, a natural-log probability is at most 0")
    total = math.fsum(math.exp(value) for value in found.values())
    if total > 1 + _ROUNDING:
        raise node.error(f"the probabilities sum to {total:.3f}", remedy="natural logarithms are expected")
    return found
