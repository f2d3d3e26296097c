"""Runs lined up pair by pair: one table in which a pair is the same pair only where every judge saw the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evenhand.analysis.scope import PairFacts, Scope
from evenhand.analysis.wide import widen
from evenhand.audits.drift.measures import MeasuredOrders
from evenhand.errors import ConfigError
from evenhand.records import Order, Pair, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JudgeTable", "LinedUp", "line_up"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgeTable:
    """What one run is compared by.

    Attributes
    ----------
    name
        Its own among all that are compared.
    condition, readout
        The one that stands for it.
    pairs
        Of the run, by whose content pairs of several runs are known to be the same.
    orders
        Which orders stand for all pairs; see :data:`evenhand.audits.drift.measures.MeasuredOrders`.
    table
        The columns of :func:`evenhand.records.verdict_table`, any conditions and readouts.
    """

    name: str
    condition: str
    readout: Readout
    pairs: Sequence[Pair]
    orders: MeasuredOrders
    table: pl.DataFrame = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinedUp:
    """All judges over one list of pairs.

    Attributes
    ----------
    names, orders
        Of the judges, as given.
    scopes
        One a judge, its rows pointing into ``facts``; None where nothing was read for it.
    facts
        Question groups, sources and gold of all pairs.
    changed
        Pair ids that mean different content in two of the runs: each content is a pair of its own.
    """

    names: tuple[str, ...]
    orders: tuple[MeasuredOrders, ...]
    scopes: tuple[Scope | None, ...]
    facts: PairFacts
    changed: tuple[str, ...]


def line_up(judges: Sequence[JudgeTable]) -> LinedUp:
    """Put the judges' verdicts into one table.

    Two runs share a pair where id and content (instruction, responses, gold, source, question group) are the same. Of a
    run that asked order BA of chosen pairs, order AB alone is taken: the chosen are no sample of all.

    Raises
    ------
    ConfigError
        Two judges have one name.
    """
    import polars as pl

    names = [judge.name for judge in judges]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"two runs are called {twice!r}: give each a name of its own")
    changed = _changed(judges)
    parts = [_rows(judge, code=f"{code:06}", changed=changed) for code, judge in enumerate(judges)]
    wide = widen(pl.concat(parts))
    scopes = [wide.find(f"{code:06}", judge.readout) for code, judge in enumerate(judges)]
    return LinedUp(
        names=tuple(names),
        orders=tuple(judge.orders for judge in judges),
        scopes=tuple(scopes),
        facts=wide.facts,
        changed=tuple(sorted(changed)),
    )


def _changed(judges: Sequence[JudgeTable]) -> frozenset[str]:
    known: dict[str, str] = {}
    changed = set()
    for judge in judges:
        for pair in judge.pairs:
            if known.setdefault(pair.id, pair.content_hash) != pair.content_hash:
                changed.add(pair.id)
    return frozenset(changed)


def _rows(judge: JudgeTable, *, code: str, changed: frozenset[str]) -> pl.DataFrame:
    import polars as pl

    kept = judge.table.filter((pl.col("condition") == judge.condition) & (pl.col("readout") == judge.readout.value))
    if judge.orders == "AB":
        kept = kept.filter(pl.col("order") == str(Order.AB))
    kept = kept.with_columns(pl.lit(code).alias("condition"))
    renamed = dict(_renamed(judge, changed))
    return kept.with_columns(pl.col("pair_id").replace(renamed)) if renamed else kept


def _renamed(judge: JudgeTable, changed: frozenset[str]) -> Iterator[tuple[str, str]]:
    """A pair whose id means several contents, as it stands in a table, and under a name that tells them apart."""
    for pair in judge.pairs:
        if pair.id in changed:
            told = pair.id.encode("utf-8", "backslashreplace").decode("utf-8")
            yield told, f"{told} [{pair.content_hash[:16]}]"
