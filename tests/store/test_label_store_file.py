"""The file of a label store: made once, refused where it is another's, said to be damaged where it is."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from evenhand.errors import StoreError
from evenhand.store.connection import number_of
from evenhand.store.label_store_file import LabelFile, now


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labels.sqlite"


def add(file: LabelFile, *names: str) -> None:
    with file.writing() as connection:
        for name in names:
            connection.execute("INSERT INTO annotators (name, name_key, created) VALUES (?, ?, ?)", (name, name, now()))


def names_in(file: LabelFile) -> list[str]:
    with file.reading() as connection:
        return [name for (name,) in connection.execute("SELECT name FROM annotators ORDER BY id")]


def test_the_first_to_make_it_says_its_seed(path: Path) -> None:
    for seed in (7, 99, None):
        with LabelFile(path, create=True, seed=seed).reading() as connection:
            assert number_of(connection, "SELECT seed FROM store") == 7


def test_made_by_several_at_once_it_is_one_file(path: Path) -> None:
    def make(seed: int) -> str:
        with LabelFile(path, create=True, seed=seed).reading() as connection:
            return str(connection.execute("SELECT name FROM store").fetchone()[0])

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(make, range(6)))) == 1


def test_a_transaction_is_kept_whole_or_not_at_all(path: Path) -> None:
    file = LabelFile(path, create=True, seed=1)
    add(file, "Ann")
    with pytest.raises(StoreError, match="UNIQUE"):
        add(file, "Bo", "Ann")
    assert names_in(file) == ["Ann"]


def test_what_is_read_is_as_of_one_moment(path: Path) -> None:
    file = LabelFile(path, create=True, seed=1)
    add(file, "Ann")
    with file.reading() as connection:
        assert number_of(connection, "SELECT COUNT(*) FROM annotators") == 1
        add(file, "Bo")
        assert number_of(connection, "SELECT COUNT(*) FROM annotators") == 1
    assert names_in(file) == ["Ann", "Bo"]


def test_a_reader_can_t_write(path: Path) -> None:
    file = LabelFile(path, create=True, seed=1)
    with pytest.raises(StoreError, match="check the permissions"), file.reading() as connection:
        connection.execute("DELETE FROM events")


def test_a_newer_format_is_refused_by_name_and_left_alone(path: Path) -> None:
    LabelFile(path, create=True, seed=7)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"label format 2 is newer than the 1 .* update Evenhand"):
        LabelFile(path, create=True, seed=7)
    assert path.read_bytes() == before


def test_another_database_or_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE x (y)")
    connection.close()
    text = tmp_path / "labels.csv"
    text.write_text("pair_id,preference\n" * 100)
    for path, said in ((other, "no file of labels"), (text, "no label store")):
        before = path.read_bytes()
        with pytest.raises(StoreError, match=said):
            LabelFile(path, create=True, seed=None)
        assert path.read_bytes() == before
    with pytest.raises(StoreError, match="no such file"):
        LabelFile(tmp_path / "none.sqlite", create=False, seed=None)
    assert not (tmp_path / "none.sqlite").exists()


def test_a_damaged_file_is_said_to_be_damaged(path: Path) -> None:
    file = LabelFile(path, create=True, seed=7)
    add(file, *(f"{number} {'x' * 500}" for number in range(60)))
    data = bytearray(path.read_bytes())
    for start in range(4096 * 3, len(data), 4096):
        data[start : start + 200] = b"\xff" * 200
    path.write_bytes(bytes(data))
    with pytest.raises(StoreError, match="the labels are damaged"):
        LabelFile(path, create=False, seed=None)


def test_labels_can_be_read_where_nobody_may_write(path: Path) -> None:
    add(LabelFile(path, create=True, seed=7), "Ann")
    path.parent.chmod(0o500)
    try:
        assert names_in(LabelFile(path, create=False, seed=None)) == ["Ann"]
    finally:
        path.parent.chmod(0o700)


def test_a_moment_says_its_time_zone() -> None:
    assert datetime.fromisoformat(now()).utcoffset() == timedelta(0)
