"""From rows to one row per pair."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audits.tables import verdicts
from evenhand.analysis.scope import ABSENT, OUTCOMES, Scope, WideTable
from evenhand.analysis.wide import widen, widen_columns
from evenhand.errors import DataError
from evenhand.logs.table import TableLog
from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table

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


@st.composite
def tables(draw: st.DrawFn) -> list[Verdict]:
    key = st.tuples(
        st.sampled_from("cab"),
        st.sampled_from("yx"),
        st.sampled_from([Readout.GENERATED, Readout.FIRST_TOKEN]),
        st.sampled_from(Order),
        st.sampled_from([0, 0, 1, 7]),
    )
    known = st.none() | st.booleans()
    odds = st.none() | st.floats(-3, 3, width=32)
    return [
        Verdict(
            pair_id=pair,
            group={"a": "z", "b": "y", "c": "z"}[pair],
            source="s",
            gold={"a": None, "b": Preference.A, "c": Preference.TIE}[pair],
            condition=condition,
            readout=readout,
            order=order,
            repeat=repeat,
            outcome=draw(st.sampled_from(Outcome)),
            compliant=draw(known),
            lead=draw(st.none() | st.sampled_from([Outcome.FIRST, Outcome.SECOND])),
            log_odds=draw(odds),
            log_outcome=draw(st.none() | st.sampled_from(Outcome)),
            generated=draw(known),
        )
        for pair, condition, readout, order, repeat in draw(st.lists(key, unique=True, min_size=1, max_size=24))
    ]


@settings(deadline=None)
@given(tables())
def test_every_row_is_in_its_place(rows: list[Verdict]) -> None:
    wide = widen(verdict_table(rows))
    ids = sorted({row.pair_id for row in rows})
    assert list(wide.facts.ids) == ids
    places = {(row.condition, row.readout) for row in rows if row.repeat == 0}
    assert {(scope.condition, scope.readout) for scope in wide.scopes} == places
    for scope in wide.scopes:
        own = [row for row in rows if (row.condition, row.readout) == (scope.condition, scope.readout)]
        first = {(row.pair_id, row.order): row for row in own if row.repeat == 0}
        assert [ids[pair] for pair in scope.pairs] == sorted({pair for pair, _ in first})
        for place, pair in enumerate(scope.pairs):
            for column, order in enumerate(Order):
                row = first.get((ids[pair], order))
                assert coded(scope, place, column) == (None if row is None else told(row))
            again = [row for row in own if row.repeat and row.pair_id == ids[pair]]
            before = [first.get((row.pair_id, row.order)) for row in again]
            both = [(row.outcome, was.outcome) for row, was in zip(again, before, strict=True) if was is not None]
            decided = [(one, two) for one, two in both if one.is_decided and two.is_decided]
            assert scope.repeat_asked[place] == len(again)
            assert scope.repeat_compared[place] == len(decided)
            assert scope.repeat_changed[place] == sum(one is not two for one, two in decided)


def coded(scope: Scope, place: int, column: int) -> tuple[object, ...] | None:
    """One presentation out of the arrays; None where there is none."""
    if scope.outcome[place, column] == ABSENT:
        return None
    odds = float(scope.log_odds[place, column])
    return (
        OUTCOMES[scope.outcome[place, column]],
        *(int(getattr(scope, name)[place, column]) for name in ("preference", "compliant", "lead", "generated")),
        int(scope.log_outcome[place, column]),
        None if np.isnan(odds) else odds,
        bool(np.isnan(scope.mass[place, column])),
    )


def told(row: Verdict) -> tuple[object, ...]:
    def code(value: object, values: tuple[object, ...]) -> int:
        return ABSENT if value is None else values.index(value)

    known = (False, True)
    return (
        row.outcome,
        code(row.preference, tuple(Preference)),
        code(row.compliant, known),
        code(row.lead, OUTCOMES),
        code(row.generated, known),
        code(row.log_outcome, OUTCOMES),
        row.log_odds,
        True,
    )


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables())
def test_columns_are_widened_as_their_table_is(tmp_path: Path, rows: list[Verdict]) -> None:
    names = ("pair_id", "order", "condition", "repeat", "outcome", "group", "source", "gold")
    one = {(row.pair_id, row.order, row.condition, row.repeat): row for row in rows}
    frame = verdict_table(one.values()).select(names)
    frame.write_parquet(tmp_path / "log.parquet")
    log = TableLog().read_columns(tmp_path / "log.parquet")
    assert log is not None
    assert_equal(widen_columns(log.columns), widen(log.columns.verdict_table()))


def assert_equal(one: WideTable, two: WideTable) -> None:
    assert one.conditions == two.conditions
    assert len(one.scopes) == len(two.scopes)
    for left, right in zip((one.facts, *one.scopes), (two.facts, *two.scopes), strict=True):
        for field in fields(left):
            ours, theirs = getattr(left, field.name), getattr(right, field.name)
            if isinstance(ours, np.ndarray):
                np.testing.assert_array_equal(ours, theirs)
                assert ours.dtype == theirs.dtype
            else:
                assert list(ours) == list(theirs) if field.name == "ids" else ours == theirs
