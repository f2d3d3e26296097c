"""Pairs worth reading: a few of each kind that tell most of a judge, chosen by rule from its verdicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from evenhand.analysis.lead import CONCLUDING, conclusions
from evenhand.analysis.scope import ABSENT, OUTCOMES, Booleans
from evenhand.records import Order, Outcome, Preference, Readout

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BothVerdicts", "ChosenPair", "ReadingRule", "choose_pairs"]

_MOST_ROWS = 200_000
"""Rows of a verdict table up to which every pair is looked at; of more, a random part of the pairs of about that size
is: reading a handful of pairs is worth no minute of sorting."""
_SEARCHED = 64  # candidates of a rule that are looked through for pairs that no earlier rule took

_KEY = ("pair_id", "condition", "readout")
_READ = ("outcome", "preference", "log_odds", "turned")
_DECIDED = (Outcome.FIRST.value, Outcome.SECOND.value)
_CODES = {outcome.value: code for code, outcome in enumerate(OUTCOMES)}
_STATES = tuple(outcome.value for outcome in Outcome if not outcome.is_verdict)


class ReadingRule(StrEnum):
    """Why a pair is worth reading, in the order in which pairs are chosen."""

    FIRST_TWICE = "chose the first slot twice"
    SECOND_TWICE = "chose the second slot twice"
    TURNED = "led with one label and concluded with the other"
    STATE = "no verdict in one order or both"
    ONE_TIE = "a tie in exactly one order"
    AGAINST_GOLD = "the other preference than gold in both orders"


@dataclass(frozen=True, slots=True, kw_only=True)
class BothVerdicts:
    """What one readout read of a pair in both orders; None where an order was not asked, or has no log-odds."""

    readout: Readout
    ab: Outcome | None
    ba: Outcome | None
    log_odds_ab: float | None = None
    log_odds_ba: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPair:
    """A pair that a rule chose, by what ``readout`` read; ``verdicts`` has every readout's."""

    pair_id: str
    condition: str
    rule: ReadingRule
    readout: Readout
    gold: Preference | None
    verdicts: tuple[BothVerdicts, ...]


def choose_pairs(
    table: pl.DataFrame, *, rng: np.random.Generator, conditions: Collection[str] | None = None, most: int = 2
) -> tuple[ChosenPair, ...]:
    """Choose up to ``most`` pairs by each rule.

    Within a rule each condition and readout has its turn, and within those the most decisive pair goes first: the one
    whose smaller absolute log-odds of the two orders is largest. Where there are no log-odds, chance decides. A pair is
    chosen once, by the first rule that takes it. The hybrid readout is made of two others, and chooses none.

    Parameters
    ----------
    table
        The columns of :func:`evenhand.records.verdict_table`, in any number of rows: beyond 200,000 a random part of
        the pairs is looked at. Repeats choose none.
    rng
        For ties, for pairs without log-odds, and for that part.
    conditions
        Conditions to look at (None: all).

    Examples
    --------
    >>> from evenhand.records import Verdict, verdict_table
    >>> rows = [
    ...     Verdict(pair_id="p", group="g", source="", gold=None, condition="A/B", readout=Readout.GENERATED,
    ...             order=order, repeat=0, outcome=Outcome.FIRST)
    ...     for order in Order
    ... ]
    >>> [chosen] = choose_pairs(verdict_table(rows), rng=np.random.default_rng(0))
    >>> chosen.rule.value, chosen.verdicts[0].ba
    ('chose the first slot twice', <Outcome.FIRST: 'first'>)
    """
    both = _both_orders(_part(table, rng), conditions, rng)
    taken: dict[str, tuple[ReadingRule, dict[str, Any]]] = {}
    for rule in ReadingRule:
        found = 0
        for row in _candidates(both, rule).iter_rows(named=True):
            if found == most:
                break
            if row["pair_id"] not in taken:
                taken[row["pair_id"]] = (rule, row)
                found += 1
    return _with_verdicts(both, list(taken.values()))


def _part(table: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """The rows of as many pairs, drawn at random, as can be looked at; all where they are few."""
    import polars as pl

    if table.height <= _MOST_ROWS:
        return table
    every = -(-table.height // _MOST_ROWS)
    # A row drawn stands for its pair; a pair of many rows is as likely as its rows are many, which is fine for reading.
    drawn = rng.choice(table.height, size=table.height // (every * _rows_a_pair(table)), replace=False)
    ids = table.get_column("pair_id").gather(np.sort(drawn)).unique(maintain_order=True)
    return table.filter(pl.col("pair_id").is_in(ids.implode()))


def _rows_a_pair(table: pl.DataFrame) -> int:
    """About how many rows a pair has: its conditions, readouts and orders."""
    return max(1, table.get_column("condition").n_unique() * table.get_column("readout").n_unique() * len(Order))


def _both_orders(table: pl.DataFrame, conditions: Collection[str] | None, rng: np.random.Generator) -> pl.DataFrame:
    """One row a pair, condition and readout, with both orders side by side and a random place among equals."""
    import polars as pl

    columns = [name for name in _READ if name != "turned"]
    kept = table.filter(pl.col("repeat") == 0).select(*_KEY, "gold", "order", *columns, "lead", "compliant")
    text = [pl.col(name).cast(pl.String) for name in (*_KEY, "gold", "order", "outcome", "preference", "lead")]
    kept = kept.with_columns(*text).filter(pl.col("readout") != Readout.HYBRID.value)
    kept = kept.with_columns(turned=pl.Series(_turned(kept), dtype=pl.Boolean)).drop("lead", "compliant")
    if conditions is not None:
        kept = kept.filter(pl.col("condition").is_in(list(conditions)))
    ab, ba = (
        kept.filter(pl.col("order") == order.value)
        .drop("order")
        .rename({name: f"{name}_{order.value.lower()}" for name in _READ})
        for order in Order
    )
    both = ab.join(ba, on=_KEY, how="full", coalesce=True, maintain_order="left_right")
    both = both.with_columns(gold=pl.coalesce("gold", "gold_right")).drop("gold_right")
    return both.with_columns(place=pl.Series(rng.permutation(both.height), dtype=pl.Int64))


def _turned(rows: pl.DataFrame) -> Booleans:
    """Which presentations led with one slot and concluded with the other."""
    import polars as pl

    outcome, lead = (
        rows[name].replace_strict(_CODES, default=ABSENT, return_dtype=pl.Int8).to_numpy()
        for name in ("outcome", "lead")
    )
    return conclusions(outcome, lead, rows["compliant"].cast(pl.Int8).fill_null(ABSENT).to_numpy()).turned


def _candidates(both: pl.DataFrame, rule: ReadingRule) -> pl.DataFrame:
    """The rule's pairs, the best of each condition and readout first, then the second best, and so on."""
    import polars as pl

    decisive = pl.when(pl.col("log_odds_ab").is_not_null() & pl.col("log_odds_ba").is_not_null()).then(
        pl.min_horizontal(pl.col("log_odds_ab").abs(), pl.col("log_odds_ba").abs())
    )
    own = both.filter(_holds(rule)).with_columns(decisive=decisive)
    own = own.sort("decisive", "place", descending=[True, False], nulls_last=True)
    # A state's turn comes like a readout's: a truncated answer and a refused one are two things to read.
    turns: list[str | pl.Expr] = ["condition", "readout"]
    if rule is ReadingRule.STATE:
        turns.append(pl.when(pl.col("outcome_ab").is_in(_STATES)).then("outcome_ab").otherwise("outcome_ba"))
    own = own.with_columns(turn=pl.int_range(pl.len()).over(turns))
    return own.sort("turn", "decisive", "place", descending=[False, True, False], nulls_last=True).head(_SEARCHED)


def _holds(rule: ReadingRule) -> pl.Expr:
    import polars as pl

    outcomes = [pl.col("outcome_ab"), pl.col("outcome_ba")]
    decided = [column.is_in(_DECIDED) for column in outcomes]
    match rule:
        case ReadingRule.FIRST_TWICE:
            return _every([column == Outcome.FIRST.value for column in outcomes])
        case ReadingRule.SECOND_TWICE:
            return _every([column == Outcome.SECOND.value for column in outcomes])
        case ReadingRule.TURNED:
            return (pl.col("readout") == CONCLUDING.value) & _any([pl.col("turned_ab"), pl.col("turned_ba")])
        case ReadingRule.STATE:
            return _any([column.is_in(_STATES) for column in outcomes])
        case ReadingRule.ONE_TIE:
            ties = [column == Outcome.TIE.value for column in outcomes]
            return (ties[0] & decided[1]) | (decided[0] & ties[1])
        case ReadingRule.AGAINST_GOLD:
            gold, names = pl.col("gold"), (Preference.A.value, Preference.B.value)
            same = pl.col("preference_ab") == pl.col("preference_ba")
            return _every(decided) & same & gold.is_in(names) & (pl.col("preference_ab") != gold)


def _every(parts: Sequence[pl.Expr]) -> pl.Expr:
    return reduce(lambda a, b: a & b, parts)


def _any(parts: Sequence[pl.Expr]) -> pl.Expr:
    """Whether any holds, where an order that was not asked holds nothing."""
    return reduce(lambda a, b: a | b, [part.fill_null(value=False) for part in parts])


def _with_verdicts(both: pl.DataFrame, taken: Sequence[tuple[ReadingRule, dict[str, Any]]]) -> tuple[ChosenPair, ...]:
    import polars as pl

    ids = [row["pair_id"] for _, row in taken]
    rows = both.filter(pl.col("pair_id").is_in(ids)).to_dicts()
    readouts = list(Readout)
    return tuple(
        ChosenPair(
            pair_id=row["pair_id"],
            condition=row["condition"],
            rule=rule,
            readout=Readout(row["readout"]),
            gold=None if row["gold"] is None else Preference(row["gold"]),
            verdicts=tuple(
                sorted(
                    (
                        _verdicts(other)
                        for other in rows
                        if (other["pair_id"], other["condition"]) == (row["pair_id"], row["condition"])
                    ),
                    key=lambda verdicts: readouts.index(verdicts.readout),
                )
            ),
        )
        for rule, row in taken
    )


def _verdicts(row: dict[str, Any]) -> BothVerdicts:
    def outcome(name: str) -> Outcome | None:
        return None if row[name] is None else Outcome(row[name])

    return BothVerdicts(
        readout=Readout(row["readout"]),
        ab=outcome("outcome_ab"),
        ba=outcome("outcome_ba"),
        log_odds_ab=row["log_odds_ab"],
        log_odds_ba=row["log_odds_ba"],
    )
