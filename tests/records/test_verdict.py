from dataclasses import replace

import polars as pl

from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table

ROW = Verdict(
    pair_id="p1",
    group="g",
    source="s",
    gold=Preference.A,
    condition="c",
    readout=Readout.GENERATED,
    order=Order.BA,
    repeat=0,
    outcome=Outcome.SECOND,
)


def test_the_table_has_a_column_for_each_attribute_and_the_preference() -> None:
    table = verdict_table([ROW])
    assert set(table.columns) == {*Verdict.__slots__, "preference"}
    assert table.row(0, named=True)["preference"] == "A"
    assert table.row(0, named=True)["compliant"] is None


def test_dtypes_do_not_depend_on_the_rows() -> None:
    assert verdict_table([]).schema == verdict_table([ROW]).schema
    assert verdict_table([]).schema["outcome"] == pl.String


def test_a_missing_verdict_is_null_and_not_a_tie() -> None:
    table = verdict_table([replace(ROW, outcome=Outcome.TRUNCATED)])
    assert table["preference"].to_list() == [None]
    assert table["outcome"].to_list() == ["truncated"]


def test_a_lone_surrogate_is_escaped_and_told_from_others() -> None:
    table = verdict_table([replace(ROW, pair_id=name) for name in ("p\ud800", "p\ud801", "pä")])
    assert table["pair_id"].to_list() == ["p\\ud800", "p\\ud801", "pä"]
