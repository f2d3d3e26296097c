import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import contextmanager

import pytest

from evenhand.errors import StoreError
from evenhand.records import SCHEMA_VERSION, Completion, FinishReason
from evenhand.store import Journal
from evenhand.store.connection import connect_reader, transaction
from store.examples import ANSWER, manifest, pairs, presentations


@pytest.fixture
def run(tmp_path):
    directory = tmp_path / "run"
    with Journal.create(directory, manifest(), pairs(40)) as journal:
        journal.set_plan(presentations(40))
        for presentation in presentations(20):
            journal.record(presentation.key, ANSWER)
    return directory


@contextmanager
def small_disk(folder, *, size):
    """A file system of its own, where this user may mount one."""
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"can't mount a tmpfs here: {mounted.stderr.decode(errors='replace').strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["mount", "-o", "remount,rw", folder], check=False, capture_output=True)
        subprocess.run(["umount", folder], check=True)


def test_a_transaction_is_all_or_nothing():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t (x)")

    def fail():
        with transaction(connection):
            connection.execute("INSERT INTO t VALUES (1)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert connection.execute("SELECT COUNT(*) FROM t").fetchone() == (0,)
    assert not connection.in_transaction
    connection.close()


@pytest.mark.parametrize("read_only", [True, False])
class TestRefusals:
    def test_what_is_no_run(self, tmp_path, read_only):
        for directory in (tmp_path, tmp_path / "absent"):
            with pytest.raises(StoreError, match="not a run directory"):
                Journal.open(directory, read_only=read_only)
        assert list(tmp_path.iterdir()) == []

    def test_a_newer_format(self, run, read_only):
        plain = sqlite3.connect(run / "journal.sqlite")
        plain.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        plain.close()
        with pytest.raises(StoreError, match=f"run format {SCHEMA_VERSION + 1} is newer .* update Evenhand"):
            Journal.open(run, read_only=read_only)

    def test_another_programs_database(self, tmp_path, read_only):
        plain = sqlite3.connect(tmp_path / "journal.sqlite")
        plain.execute("CREATE TABLE recipes (x)")
        plain.close()
        before = (tmp_path / "journal.sqlite").read_bytes()
        with pytest.raises(StoreError, match="not an Evenhand journal"):
            Journal.open(tmp_path, read_only=read_only)
        assert (tmp_path / "journal.sqlite").read_bytes() == before

    @pytest.mark.parametrize("keep", [0, 50, 1000, 4096, 20_000])
    def test_a_truncated_file(self, run, read_only, keep):
        os.truncate(run / "journal.sqlite", keep)
        with pytest.raises(StoreError, match=r"journal\.sqlite: .*(damaged|truncated)"):
            Journal.open(run, read_only=read_only)

    def test_overwritten_pages(self, run, read_only):
        with (run / "journal.sqlite").open("r+b") as file:
            file.seek(4096)
            file.write(b"\xff" * 8192)
        with pytest.raises(StoreError, match=r"the journal is damaged .* restore the run directory"):
            Journal.open(run, read_only=read_only)

    def test_a_damaged_schema_that_is_no_text(self, run, read_only):
        # SQLite quotes the damage in its complaint, and Python can't decode that.
        path = run / "journal.sqlite"
        path.write_bytes(path.read_bytes().replace(b"CREATE TABLE plan", b"CREATE \xd2ABLE plan"))
        with pytest.raises(StoreError, match=r"journal\.sqlite: the journal is damaged"):
            Journal.open(run, read_only=read_only)

    def test_a_text_file(self, run, read_only):
        (run / "journal.sqlite").write_text("hello " * 1000)
        with pytest.raises(StoreError, match="the journal is damaged"):
            Journal.open(run, read_only=read_only)


def test_a_refused_writer_leaves_no_lock_behind(run):
    os.truncate(run / "journal.sqlite", 4096)
    for _ in range(2):
        with pytest.raises(StoreError, match="damaged"):
            Journal.open(run)


def test_create_refuses_a_newer_journal_and_leaves_it(run):
    plain = sqlite3.connect(run / "journal.sqlite")
    plain.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    plain.close()
    with pytest.raises(StoreError, match="is newer"):
        Journal.create(run, manifest(), pairs(1))
    plain = sqlite3.connect(run / "journal.sqlite")
    assert plain.execute("SELECT COUNT(*) FROM pairs").fetchone() == (40,)
    plain.close()


def test_create_takes_over_a_journal_whose_maker_was_killed_before_the_first_table(tmp_path):
    (tmp_path / "journal.sqlite").touch()
    with Journal.create(tmp_path, manifest(), pairs(1)) as journal:
        assert journal.counts().planned == 0


def test_create_under_a_file_is_a_store_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="can't be made a run directory"):
        Journal.create(tmp_path / "file", manifest(), [])


def test_a_killed_run_in_a_folder_that_nobody_may_write_to_is_read_whole(tmp_path, run):
    with small_disk(tmp_path / "disk", size="8m") as disk:
        writer = Journal.open(run)
        writer.record(presentations(40)[-1].key, ANSWER)
        # What a SIGKILL leaves: the last answer is only in the write-ahead log, and its index file may be lost.
        for name in ("journal.sqlite", "journal.sqlite-wal"):
            shutil.copy(run / name, disk / name)
        writer.close()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with Journal.open(disk, read_only=True) as journal:
            assert journal.counts().finished == 41
        with pytest.raises(StoreError, match=r"can't be locked for writing .* check the permissions"):
            Journal.open(disk)
        with pytest.raises(StoreError, match="can't be made a run directory"):
            Journal.create(disk / "new", manifest(), [])


def test_a_reader_writes_nothing(run):
    reader = connect_reader(run)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.connection.execute("DELETE FROM plan")
    reader.close()


def test_a_full_disk_is_said_and_nothing_is_counted(tmp_path):
    planned = presentations(40)
    big = Completion(text="x" * 40_000, finish_reason=FinishReason.STOP)
    recorded = 0
    with small_disk(tmp_path / "disk", size="600k") as disk:
        with Journal.create(disk / "run", manifest(), pairs(40)) as journal:
            journal.set_plan(planned)
            full = ""
            for presentation in planned:
                try:
                    journal.record(presentation.key, big)
                except StoreError as error:
                    full = str(error)
                    break
                recorded += 1
            assert "disk" in full
            assert "nothing of this step was recorded" in full
            assert journal.counts().finished == recorded
        shutil.copytree(disk / "run", tmp_path / "rescued")
    assert 0 < recorded < 40
    with Journal.open(tmp_path / "rescued") as journal:
        assert journal.counts().finished == recorded
        journal.record(planned[recorded].key, big)


LIMITED = """
import resource, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from store.examples import manifest, pairs, presentations
from evenhand.errors import StoreError
from evenhand.records import Completion, FinishReason
from evenhand.store import Journal

planned, recorded = presentations(40), 0
with Journal.create(Path(sys.argv[1]), manifest(), pairs(40)) as journal:
    journal.set_plan(planned)
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    try:
        for presentation in planned:
            journal.record(presentation.key, Completion(text="x" * 40_000, finish_reason=FinishReason.STOP))
            recorded += 1
    except StoreError as error:
        print(recorded, journal.counts().finished, error)
"""


def test_a_file_size_limit_is_said_and_nothing_is_counted(tmp_path):
    pytest.importorskip("resource")
    tests = os.path.dirname(os.path.dirname(__file__))  # noqa: PTH120
    child = subprocess.run(
        [sys.executable, "-c", LIMITED, str(tmp_path), tests], capture_output=True, text=True, check=True
    )
    recorded, finished, message = child.stdout.split(maxsplit=2)
    assert 0 < int(recorded) == int(finished) < 40
    assert "nothing of this step was recorded" in message
    with Journal.open(tmp_path) as journal:
        assert journal.counts().finished == int(recorded)
