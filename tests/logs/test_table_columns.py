"""Reading a table as columns says and refuses exactly what reading it row by row does."""

import csv
import json
from dataclasses import fields

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evenhand.errors import DataError
from evenhand.logs.base import ColumnarLog
from evenhand.logs.table import TableLog
from evenhand.logs.table_columns import read_columns
from evenhand.records import Outcome, Readout, RunManifest, pairs_hash, verdict_table
from evenhand.records.columnar_hash import columns_hash
from evenhand.store import JournalEntry
from evenhand.workflow.read import read_verdicts

SHARED_FIELDS = ("format", "conditions", "judge", "orders", "log_rules", "grammars", "notes")


def write_jsonl(path, rows):
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


def write_csv(path, rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows({name: "" if row.get(name) is None else row[name] for name in names} for row in rows)


def write_parquet(path, rows):
    pl.DataFrame(rows, infer_schema_length=None, strict=False).write_parquet(path)


WRITERS = {".jsonl": write_jsonl, ".csv": write_csv, ".parquet": write_parquet}


def attempt(read, path):
    try:
        return read(path)
    except DataError as error:
        return error


def verdicts_of(log):
    manifest = RunManifest(
        kind="log", judge=log.judge, data=None, conditions=log.conditions, readouts=(Readout.LOGGED.value,)
    )
    entries = [JournalEntry(presentation=e.presentation, completion=e.completion) for e in log.entries]
    return read_verdicts(manifest, log.pairs, entries)


def compare(path):
    """Whether the table was read as columns; everything else is asserted."""
    by_row, by_column = attempt(TableLog().read, path), attempt(TableLog().read_columns, path)
    if by_column is None:
        return False
    if isinstance(by_row, DataError) or isinstance(by_column, DataError):
        assert repr(by_column) == repr(by_row)
        places = [(e.row, e.field, e.path, e.problem, e.remedy) for e in (by_column, by_row)]
        assert places[0] == places[1]
        return True
    columns = by_column.columns
    assert tuple(columns.iter_pairs()) == by_row.pairs
    found = [(logged.presentation, logged.completion) for logged in columns.iter_presentations()]
    assert found == [(entry.presentation, entry.completion) for entry in by_row.entries]
    for name in SHARED_FIELDS:
        assert getattr(by_column, name) == getattr(by_row, name), name
    assert columns.file_sha256 == by_row.file_sha256
    assert columns_hash(columns.pairs) == pairs_hash(by_row.pairs)
    table = columns.verdict_table()
    assert table.schema == verdict_table([]).schema
    assert table.equals(verdicts_of(by_row))
    return True


# Mostly sound values, so that whole tables are, and a few that some rule refuses.
STATES = [outcome.value for outcome in Outcome]
NAMES = ["a", "ä", "b ", "\u202e", "c" * 40, '"', "\\"]
ODD = ["", None, "\x00", " ", "\x85", "x\n", 3, "AB"]
COLUMNS = {
    "outcome": (["first", "second", "tie", *STATES], ["A", "First", "", None]),
    "preference": (["A", "B", "tie"], ["", None, "first"]),
    "finish_reason": (["stop", "length", "unknown", "", None], ["error", "filtered", "end"]),
    "condition": (["c1", "c2", "", None], ODD),
    "repeat": ([0, 0, 0, 1], ["0", "1", "", None, -1, "x", 1_000_001, "1.5"]),
    "gold": (["A"], ["B", "", None, "C"]),
    "source": (["s"], ["t", *ODD]),
    "group": (["g", None], ["h", *ODD]),
    "instruction": (["Q?"], ["R?", "", None]),
    "response_a": (["one"], ["", None, "two"]),
    "labels": (["A/B"], ["1/2", "A", "", None]),
    "judge": (["j"], ["k", None, ""]),
    "model": (["m"], ["n", None, ""]),
    "text": (["", None], ["The answer is A."]),
    "logprobs": ([None], ['{"A": -0.1}']),
    "remark": (["x"], [None]),
}


@st.composite
def tables(draw):
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), unique=True, max_size=6))
    if draw(st.integers(0, 9)):
        names.append(draw(st.sampled_from(["outcome", "preference"])))
    oddness = draw(st.sampled_from([0, 0, 1, 4]))

    def value(good, odd):
        return draw(st.sampled_from(odd if draw(st.integers(1, 40)) <= oddness else good))

    rows = []
    for number in range(draw(st.integers(1, 7))):
        fixed = draw(st.booleans()) or not oddness
        pair = f"p{number // 2}" if fixed else value(["p1", "p2", *NAMES], ODD)
        order = "AB" if number % 2 else "BA"
        row = {"pair_id": pair, "order": order if fixed else value(["AB", "BA"], ["ab", "", None])}
        row |= {name: value(*COLUMNS[name]) for name in dict.fromkeys(names)}
        rows.append(row)
    return rows


@pytest.mark.parametrize("suffix", sorted(WRITERS))
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(rows=tables())
def test_columns_say_what_rows_say(tmp_path, suffix, rows):
    path = tmp_path / f"table{suffix}"
    try:
        WRITERS[suffix](path, rows)
    except (pl.exceptions.PolarsError, TypeError):  # a mixed column that Parquet can't hold
        return
    compare(path)


def rows_of(n, **columns):
    return [{"pair_id": f"p{i // 2}", "order": ("AB", "BA")[i % 2], "outcome": "first", **columns} for i in range(n)]


@pytest.mark.parametrize("suffix", sorted(WRITERS))
def test_a_sound_table_is_read_as_columns(tmp_path, suffix):
    path = tmp_path / f"table{suffix}"
    WRITERS[suffix](path, rows_of(10, gold="B", source="s", repeat=0, condition="c", labels="1/2", judge="j"))
    assert compare(path)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (5, {"outcome": "A"}),
        (5, {"outcome": ""}),
        (5, {"order": "ba"}),
        (5, {"pair_id": "\x1f"}),
        (5, {"pair_id": " "}),
        (5, {"source": "\x00"}),
        (5, {"source": "other"}),
        (5, {"gold": "A"}),
        (5, {"gold": "a"}),
        (5, {"repeat": 10_000_000}),
        (5, {"labels": "2/1"}),
        (5, {"labels": "same/same"}),
        (5, {"judge": "k"}),
        (5, {"finish_reason": "error"}),
        (3, {"order": "AB"}),
    ],
)
@pytest.mark.parametrize("suffix", sorted(WRITERS))
def test_each_rule_speaks_in_the_same_words(tmp_path, suffix, place, change):
    rows = rows_of(8, gold="B", source="s", repeat=0, labels="1/2", judge="j", finish_reason="stop")
    rows[place] |= change
    path = tmp_path / f"table{suffix}"
    WRITERS[suffix](path, rows)
    assert compare(path)
    assert isinstance(attempt(TableLog().read_columns, path), DataError)


@pytest.mark.parametrize("column", [{"text": "The answer is A."}, {"logprobs": '{"A": -0.1}'}])
def test_what_readouts_read_is_left_to_them(tmp_path, column):
    for suffix, write in WRITERS.items():
        path = tmp_path / f"table{suffix}"
        write(path, rows_of(4, **column))
        assert read_columns(path, judge=None, model=None) is None


@pytest.mark.parametrize(
    "dtype", [pl.Float64, pl.Boolean, pl.Binary, pl.Date, pl.List(pl.String), pl.Categorical, pl.Int8, pl.Null]
)
@pytest.mark.parametrize("name", ["source", "repeat", "gold", "instruction", "condition"])
def test_any_type_of_a_parquet_column(tmp_path, name, dtype):
    values = {pl.Categorical: ["A", "A"], pl.List(pl.String): [["A"], ["A"]], pl.Binary: [b"A", b"A"]}
    column = pl.Series(name, values.get(dtype, [0, 0] if dtype != pl.Null else [None, None])).cast(dtype)
    path = tmp_path / "table.parquet"
    pl.DataFrame(rows_of(2)).with_columns(column).write_parquet(path)
    assert compare(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", ""),
        ("t.csv", "pair_id,order,outcome\n"),
        ("t.csv", "pair_id,order,outcome\np,AB\n"),
        ("t.csv", 'pair_id,order,outcome\np,AB,"fir\n'),
        ("t.csv", "pair_id,pair_id\n"),
        ("t.csv", "pair,order,outcome\np,AB,first\n"),
        ("t.jsonl", ""),
        ("t.jsonl", "\n\n"),
        ("t.jsonl", "[]\n"),
        ("t.jsonl", '{"pair_id": "p", "order": "AB", "outcome": "first"}\n\n{"pair_id": "p", "order"'),
        ("t.jsonl", '\n{"pair_id": "p", "order": "AB", "outcome": "first"}\n\n{"order": "AB", "outcome": "tie"}'),
        ("t.jsonl", '{"pair_id": "p", "pair_id": "q", "order": "AB", "outcome": "first"}'),
        ("t.jsonl", '{"pair_id": "\\ud800", "order": "AB", "outcome": "first"}'),
        ("t.jsonl", '{"pair_id": 36893488147419103232, "order": "AB", "outcome": "first"}'),
        ("t.txt", "x"),
    ],
)
def test_damaged_files_speak_in_the_same_words(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    compare(path)


@pytest.mark.parametrize("data", [b"pair_id,order\xff", b"\xef\xbb\xbfpair_id,order,outcome\np,AB,\xe2\x82", b"\xc3("])
def test_a_wrong_byte_is_told_by_its_place(tmp_path, data):
    for suffix in (".csv", ".jsonl"):
        path = tmp_path / f"table{suffix}"
        path.write_bytes(data)
        by_column = attempt(TableLog().read_columns, path)
        assert "is not UTF-8" in str(by_column)
        assert repr(by_column) == repr(attempt(TableLog().read, path))


def test_a_damaged_parquet_file_is_told_by_the_row_wise_reader(tmp_path):
    path = tmp_path / "table.parquet"
    write_parquet(path, rows_of(6))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert read_columns(path, judge=None, model=None) is None


def test_every_field_of_a_log_is_compared():
    assert {field.name for field in fields(ColumnarLog)} == {*SHARED_FIELDS, "columns"}
