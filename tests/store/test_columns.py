import polars as pl
import pytest

from evenhand.errors import StoreError
from evenhand.records.columnar import VerdictColumns
from evenhand.store import columns as column_store
from evenhand.store.columns import check_columns, load_columns, load_some, remove_columns, write_columns


def columns(outcomes=("first", "second", "error")):
    ids = [f"p{i}" for i in range(len(outcomes))]
    pairs = pl.DataFrame({"id": ids, "source": [""] * len(ids), "group": ids}).with_columns(
        ordinal=pl.int_range(pl.len(), dtype=pl.UInt32), gold=pl.lit(None, dtype=pl.String)
    )
    rows = pl.DataFrame({"outcome": outcomes}).with_columns(
        pair=pl.int_range(pl.len(), dtype=pl.UInt32),
        order=pl.lit("AB"),
        condition=pl.lit("c"),
        repeat=pl.lit(0),
        finish_reason=pl.when(pl.col("outcome") == "error").then(pl.lit("error")).otherwise(pl.lit("stop")),
    )
    return VerdictColumns(pairs=pairs, presentations=rows, log_format="table", file_sha256="f00")


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_written_is_read_again(tmp_path):
    files = write_columns(tmp_path, columns())
    check_columns(tmp_path, files)
    again = load_columns(tmp_path, files)
    assert again.pairs.equals(columns().pairs)
    assert again.presentations.equals(columns().presentations)
    assert (files.presentations, files.failed, files.file_sha256) == (3, 1, "f00")
    assert names(tmp_path) == sorted([files.pairs, files.verdicts])


def test_the_same_columns_have_the_same_files(tmp_path):
    assert write_columns(tmp_path, columns()) == write_columns(tmp_path, columns())


def test_other_columns_stand_beside_the_old_until_those_are_removed(tmp_path):
    old, new = write_columns(tmp_path, columns()), write_columns(tmp_path, columns(("tie",) * 3))
    check_columns(tmp_path, old)
    (tmp_path / ".verdicts.77.part").write_bytes(b"left by a killed import")
    (tmp_path / "verdicts-mine.parquet").write_bytes(b"a user's own")
    remove_columns(tmp_path, keep=new)
    assert names(tmp_path) == sorted([new.pairs, new.verdicts, "verdicts-mine.parquet"])
    remove_columns(tmp_path, keep=None)
    assert names(tmp_path) == ["verdicts-mine.parquet"]


def test_a_changed_file_is_noticed(tmp_path):
    files = write_columns(tmp_path, columns())
    data = bytearray((tmp_path / files.verdicts).read_bytes())
    data[len(data) // 2] ^= 1
    (tmp_path / files.verdicts).write_bytes(data)
    with pytest.raises(StoreError, match=r"verdicts-.*is damaged \(its SHA-256 .*import the log again"):
        check_columns(tmp_path, files)


@pytest.mark.parametrize("load", [check_columns, load_columns, lambda d, f: load_some(d, f, {"p0"})])
def test_a_file_that_is_gone_is_named(tmp_path, load):
    files = write_columns(tmp_path, columns())
    (tmp_path / files.pairs).unlink()
    with pytest.raises(StoreError, match=r"pairs-.*is gone\. If the log was imported again"):
        load(tmp_path, files)


def test_a_truncated_file_is_damage(tmp_path):
    files = write_columns(tmp_path, columns())
    (tmp_path / files.verdicts).write_bytes(b"PAR1")
    with pytest.raises(StoreError, match="is damaged"):
        load_columns(tmp_path, files)


def test_some_pairs_are_read_alone(tmp_path):
    files = write_columns(tmp_path, columns())
    some = load_some(tmp_path, files, {"p2", "p0", "unknown"})
    assert [pair.id for pair in some.iter_pairs()] == ["p0", "p2"]
    assert [each.presentation.pair_id for each in some.iter_presentations()] == ["p0", "p2"]
    assert some.verdict_table()["outcome"].to_list() == ["first", "error"]


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(self, path, **options):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(StoreError, match="No space left"):
        write_columns(tmp_path, columns())
    assert names(tmp_path) == []


def test_a_killed_write_leaves_no_file_under_its_name(tmp_path, monkeypatch):
    def killed(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(column_store, "file_sha256", killed)
    with pytest.raises(KeyboardInterrupt):
        write_columns(tmp_path, columns())
    assert names(tmp_path) == []
