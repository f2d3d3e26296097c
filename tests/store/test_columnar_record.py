import sqlite3

import pytest

from evenhand.errors import DataError
from evenhand.records import COLUMNS_VERSION, ROWS_VERSION
from evenhand.store.columnar_record import read_record, write_record
from evenhand.store.columns import ColumnFiles

FILES = ColumnFiles(
    pairs="pairs-0.parquet",
    pairs_sha256="00",
    verdicts="verdicts-1.parquet",
    verdicts_sha256="11",
    presentations=2,
    failed=1,
    log_format="table",
    file_sha256="22",
)


@pytest.fixture
def connection():
    connection = sqlite3.connect(":memory:")
    yield connection
    connection.close()


def version(connection):
    return connection.execute("PRAGMA user_version").fetchone()[0]


def test_a_journal_without_columns_stays_as_earlier_versions_read_it(connection):
    write_record(connection, None)
    assert read_record(connection) is None
    assert connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0] == 0


def test_a_record_says_its_format_and_gives_it_back(connection):
    write_record(connection, FILES)
    assert (read_record(connection), version(connection)) == (FILES, COLUMNS_VERSION)
    write_record(connection, None)
    assert (read_record(connection), version(connection)) == (None, ROWS_VERSION)


def test_a_changed_record_is_refused(connection):
    write_record(connection, FILES)
    connection.execute("UPDATE columnar SET record = replace(record, 'verdicts-1', 'verdicts-2')")
    with pytest.raises(DataError, match="checksum"):
        read_record(connection)
