"""The long table as arrays, one element a row."""

import numpy as np
import polars as pl
import pytest

from audits.tables import verdicts
from evenhand.analysis.long_rows import (
    PREFERENCES,
    READOUTS,
    LongRows,
    as_texts,
    check_columns,
    check_keys,
    codes_of,
)
from evenhand.analysis.scope import ABSENT, FIRST, OUTCOMES, SECOND, TIE
from evenhand.errors import DataError
from evenhand.records import Outcome, Preference, Readout, verdict_table
from evenhand.records.columnar import VerdictColumns


def codes(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.uint32)


def test_codes_are_places_among_the_names_and_a_null_is_absent() -> None:
    column = pl.Series("outcome", ["tie", None, "first", "error"])
    assert codes_of(column, OUTCOMES).tolist() == [TIE, ABSENT, FIRST, OUTCOMES.index(Outcome.ERROR)]
    assert codes_of(column.cast(pl.Categorical), OUTCOMES).dtype == np.int8


def test_a_value_that_is_no_name_is_said_with_its_column() -> None:
    with pytest.raises(DataError, match="'draw' is none of first, second, tie") as raised:
        codes_of(pl.Series("outcome", ["tie", None, "draw"]), OUTCOMES)
    assert raised.value.field == "outcome"


def test_names_are_plain_text_however_they_are_kept() -> None:
    plain = pl.Series("pair_id", ["b", "a", None])
    assert as_texts(plain) is plain
    assert as_texts(plain.cast(pl.Categorical)).to_list() == ["b", "a", None]
    assert as_texts(pl.Series([3, 10])).to_list() == ["3", "10"]


def test_a_table_needs_its_columns_and_each_row_its_key() -> None:
    table = verdict_table(verdicts({"p": "FS"}))
    check_columns(table)
    with pytest.raises(DataError, match="no column lead, mass"):
        check_columns(table.drop("mass", "lead"))
    with pytest.raises(DataError, match="2 rows have no value") as raised:
        check_columns(table.with_columns(source=pl.lit(None, dtype=pl.String)))
    assert raised.value.field == "source"


@pytest.mark.parametrize("repeats", [(0, 0), (-1, -1), (2**40, 2**40)])
def test_a_presentation_that_is_there_twice_is_refused_whatever_its_repeat(repeats: tuple[int, int]) -> None:
    table = verdict_table(verdicts({"p": "F.", "q": "F."})).with_columns(
        pair_id=pl.lit("p"), repeat=pl.Series(repeats, dtype=pl.Int64)
    )
    with pytest.raises(DataError, match="2 rows share their key"):
        check_keys(table, pair=codes(0, 0), condition=codes(0, 0))
    check_keys(table, pair=codes(0, 1), condition=codes(0, 0))
    check_keys(table, pair=codes(0, 0), condition=codes(0, 1))
    apart = table.with_columns(repeat=pl.Series([repeats[0], repeats[1] - 1], dtype=pl.Int64))
    check_keys(apart, pair=codes(0, 0), condition=codes(0, 0))


def test_the_rows_of_a_scope_are_its_own_in_the_order_of_the_table() -> None:
    table = verdict_table(
        [
            *verdicts({"a": "FS", "b": "TF"}),
            *verdicts({"a": "SS"}, readout=Readout.FIRST_TOKEN),
            *verdicts({"b": "FF"}, condition="d"),
        ]
    )
    conditions = sorted(set(table["condition"].cast(pl.String)))
    assert len(conditions) == 2
    other = conditions.index("d")
    rows = LongRows.read(
        table,
        pair=codes(*table["pair_id"].cast(pl.String).replace_strict({"a": 0, "b": 1}).to_list()),
        condition=codes(*(conditions.index(name) for name in table["condition"].cast(pl.String))),
    )
    generated, first_token = READOUTS.index(Readout.GENERATED), READOUTS.index(Readout.FIRST_TOKEN)
    main = rows.where(condition=1 - other, readout=generated)
    assert main.pair.tolist() == [0, 0, 1, 1]
    assert main.order.tolist() == [0, 1, 0, 1]
    assert main.columns["outcome"].tolist() == [FIRST, SECOND, TIE, FIRST]
    assert rows.where(condition=1 - other, readout=first_token).columns["outcome"].tolist() == [SECOND, SECOND]
    assert rows.where(condition=other, readout=generated).pair.tolist() == [1, 1]
    assert rows.where(condition=other, readout=first_token).pair.size == 0


def test_a_column_of_scores_without_a_value_isn_t_kept() -> None:
    table = verdict_table(verdicts({"a": "FS"}))
    pair, condition = codes(0, 0), codes(0, 0)
    assert LongRows.read(table, pair=pair, condition=condition).scores == {"log_odds": None, "mass": None}
    scored = table.with_columns(mass=pl.Series([0.5, None]))
    mass = LongRows.read(scored, pair=pair, condition=condition).scores["mass"]
    np.testing.assert_array_equal(mass, np.array([0.5, np.nan], dtype=np.float32))


def test_a_log_as_columns_has_its_own_verdicts_and_their_preferences() -> None:
    frame = pl.DataFrame(
        {
            "pair": [0, 0, 1, 1, 2],
            "order": ["AB", "BA", "AB", "BA", "BA"],
            "repeat": [0] * 5,
            "outcome": ["first", "first", "tie", "second", "unparsed"],
        }
    )
    log = VerdictColumns(pairs=pl.DataFrame(), presentations=frame, log_format="table", file_sha256="")
    rows = LongRows.logged(log, condition=codes(0, 0, 0, 0, 0))
    meant = [PREFERENCES[code] if code >= 0 else None for code in rows.columns["preference"]]
    assert meant == [Preference.A, Preference.B, Preference.TIE, Preference.A, None]
    assert set(rows.scope) == {READOUTS.index(Readout.LOGGED)}
    assert rows.columns["lead"] is rows.columns["compliant"] is rows.scores["mass"] is None
