"""From the long verdict table to one row per pair: small integer arrays, one set per condition and readout.

Everything that an audit counts is counted on these arrays, so that ten million rows cost seconds and no loop
runs over pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.long_rows import (
    PREFERENCES,
    READOUTS,
    SCORES,
    LongRows,
    as_texts,
    check_columns,
    check_keys,
    codes_of,
)
from evenhand.analysis.scope import ABSENT, SECOND, Booleans, Codes, PairFacts, Scope, WideTable
from evenhand.errors import DataError
from evenhand.records import Readout
from evenhand.records.codes import CodedTexts, code_texts
from evenhand.records.columnar import VerdictColumns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["widen", "widen_columns"]

Code = TypeVar("Code", bound=np.generic)


def widen(table: pl.DataFrame) -> WideTable:
    """Turn a verdict table into arrays.

    Parameters
    ----------
    table
        The columns of :func:`evenhand.records.verdict_table`, in any row order.

    Raises
    ------
    DataError
        A column is missing, a value unknown, a presentation there twice, or a pair has two groups, sources or golds.

    Examples
    --------
    >>> from evenhand.records import Order, Outcome, Verdict, verdict_table
    >>> row = dict(pair_id="p", group="g", source="s", gold=None, condition="c", readout=Readout.GENERATED, repeat=0)
    >>> rows = [Verdict(**row, order=order, outcome=Outcome.FIRST) for order in Order]
    >>> widen(verdict_table(rows)).scopes[0].flips.tolist()
    [True]
    """
    check_columns(table)
    if table.height == 0:
        return _nothing()
    pair, condition = (code_texts(as_texts(table[name])) for name in ("pair_id", "condition"))
    check_keys(table, pair=pair.codes, condition=condition.codes)
    facts = _pair_facts(table, pair)
    rows = LongRows.read(table, pair=pair.codes, condition=condition.codes)
    return _wide(rows, facts=facts, conditions=tuple(condition.values.to_list()))


def widen_columns(columns: VerdictColumns) -> WideTable:
    """The same of a log that was imported as columns: no text is looked at but the pairs' own facts.

    Examples
    --------
    The readout is the log's own.

    >>> import polars as pl
    >>> pairs = pl.DataFrame({"id": ["p"], "ordinal": [0], "source": [""], "group": ["p"], "gold": [None]})
    >>> frame = pl.DataFrame({"pair": [0, 0], "order": ["AB", "BA"], "repeat": [0, 0], "outcome": ["first", "first"]})
    >>> frame = frame.with_columns(condition=pl.lit("c"), finish_reason=pl.lit("stop"))
    >>> log = VerdictColumns(pairs=pairs, presentations=frame, log_format="table", file_sha256="")
    >>> widen_columns(log).scopes[0].flips.tolist()
    [True]
    """
    pairs = columns.pairs
    if columns.presentations.height == 0:
        return _nothing()
    group, source = (code_texts(pairs[name]) for name in ("group", "source"))
    facts = PairFacts(
        ids=pairs["id"].alias("pair_id"),
        group=group.codes.astype(np.int64),
        source=source.codes.astype(np.int64),
        gold=codes_of(pairs["gold"], PREFERENCES),
        n_groups=len(group.values),
        n_sources=len(source.values),
    )
    condition = code_texts(as_texts(columns.presentations["condition"]))
    rows = LongRows.logged(columns, condition=condition.codes)
    return _wide(rows, facts=facts, conditions=tuple(condition.values.to_list()))


def _nothing() -> WideTable:
    empty = np.empty(0, dtype=np.int64)
    facts = PairFacts(ids=(), group=empty, source=empty, gold=empty.astype(np.int8), n_groups=0, n_sources=0)
    return WideTable(facts=facts, scopes=(), conditions=())


def _wide(rows: LongRows, *, facts: PairFacts, conditions: tuple[str, ...]) -> WideTable:
    scopes = [
        _scope(rows.where(condition=c, readout=r), n_pairs=facts.gold.size, condition=condition, readout=readout)
        for c, condition in enumerate(conditions)
        for r, readout in enumerate(READOUTS)
    ]
    return WideTable(facts=facts, scopes=tuple(s for s in scopes if s is not None), conditions=conditions)


def _pair_facts(table: pl.DataFrame, pair: CodedTexts) -> PairFacts:
    group, source = (code_texts(as_texts(table[name])) for name in ("group", "source"))
    gold = codes_of(table["gold"], PREFERENCES)
    return PairFacts(
        ids=pair.values.alias("pair_id"),
        group=_of_pairs(group.codes, pair).astype(np.int64),
        source=_of_pairs(source.codes, pair).astype(np.int64),
        gold=_of_pairs(gold, pair),
        n_groups=len(group.values),
        n_sources=len(source.values),
    )


def _of_pairs(codes: NDArray[Code], pair: CodedTexts) -> NDArray[Code]:
    """One value a pair from one a row; the rows of a pair agree, or it is an error."""
    values = np.empty(len(pair.values), dtype=codes.dtype)
    values[pair.codes] = codes
    differs = values[pair.codes] != codes
    if differs.any():
        pair_id = pair.values[int(pair.codes[differs].min())]
        raise DataError(f"pair {pair_id!r} has rows that differ in group, source or gold", field="pair_id")
    return values


_WIDE = ("outcome", "preference", "compliant", "lead", "log_outcome", "generated")


def _scope(rows: LongRows, *, n_pairs: int, condition: str, readout: Readout) -> Scope | None:
    main = rows.repeat == 0
    if not main.any():
        return None
    again = None if main.all() else ~main
    pair, order = (rows.pair, rows.order) if again is None else (rows.pair[main], rows.order[main])
    there = np.zeros(n_pairs, dtype=np.bool_)
    there[pair] = True
    place_of = np.cumsum(there, dtype=np.int64) - 1
    place = place_of[pair]
    wide = {name: np.full((place_of[-1] + 1, 2), ABSENT, dtype=np.int8) for name in _WIDE}
    for name, values in wide.items():
        column = rows.columns[name]
        if column is not None:
            values[place, order] = column if again is None else column[main]
    scores = {name: np.full((place_of[-1] + 1, 2), np.nan, dtype=np.float32) for name in SCORES}
    for name, scored in scores.items():
        score = rows.scores[name]
        if score is not None:
            scored[place, order] = score if again is None else score[main]
    repeats = _repeats(rows, again, there=there, place_of=place_of, outcomes=wide["outcome"])
    return Scope(
        condition=condition,
        readout=readout,
        pairs=np.flatnonzero(there),
        repeat_asked=repeats[0],
        repeat_compared=repeats[1],
        repeat_changed=repeats[2],
        log_odds=scores["log_odds"],
        mass=scores["mass"],
        outcome=wide["outcome"],
        preference=wide["preference"],
        compliant=wide["compliant"],
        lead=wide["lead"],
        log_outcome=wide["log_outcome"],
        generated=wide["generated"],
    )


def _repeats(
    rows: LongRows, again: Booleans | None, *, there: Booleans, place_of: NDArray[np.int64], outcomes: Codes
) -> list[NDArray[np.int64]]:
    """Repeated presentations of each pair: asked, compared, changed; shape (pairs,) each."""
    n = len(outcomes)
    if again is None:
        return [np.zeros(n, dtype=np.int64) for _ in range(3)]
    again &= there[rows.pair]
    where, column = place_of[rows.pair[again]], rows.columns["outcome"]
    assert column is not None  # noqa: S101 - every verdict has an outcome
    outcome, before = column[again], outcomes[where, rows.order[again]]
    compared = (outcome >= 0) & (outcome <= SECOND) & (before >= 0) & (before <= SECOND)
    changed = compared & (outcome != before)
    return [np.bincount(places, minlength=n) for places in (where, where[compared], where[changed])]
