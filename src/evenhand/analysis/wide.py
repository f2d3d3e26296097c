"""From the long verdict table to one row per pair: small integer arrays, one set per condition and readout.

Everything that an audit counts is counted on these arrays, so that ten million rows cost seconds and no loop
runs over pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import DataError
from evenhand.records import Order, Outcome, Preference, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "ABSENT",
    "FIRST",
    "OUTCOMES",
    "SECOND",
    "TIE",
    "Booleans",
    "Codes",
    "PairFacts",
    "Scope",
    "Scores",
    "WideTable",
    "widen",
]

Codes: TypeAlias = NDArray[np.int8]
Booleans: TypeAlias = NDArray[np.bool_]
Scores: TypeAlias = NDArray[np.float32]

ABSENT = -1
"""No such presentation, or the value isn't known."""
OUTCOMES = tuple(Outcome)
FIRST, SECOND, TIE = (OUTCOMES.index(o) for o in (Outcome.FIRST, Outcome.SECOND, Outcome.TIE))
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


def _mask(values: Any) -> Booleans:  # noqa: ANN401 - what NumPy's comparisons are typed as
    return np.asarray(values, dtype=np.bool_)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairFacts:
    """What is known of each pair, sorted by pair id.

    Attributes
    ----------
    group, source
        Codes of the question group and the source; int64, one per pair.
    gold
        Index into :class:`Preference`, or ABSENT.
    """

    ids: tuple[str, ...] | pl.Series
    group: NDArray[np.int64]
    source: NDArray[np.int64]
    gold: Codes
    n_groups: int
    n_sources: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scope:
    """One condition under one readout. Row i of every array is the pair ``pairs[i]``; column 0 is AB, column 1 BA.

    Attributes
    ----------
    pairs
        Ascending indices into :class:`PairFacts`; every pair with a presentation of repeat 0.
    outcome, preference, lead, log_outcome
        Codes, shape (pairs, 2); ABSENT where there is no presentation or no value.
    compliant, generated
        1 yes, 0 no, ABSENT unknown; shape (pairs, 2).
    log_odds, mass
        Of the labels at the position read (see :class:`evenhand.records.Reading`), NaN where there is none; shape
        (pairs, 2). Single precision, which is what engines compute them in.
    repeat_compared, repeat_changed, repeat_asked
        Repeated presentations of a pair: asked; decided both times in the same order; of these, changed.
    """

    condition: str
    readout: Readout
    pairs: NDArray[np.int64]
    outcome: Codes
    preference: Codes
    compliant: Codes
    lead: Codes
    log_outcome: Codes
    generated: Codes
    log_odds: Scores
    mass: Scores
    repeat_asked: NDArray[np.int64]
    repeat_compared: NDArray[np.int64]
    repeat_changed: NDArray[np.int64]

    @property
    def asked(self) -> Booleans:
        """Presentations that exist, shape (pairs, 2)."""
        return _mask(self.outcome != ABSENT)

    @property
    def decided(self) -> Booleans:
        """Presentations that chose a slot."""
        return _mask((self.outcome == FIRST) | (self.outcome == SECOND))

    @property
    def verdict(self) -> Booleans:
        """Presentations that ended in a verdict: a slot or a tie."""
        return _mask(self.decided | (self.outcome == TIE))

    @property
    def decided_both(self) -> Booleans:
        """Pairs decided in both orders."""
        return _mask(self.decided.all(axis=1))

    @property
    def verdict_both(self) -> Booleans:
        """Pairs with a verdict in both orders."""
        return _mask(self.verdict.all(axis=1))

    @property
    def same_verdict(self) -> Booleans:
        """Pairs with the same preference, or a tie, in both orders."""
        return _mask(self.verdict_both & (self.preference[:, 0] == self.preference[:, 1]))

    @property
    def flips(self) -> Booleans:
        """Pairs decided in both orders whose preferences differ."""
        return _mask(self.decided_both & (self.preference[:, 0] != self.preference[:, 1]))

    @property
    def single_order(self) -> bool:
        """Whether no pair has a presentation in both orders."""
        return not bool(self.asked.all(axis=1).any())

    def compliance_known(self) -> Booleans:
        """Pairs whose compliance is known in both orders."""
        return _mask((self.compliant != ABSENT).all(axis=1))

    def compliant_pairs(self) -> Booleans:
        """Pairs that are compliant in both orders."""
        return _mask((self.compliant == 1).all(axis=1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WideTable:
    """All scopes of an audit, by condition and then readout, and the pairs that they share."""

    facts: PairFacts
    scopes: tuple[Scope, ...]
    conditions: tuple[str, ...]

    def find(self, condition: str, readout: Readout) -> Scope | None:
        """The scope, or None where nothing was read that way."""
        return next((s for s in self.scopes if s.condition == condition and s.readout is readout), None)

    def of(self, readout: Readout) -> tuple[Scope, ...]:
        """All conditions under one readout."""
        return tuple(s for s in self.scopes if s.readout is readout)


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
    >>> from evenhand.records import Verdict, verdict_table
    >>> row = dict(pair_id="p", group="g", source="s", gold=None, condition="c", readout=Readout.GENERATED, repeat=0)
    >>> rows = [Verdict(**row, order=order, outcome=Outcome.FIRST) for order in Order]
    >>> widen(verdict_table(rows)).scopes[0].flips.tolist()
    [True]
    """
    _check_columns(table)
    if table.height == 0:
        empty = np.empty(0, dtype=np.int64)
        facts = PairFacts(ids=(), group=empty, source=empty, gold=empty.astype(np.int8), n_groups=0, n_sources=0)
        return WideTable(facts=facts, scopes=(), conditions=())
    _check_keys(table)
    facts = _pair_facts(table)
    conditions = tuple(sorted(table["condition"].unique().to_list()))
    rows = _Rows.read(table, facts=facts, conditions=conditions)
    scopes = [
        _scope(rows.where(condition=c, readout=r), condition=condition, readout=readout)
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


def _check_keys(table: pl.DataFrame) -> None:
    doubled = table.select(_KEY).is_duplicated()
    if doubled.any():
        row = table.select(_KEY).filter(doubled).row(0, named=True)
        raise DataError(
            f"{int(doubled.sum())} rows share their key with another, such as {row}",
            remedy="keep one verdict per pair, condition, readout, order and repeat",
        )


def _pair_facts(table: pl.DataFrame) -> PairFacts:
    facts = table.select(_FACTS).unique().sort("pair_id")
    doubled = facts["pair_id"].is_duplicated()
    if doubled.any():
        pair_id = facts.filter(doubled)["pair_id"][0]
        raise DataError(f"pair {pair_id!r} has rows that differ in group, source or gold", field="pair_id")
    return PairFacts(
        ids=facts["pair_id"],
        group=_dense(facts["group"]),
        source=_dense(facts["source"]),
        gold=_codes(facts["gold"], _PREFERENCES),
        n_groups=facts["group"].n_unique(),
        n_sources=facts["source"].n_unique(),
    )


def _dense(series: pl.Series) -> NDArray[np.int64]:
    """Codes 0, 1, … in the order of the sorted values, so that the order of rows can't change a resample."""
    return series.rank("dense").to_numpy().astype(np.int64) - 1


def _codes(series: pl.Series, names: tuple[str, ...]) -> Codes:
    """Index of each value in ``names``; nulls become ABSENT, anything else is an error."""
    import polars as pl

    wanted = [str(name) for name in names]
    text = series.cast(pl.String)
    coded = text.cast(pl.Enum(wanted), strict=False)
    if coded.null_count() > text.null_count():
        strange = text.filter(coded.is_null() & text.is_not_null())[0]
        raise DataError(f"{strange!r} is none of {', '.join(wanted)}", field=series.name)
    return coded.to_physical().cast(pl.Int8).fill_null(ABSENT).to_numpy()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """The long table as arrays: one element a row, values as codes."""

    pair: NDArray[np.int64]
    scope: NDArray[np.int64]
    order: Codes
    repeat: NDArray[np.int64]
    columns: dict[str, Codes]
    scores: dict[str, Scores]

    @classmethod
    def read(cls, table: pl.DataFrame, *, facts: PairFacts, conditions: tuple[str, ...]) -> _Rows:
        """Encode the table and sort it by scope, so that a scope is a slice."""
        import polars as pl

        index = pl.DataFrame({"pair_id": facts.ids}).with_row_index("pair")
        pair = table.select("pair_id").join(index, on="pair_id", how="left", maintain_order="left")["pair"]
        names = pl.DataFrame({"condition": conditions}).with_row_index("code")
        condition = table.select("condition").join(names, on="condition", how="left", maintain_order="left")["code"]
        coded = {name: _codes(table[name], allowed) for name, allowed in _COLUMNS.items()}
        for name in ("compliant", "generated"):
            coded[name] = table[name].cast(pl.Int8).fill_null(ABSENT).to_numpy()
        scope = condition.to_numpy().astype(np.int64) * len(_READOUTS) + coded.pop("readout")
        by_scope = np.argsort(scope, kind="stable")
        return cls(
            pair=pair.to_numpy().astype(np.int64)[by_scope],
            scope=scope[by_scope],
            order=coded.pop("order")[by_scope],
            repeat=table["repeat"].to_numpy().astype(np.int64)[by_scope],
            columns={name: values[by_scope] for name, values in coded.items()},
            scores={
                name: table[name].cast(pl.Float32).fill_null(float("nan")).to_numpy()[by_scope] for name in _SCORES
            },
        )

    def where(self, *, condition: int, readout: int) -> _Rows:
        """The rows of one scope."""
        code = condition * len(_READOUTS) + readout
        rows = slice(*np.searchsorted(self.scope, [code, code + 1]).tolist())
        return _Rows(
            pair=self.pair[rows],
            scope=self.scope[rows],
            order=self.order[rows],
            repeat=self.repeat[rows],
            columns={name: values[rows] for name, values in self.columns.items()},
            scores={name: values[rows] for name, values in self.scores.items()},
        )


_WIDE = ("outcome", "preference", "compliant", "lead", "log_outcome", "generated")


def _scope(rows: _Rows, *, condition: str, readout: Readout) -> Scope | None:
    main = rows.repeat == 0
    if not main.any():
        return None
    pairs = np.unique(rows.pair[main])
    place = np.searchsorted(pairs, rows.pair[main])
    wide = {name: np.full((pairs.size, 2), ABSENT, dtype=np.int8) for name in _WIDE}
    for name, values in wide.items():
        values[place, rows.order[main]] = rows.columns[name][main]
    scores = {name: np.full((pairs.size, 2), np.nan, dtype=np.float32) for name in _SCORES}
    for name, scored in scores.items():
        scored[place, rows.order[main]] = rows.scores[name][main]
    again = ~main & np.isin(rows.pair, pairs)
    where = np.searchsorted(pairs, rows.pair[again])
    outcome, before = rows.columns["outcome"][again], wide["outcome"][where, rows.order[again]]
    compared = (outcome >= 0) & (outcome <= SECOND) & (before >= 0) & (before <= SECOND)
    changed = compared & (outcome != before)
    return Scope(
        condition=condition,
        readout=readout,
        pairs=pairs,
        repeat_asked=np.bincount(where, minlength=pairs.size),
        repeat_compared=np.bincount(where[compared], minlength=pairs.size),
        repeat_changed=np.bincount(where[changed], minlength=pairs.size),
        log_odds=scores["log_odds"],
        mass=scores["mass"],
        outcome=wide["outcome"],
        preference=wide["preference"],
        compliant=wide["compliant"],
        lead=wide["lead"],
        log_outcome=wide["log_outcome"],
        generated=wide["generated"],
    )
