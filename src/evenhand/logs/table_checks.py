"""What concerns several rows of a verdict table: they must agree on what they say together."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from evenhand.errors import DataError
from evenhand.logs.documents import short
from evenhand.logs.rows import PROMPT_NOT_RECORDED
from evenhand.logs.table_row import COLUMNS, VERDICT_COLUMNS, TableRow
from evenhand.records.labels import LabelSet
from evenhand.records.manifest import JudgeIdentity
from evenhand.records.pair import Pair
from evenhand.records.presentation import Condition

__all__ = [
    "PAIR_FIELDS",
    "conditions_of",
    "constant",
    "judge_of",
    "labels_by_condition",
    "log_rules",
    "pairs_of",
    "refuse_duplicates",
    "require_columns",
    "unused_columns",
]

PAIR_FIELDS = ("gold", "source", "group", "instruction", "response_a", "response_b")
"""Columns that say something of the pair, so that its rows must agree."""

_RULES = "The table states the outcome or the preference itself; how it was decided is not recorded."
_NO_RULES = "The table has texts only: it states no outcome of its own."


def log_rules(*, states: bool) -> str:
    """How the table decided its own outcome; ``states`` where some row has one."""
    return _RULES if states else _NO_RULES


def judge_of(judge: str | None, model: str | None) -> JudgeIdentity:
    """Who answered, as far as table and options say."""
    return JudgeIdentity(spec=f"log:table:{judge or model or 'unknown'}", model=model or judge or "unknown")


def conditions_of(labels: Mapping[str, LabelSet]) -> tuple[Condition, ...]:
    """The conditions with their labels; the prompts behind them aren't known."""
    return tuple(
        Condition(id=condition, prompt=condition, prompt_hash=PROMPT_NOT_RECORDED, labels=label)
        for condition, label in labels.items()
    )


def require_columns(seen: Collection[str], path: Path) -> None:
    """Refuse a table without the columns that every table needs."""
    for column in ("pair_id", "order"):
        if column not in seen:
            raise DataError(f"has no column {column!r}", path=path, remedy=_suggest(column, seen))
    if not set(seen) & set(VERDICT_COLUMNS):
        raise DataError(
            "has none of the columns text, outcome and preference",
            path=path,
            remedy=f"it has {_listed(seen)}; say which it is: --map text=COLUMN (what the judge wrote), --map "
            "outcome=COLUMN (the slot that won) or --map preference=COLUMN (the identity that won)",
        )


def unused_columns(seen: Collection[str]) -> tuple[str, ...]:
    """One note for each column that isn't read."""
    unused = sorted(set(seen) - set(COLUMNS))
    return tuple(f"column {short(name)} is not used{_meant(name)}" for name in unused)


def _suggest(column: str, seen: Collection[str]) -> str:
    close = difflib.get_close_matches(column, sorted(seen), n=1)
    if close:
        return f"rename {close[0]!r}, or --map {column}={close[0]!r}"
    return f"it has {_listed(seen)}; --map {column}=COLUMN says which it is"


def _listed(seen: Collection[str]) -> str:
    return ", ".join(short(name) for name in sorted(seen)[:8])


def _meant(name: str) -> str:
    close = difflib.get_close_matches(name, COLUMNS, n=1)
    return f"; was {close[0]!r} meant?" if close else ""


def refuse_duplicates(parsed: Sequence[TableRow]) -> None:
    """Refuse a presentation that is there twice."""
    seen: dict[tuple[str, str, str, int], TableRow] = {}
    for row in parsed:
        place = (row.pair_id, str(row.order), row.condition, row.repeat)
        earlier = seen.setdefault(place, row)
        if earlier is not row:
            raise DataError(
                f"the same pair {short(row.pair_id)}, order {row.order}, condition {short(row.condition)} and repeat "
                f"{row.repeat} as row {earlier.node.row}",
                path=row.node.path,
                row=row.node.row,
                field="pair_id",
                remedy="number repeated questions in a column 'repeat'",
            )


def constant(parsed: Sequence[TableRow], field: str) -> str | None:
    """Take a value that the whole table shares, None where the column is absent or empty throughout."""
    stated = [row for row in parsed if getattr(row, field) is not None]
    for row in stated:
        _require_equal(row, stated[0], field, "a table is of one judge")
    value: str | None = getattr(stated[0], field) if stated else None
    return value


def _require_equal(row: TableRow, earlier: TableRow, field: str, why: str) -> None:
    mine, theirs = getattr(row, field), getattr(earlier, field)
    if mine != theirs:
        problem = f"is {short(mine)}, but row {earlier.node.row} has {short(theirs)}: {why}"
        raise DataError(problem, path=row.node.path, row=row.node.row, field=field)


def labels_by_condition(parsed: Sequence[TableRow]) -> dict[str, LabelSet]:
    """Labels of each condition, in the order of first mention; A/B where no row of a condition states them."""
    stated: dict[str, TableRow] = {}
    for row in parsed:
        if row.labels is not None:
            earlier = stated.setdefault(row.condition, row)
            if earlier.labels != row.labels:
                mine = short(row.labels.name)
                theirs = short(earlier.labels.name if earlier.labels else "")
                problem = f"is {mine}, but row {earlier.node.row} of the same condition has {theirs}"
                raise DataError(problem, path=row.node.path, row=row.node.row, field="labels")
    default = LabelSet(first="A", second="B")
    found = {condition: row.labels for condition, row in stated.items()}
    return {row.condition: found.get(row.condition) or default for row in parsed}


def pairs_of(parsed: Sequence[TableRow]) -> tuple[Pair, ...]:
    """One pair per id; each fact from the first row that states it, and every row that states it agrees."""
    facts: dict[str, dict[str, TableRow]] = {}
    for row in parsed:
        known = facts.setdefault(row.pair_id, {})
        for field in PAIR_FIELDS:
            if getattr(row, field) is not None:
                _require_equal(row, known.setdefault(field, row), field, "rows of one pair must agree")
    pairs = []
    for pair_id, known in facts.items():
        value = {field: getattr(row, field) for field, row in known.items()}
        pairs.append(
            Pair(
                id=pair_id,
                instruction=value.get("instruction", ""),
                response_a=value.get("response_a", ""),
                response_b=value.get("response_b", ""),
                gold=value.get("gold"),
                source=value.get("source", ""),
                # Without an instruction its hash would put every pair into one group.
                group=value.get("group") or ("" if value.get("instruction") else pair_id),
            )
        )
    return tuple(pairs)
