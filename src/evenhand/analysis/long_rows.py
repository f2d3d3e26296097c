"""The long verdict table as arrays: one element a row, values as codes, and what every row must have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.scope import ABSENT, OUTCOMES, Codes, Scores
from evenhand.errors import DataError
from evenhand.records import Order, Preference, Readout, preference_of
from evenhand.records.codes import NO_CODE, code_texts, repeated
from evenhand.records.columnar import VerdictColumns

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PREFERENCES", "READOUTS", "SCORES", "LongRows", "as_texts", "check_columns", "check_keys", "codes_of"]

_ORDERS = tuple(Order)
READOUTS = tuple(Readout)
"""What a readout's code is the index into."""
PREFERENCES = tuple(Preference)
"""What a preference's code is the index into."""
_COLUMNS = {
    "order": _ORDERS,
    "readout": READOUTS,
    "outcome": OUTCOMES,
    "preference": PREFERENCES,
    "lead": OUTCOMES,
    "log_outcome": OUTCOMES,
}
SCORES = ("log_odds", "mass")
"""The columns that hold numbers instead of codes."""
_KEY = ("pair_id", "condition", "readout", "order", "repeat")
_FACTS = ("pair_id", "group", "source", "gold")


def check_columns(table: pl.DataFrame) -> None:
    """Refuse a table that lacks a column, or a value where every row has one."""
    needed = {*_KEY, *_FACTS, *_COLUMNS, *SCORES, "compliant", "generated"}
    if missing := sorted(needed - set(table.columns)):
        raise DataError(
            f"the verdict table has no column {', '.join(missing)}",
            remedy="build it with evenhand.records.verdict_table",
        )
    for name in (*_KEY, "outcome", "group", "source"):
        if table[name].null_count():
            raise DataError(f"{table[name].null_count()} rows have no value", field=name)


def check_keys(table: pl.DataFrame, *, pair: NDArray[np.uint32], condition: NDArray[np.uint32]) -> None:
    """Refuse a presentation that is there twice; ``pair`` and ``condition`` are the rows' codes."""
    readout, order = (code_texts(as_texts(table[name])).codes for name in ("readout", "order"))
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


def as_texts(series: pl.Series) -> pl.Series:
    """A column of names as plain strings, whatever polars keeps them as."""
    import polars as pl

    return series if series.dtype == pl.String else series.cast(pl.String)


def codes_of(series: pl.Series, names: tuple[str, ...]) -> Codes:
    """Index of each value in ``names``; nulls become ABSENT, anything else is an error."""
    import polars as pl

    wanted = [str(name) for name in names]
    text = as_texts(series)
    coded = text.cast(pl.Enum(wanted), strict=False)
    if coded.null_count() > text.null_count():
        strange = text.filter(coded.is_null() & text.is_not_null())[0]
        raise DataError(f"{strange!r} is none of {', '.join(wanted)}", field=series.name)
    return coded.to_physical().cast(pl.Int8).fill_null(ABSENT).to_numpy()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LongRows:
    """The long table as arrays: one element a row, values as codes; None where no row has a value."""

    pair: NDArray[np.uint32]
    scope: NDArray[np.uint16] | NDArray[np.uint32]
    order: Codes
    repeat: NDArray[Any]
    columns: dict[str, Codes | None]
    scores: dict[str, Scores | None]

    @classmethod
    def read(cls, table: pl.DataFrame, *, pair: NDArray[np.uint32], condition: NDArray[np.uint32]) -> LongRows:
        """Encode the table."""
        import polars as pl

        coded: dict[str, Codes | None] = {name: codes_of(table[name], names) for name, names in _COLUMNS.items()}
        for name in ("compliant", "generated"):
            coded[name] = table[name].cast(pl.Int8).fill_null(ABSENT).to_numpy()
        scores: dict[str, Scores | None] = {
            name: None
            if table[name].null_count() == table.height
            else table[name].cast(pl.Float32).fill_null(float("nan")).to_numpy()
            for name in SCORES
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
    def logged(cls, columns: VerdictColumns, *, condition: NDArray[np.uint32]) -> LongRows:
        """Take the log's own verdicts."""
        rows = columns.presentations
        order, outcome = codes_of(rows["order"], _ORDERS), codes_of(rows["outcome"], OUTCOMES)
        return cls(
            pair=rows["pair"].to_numpy(),
            scope=_scopes_of(condition, READOUTS.index(Readout.LOGGED)),
            order=order,
            repeat=rows["repeat"].to_numpy(),
            columns={
                "outcome": outcome,
                "preference": _preferences()[outcome, order],
                **dict.fromkeys(("compliant", "lead", "log_outcome", "generated")),
            },
            scores=dict.fromkeys(SCORES),
        ).by_scope()

    def by_scope(self) -> LongRows:
        """Sorted by scope, so that a scope is a slice."""
        if self.scope[0] == self.scope[-1] and not (self.scope != self.scope[0]).any():
            return self
        return self._take(np.argsort(self.scope, kind="stable"))

    def where(self, *, condition: int, readout: int) -> LongRows:
        """The rows of one scope, of rows sorted by scope."""
        code = condition * len(READOUTS) + readout
        return self._take(slice(*np.searchsorted(self.scope, [code, code + 1]).tolist()))

    def _take(self, rows: slice | NDArray[np.int64]) -> LongRows:
        return LongRows(
            pair=self.pair[rows],
            scope=self.scope[rows],
            order=self.order[rows],
            repeat=self.repeat[rows],
            columns={name: None if values is None else values[rows] for name, values in self.columns.items()},
            scores={name: None if values is None else values[rows] for name, values in self.scores.items()},
        )


def _scopes_of(condition: NDArray[np.uint32], readout: Codes | int) -> NDArray[np.uint16] | NDArray[np.uint32]:
    """One number a condition and readout, as small as it can be: those sort fastest."""
    scope = condition * np.uint32(len(READOUTS)) + np.asarray(readout).astype(np.uint32)
    return scope.astype(np.uint16) if scope.max(initial=0) <= np.iinfo(np.uint16).max else scope


def _preferences() -> Codes:
    """Preference of an outcome in an order, as codes; shape (outcomes, orders)."""
    found = [[preference_of(outcome, order) for order in _ORDERS] for outcome in OUTCOMES]
    codes = [[ABSENT if one is None else PREFERENCES.index(one) for one in row] for row in found]
    return np.array(codes, dtype=np.int8)
