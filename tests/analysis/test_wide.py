"""From rows to one row per pair."""

import numpy as np
import polars as pl
import pytest

from audits.tables import verdicts
from evenhand.analysis.wide import ABSENT, widen
from evenhand.errors import DataError
from evenhand.records import Readout, verdict_table

PAIRS = {"b": "FS", "a": "T.", "c": "UF"}


def table() -> pl.DataFrame:
    return verdict_table(
        verdicts(PAIRS, gold={"a": "t", "b": "A"}, compliant={"b": "+-"}, group={"a": "g", "b": "g", "c": "h"})
    )


def test_rows_land_in_their_place_whatever_their_order() -> None:
    for rows in (table(), table().reverse(), table().sample(fraction=1, shuffle=True, seed=1)):
        wide = widen(rows)
        (scope,) = wide.scopes
        assert list(wide.facts.ids) == ["a", "b", "c"]
        assert scope.outcome.tolist() == [[2, ABSENT], [0, 1], [4, 0]]
        assert scope.preference.tolist() == [[2, ABSENT], [0, 0], [ABSENT, 1]]
        assert scope.compliant.tolist() == [[ABSENT, ABSENT], [1, 0], [ABSENT, ABSENT]]
        assert wide.facts.gold.tolist() == [2, 0, ABSENT]
        assert wide.facts.group.tolist() == [0, 0, 1]
        assert (wide.facts.n_groups, wide.facts.n_sources) == (2, 1)
        assert not scope.single_order


def test_scopes_hold_only_their_own_pairs() -> None:
    rows = [
        *verdicts({"a": "FS", "c": "FS"}, condition="y"),
        *verdicts({"b": "SF"}, condition="x", readout=Readout.FIRST_TOKEN),
    ]
    wide = widen(verdict_table(rows))
    assert wide.conditions == ("x", "y")
    assert [(s.condition, s.readout.value, s.pairs.tolist()) for s in wide.scopes] == [
        ("x", "first-token", [1]),
        ("y", "generated", [0, 2]),
    ]
    assert wide.find("y", Readout.FIRST_TOKEN) is None
    assert wide.of(Readout.GENERATED) == (wide.scopes[1],)


def test_repeats_are_compared_in_their_own_order() -> None:
    rows = [*verdicts({"a": "FS", "b": "FT", "c": "FF"}), *verdicts({"a": "S.", "b": ".F", "c": ".S"}, repeat=1)]
    (scope,) = widen(verdict_table(rows)).scopes
    assert scope.repeat_asked.tolist() == [1, 1, 1]
    # b's BA was a tie the first time: not decided both times.
    assert scope.repeat_compared.tolist() == [1, 0, 1]
    assert scope.repeat_changed.tolist() == [1, 0, 1]


def test_an_empty_table_has_no_scopes() -> None:
    wide = widen(verdict_table([]))
    assert wide.scopes == ()
    assert wide.facts.group.dtype == np.int64


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (lambda t: t.drop("outcome", "lead"), "no column lead, outcome"),
        (lambda t: pl.concat([t, t.head(1)]), "2 rows share their key"),
        (lambda t: t.with_columns(outcome=pl.lit("draw")), "'draw' is none of first, second, tie"),
        (lambda t: t.with_columns(readout=pl.lit("guess")), "'guess' is none of first-token"),
        (lambda t: t.with_columns(pair_id=pl.lit(None, dtype=pl.String)), "5 rows have no value"),
        (
            lambda t: t.with_columns(group=pl.Series([str(i) for i in range(t.height)])),
            "pair 'b' has rows that differ in group, source or gold",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_named(broken: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        widen(broken(table()))
