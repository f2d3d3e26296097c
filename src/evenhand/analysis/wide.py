"""From the long verdict table to one row per pair: small integer arrays, one set per condition and readout.

Everything that an audit counts is counted on these arrays, so that ten million rows cost seconds and no loop
runs over pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import (
    ABSENT,
    OUTCOMES,
    SECOND,
    Booleans,
    Codes,
    PairFacts,
    Scope,
    Scores,
    WideTable,
)
from evenhand.errors import DataError
from evenhand.records import Order, Preference, Readout, preference_of
from evenhand.records.codes import NO_CODE, CodedTexts, code_texts, repeated
from evenhand.records.columnar import VerdictColumns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["widen", "widen_columns"]

Code = TypeVar("Code", bound=np.generic)

_ORDERS = tuple(Order)
_READOUTS = tuple(Readout)
_PREFERENCES = tuple(Preference)
_COLUMNS = {
    "order": _ORDERS,
    "readout": _READOUTS,
    "outcome": OUTCOMES,
    "preference": _PREFERENCES,
    "lead": OUTCOMES,
    "log_outcome": OUTCOMES,
}
_SCORES = ("log_odds", "mass")
_KEY = ("pair_id", "condition", "readout", "order", "repeat")
_FACTS = ("pair_id", "group", "source", "gold")


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
    >>> from evenhand.records import Outcome, Verdict, verdict_table
    >>> row = dict(pair_id="p", group="g", source="s", gold=None, condition="c", readout=Readout.GENERATED, repeat=0)
    >>> rows = [Verdict(**row, order=order, outcome=Outcome.FIRST) for order in Order]
    >>> widen(verdict_table(rows)).scopes[0].flips.tolist()
    [True]
    """
    _check_columns(table)
    if table.height == 0:
        return _nothing()
    pair, condition = (code_texts(_texts(table[name])) for name in ("pair_id", "condition"))
    _check_keys(table, pair=pair.codes, condition=condition.codes)
    facts = _pair_facts(table, pair)
    rows = _Rows.read(table, pair=pair.codes, condition=condition.codes)
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
        gold=_codes(pairs["gold"], _PREFERENCES),
        n_groups=len(group.values),
        n_sources=len(source.values),
    )
    condition = code_texts(_texts(columns.presentations["condition"]))
    rows = _Rows.logged(columns, condition=condition.codes)
    return _wide(rows, facts=facts, conditions=tuple(condition.values.to_list()))


def _nothing() -> WideTable:
    empty = np.empty(0, dtype=np.int64)
    facts = PairFacts(ids=(), group=empty, source=empty, gold=empty.astype(np.int8), n_groups=0, n_sources=0)
    return WideTable(facts=facts, scopes=(), conditions=())


def _wide(rows: _Rows, *, facts: PairFacts, conditions: tuple[str, ...]) -> WideTable:
    scopes = [
        _scope(rows.where(condition=c, readout=r), n_pairs=facts.gold.size, condition=condition, readout=readout)
        for c, condition in enumerate(conditions)
        for r, readout in enumerate(_READOUTS)
    ]
    return WideTable(facts=facts, scopes=tuple(s for s in scopes if s is not None), conditions=conditions)


def _check_columns(table: pl.DataFrame) -> None:
    needed = {*_KEY, *_FACTS, *_COLUMNS, *_SCORES, "compliant", "generated"}
    if missing := sorted(needed - set(table.columns)):
        raise DataError(
            f"the verdict table has no column {', '.join(missing)}",
            remedy="build it with evenhand.records.verdict_table",
        )
    for name in (*_KEY, "outcome", "group", "source"):
        if table[name].null_count():
            raise DataError(f"{table[name].null_count()} rows have no value", field=name)


def _texts(series: pl.Series) -> pl.Series:
    import polars as pl

    return series if series.dtype == pl.String else series.cast(pl.String)


def _check_keys(table: pl.DataFrame, *, pair: NDArray[np.uint32], condition: NDArray[np.uint32]) -> None:
    readout, order = (code_texts(_texts(table[name])).codes for name in ("readout", "order"))
    if not repeated(pair, condition, readout, order, _numbers(table["repeat"])):
        return
    doubled = table.select(_KEY).is_duplicated()
    row = table.select(_KEY).filter(doubled).row(0, named=True)
    raise DataError(
        f"{int(doubled.sum())} rows share their key with another, such as {row}",
        remedy="keep one verdict per pair, condition, readout, order and repeat",
    )


def _numbers(repeat: pl.Series) -> NDArray[np.uint32]:
    """Repeats, or where they are no small numbers, the ranks of them."""
    values = repeat.to_numpy()
    if values.min() < 0 or values.max() >= NO_CODE:
        values = np.unique(values, return_inverse=True)[1]
    return values.astype(np.uint32)


def _pair_facts(table: pl.DataFrame, pair: CodedTexts) -> PairFacts:
    group, source = (code_texts(_texts(table[name])) for name in ("group", "source"))
    gold = _codes(table["gold"], _PREFERENCES)
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


def _codes(series: pl.Series, names: tuple[str, ...]) -> Codes:
    """Index of each value in ``names``; nulls become ABSENT, anything else is an error."""
    import polars as pl

    wanted = [str(name) for name in names]
    text = _texts(series)
    coded = text.cast(pl.Enum(wanted), strict=False)
    if coded.null_count() > text.null_count():
        strange = text.filter(coded.is_null() & text.is_not_null())[0]
        raise DataError(f"{strange!r} is none of {', '.join(wanted)}", field=series.name)
    return coded.to_physical().cast(pl.Int8).fill_null(ABSENT).to_numpy()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """The long table as arrays: one element a row, values as codes; None where no row has a value."""

    pair: NDArray[np.uint32]
    scope: NDArray[np.uint16] | NDArray[np.uint32]
    order: Codes
    repeat: NDArray[Any]
    columns: dict[str, Codes | None]
    scores: dict[str, Scores | None]

    @classmethod
    def read(cls, table: pl.DataFrame, *, pair: NDArray[np.uint32], condition: NDArray[np.uint32]) -> _Rows:
        """Encode the table."""
        import polars as pl

        coded: dict[str, Codes | None] = {name: _codes(table[name], names) for name, names in _COLUMNS.items()}
        for name in ("compliant", "generated"):
            coded[name] = table[name].cast(pl.Int8).fill_null(ABSENT).to_numpy()
        scores: dict[str, Scores | None] = {
            name: None
            if table[name].null_count() == table.height
            else table[name].cast(pl.Float32).fill_null(float("nan")).to_numpy()
            for name in _SCORES
        }
        readout, order = coded.pop("readout"), coded.pop("order")
        assert readout is not None  # noqa: S101
        assert order is not None  # noqa: S101
        return cls(
            pair=pair,
            scope=_scopes_of(condition, readout),
            order=order,
            repeat=table["repeat"].to_numpy(),
            columns=coded,
            scores=scores,
        ).by_scope()

    @classmethod
    def logged(cls, columns: VerdictColumns, *, condition: NDArray[np.uint32]) -> _Rows:
        """Take the log's own verdicts."""
        rows = columns.presentations
        order, outcome = _codes(rows["order"], _ORDERS), _codes(rows["outcome"], OUTCOMES)
        return cls(
            pair=rows["pair"].to_numpy(),
            scope=_scopes_of(condition, _READOUTS.index(Readout.LOGGED)),
            order=order,
            repeat=rows["repeat"].to_numpy(),
            columns={
                "outcome": outcome,
                "preference": _preferences()[outcome, order],
                **dict.fromkeys(("compliant", "lead", "log_outcome", "generated")),
            },
            scores=dict.fromkeys(_SCORES),
        ).by_scope()

    def by_scope(self) -> _Rows:
        """Sorted by scope, so that a scope is a slice."""
        if self.scope[0] == self.scope[-1] and not (self.scope != self.scope[0]).any():
            return self
        return self._take(np.argsort(self.scope, kind="stable"))

    def where(self, *, condition: int, readout: int) -> _Rows:
        """The rows of one scope, of rows sorted by scope."""
        code = condition * len(_READOUTS) + readout
        return self._take(slice(*np.searchsorted(self.scope, [code, code + 1]).tolist()))

    def _take(self, rows: slice | NDArray[np.int64]) -> _Rows:
        return _Rows(
            pair=self.pair[rows],
            scope=self.scope[rows],
            order=self.order[rows],
            repeat=self.repeat[rows],
            columns={name: None if values is None else values[rows] for name, values in self.columns.items()},
            scores={name: None if values is None else values[rows] for name, values in self.scores.items()},
        )


def _scopes_of(condition: NDArray[np.uint32], readout: Codes | int) -> NDArray[np.uint16] | NDArray[np.uint32]:
    """One number a condition and readout, as small as it can be: those sort fastest."""
    scope = condition * np.uint32(len(_READOUTS)) + np.asarray(readout).astype(np.uint32)
    return scope.astype(np.uint16) if scope.max(initial=0) <= np.iinfo(np.uint16).max else scope


def _preferences() -> Codes:
    """Preference of an outcome in an order, as codes; shape (outcomes, orders)."""
    found = [[preference_of(outcome, order) for order in _ORDERS] for outcome in OUTCOMES]
    codes = [[ABSENT if one is None else _PREFERENCES.index(one) for one in row] for row in found]
    return np.array(codes, dtype=np.int8)


_WIDE = ("outcome", "preference", "compliant", "lead", "log_outcome", "generated")


def _scope(rows: _Rows, *, n_pairs: int, condition: str, readout: Readout) -> Scope | None:
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
    scores = {name: np.full((place_of[-1] + 1, 2), np.nan, dtype=np.float32) for name in _SCORES}
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
    rows: _Rows, again: Booleans | None, *, there: Booleans, place_of: NDArray[np.int64], outcomes: Codes
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
