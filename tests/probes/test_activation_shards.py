from dataclasses import fields, replace

import polars as pl
import pytest

from evenhand.errors import StoreError
from evenhand.probes.activation_shards import (
    matrix,
    read_index,
    record_of,
    shard_name,
    write_index,
    write_shard,
)
from evenhand.probes.activation_tensors import open_tensors
from evenhand.probes.places import Position
from evenhand.records import Order
from probes.activation_examples import LAYERS, SIZE, record, same

RECORDS = [
    record("a", verdict_index=2),
    record("b", verdict_index=None, tokens=0),
    record("c", verdict_index=0, order=Order.BA),
    record("d", verdict_index=1, tokens=7, pair_id="p\udc80"),
]


@pytest.fixture
def rows(tmp_path):
    return write_shard(tmp_path, 3, RECORDS, layers=LAYERS, size=SIZE)


def test_every_record_comes_out_as_it_went_in(tmp_path, rows):
    assert shard_name(3) == "shard-0003.safetensors"
    with open_tensors(tmp_path / shard_name(3)) as file:
        assert matrix(file, Position.BEFORE_VERDICT, layers=LAYERS, size=SIZE).shape == (3, 2, 4)
        assert matrix(file, Position.PROMPT_END, layers=LAYERS, size=SIZE).shape == (3, 2, 4)
        for row, made in zip(rows, RECORDS, strict=True):
            assert same(record_of(file, row, layers=LAYERS, size=SIZE), made)


def test_the_index_comes_back_row_by_row(tmp_path, rows):
    write_index(tmp_path / "index.parquet", rows)
    found = read_index(tmp_path / "index.parquet")
    assert found[:3] == rows[:3]
    assert found[3] == replace(rows[3], pair_id="p\\udc80")
    assert read_index(written(tmp_path, ())) == ()


def written(tmp_path, rows):
    write_index(tmp_path / "other.parquet", rows)
    return tmp_path / "other.parquet"


def test_an_index_with_other_columns_or_rows_is_named(tmp_path, rows):
    path = written(tmp_path, rows)
    table = pl.read_parquet(path)
    changes = {
        "its columns are": table.drop("tokens"),
        "no index of ours": table.with_columns(pl.col("shard").cast(pl.String)),
        "is in it twice": pl.concat([table, table]),
        "a negative place": table.with_columns(tokens=pl.lit(-1, dtype=pl.Int64)),
        "don't fit a verdict": table.with_columns(verdict_index=pl.lit(None, dtype=pl.Int64)),
        "label ids don't fit": table.with_columns(label_ids=pl.lit([1], dtype=pl.List(pl.Int64))),
        "not finite": table.with_columns(
            label_logits=pl.when(pl.col("label_logits").is_not_null()).then(
                pl.lit([0.0, float("inf"), 0.0], dtype=pl.List(pl.Float32))
            )
        ),
        "presentation key": table.with_columns(key=pl.col("key") + "/../x"),
        "not a valid Order": table.with_columns(order=pl.lit("CD")),
        "damaged": table.with_columns(repeat=pl.lit(None, dtype=pl.Int64)),
    }
    for said, changed in changes.items():
        changed.write_parquet(path)
        with pytest.raises(StoreError, match=f"other.parquet: .*{said}"):
            read_index(path)
    path.write_bytes(b"PAR1 but no more")
    with pytest.raises(StoreError, match="can't be read as Parquet"):
        read_index(path)


@pytest.mark.parametrize("name", ["before_verdict", "prompt_end", "prompt_start", "token_start"])
def test_an_index_that_points_past_the_end_is_noticed(tmp_path, rows, name):
    assert name in {field.name for field in fields(rows[0])}
    far = replace(rows[0], **{name: 900})
    with open_tensors(tmp_path / shard_name(3)) as file, pytest.raises(StoreError, match=r"shard-0003.*damaged"):
        record_of(file, far, layers=LAYERS, size=SIZE)


def test_a_shard_of_other_layers_is_refused(tmp_path, rows):
    with open_tensors(tmp_path / shard_name(3)) as file:
        with pytest.raises(StoreError, match="its layers are 1,3, the run keeps 1,2"):
            matrix(file, Position.PROMPT_END, layers=(1, 2), size=SIZE)
        with pytest.raises(StoreError, match="shape"):
            matrix(file, Position.PROMPT_END, layers=LAYERS, size=5)
