import os
import subprocess
import sys

import pytest

from evenhand.errors import StoreError
from evenhand.store.lock import WriterLock, is_being_written

HOLD = """
import sys
from pathlib import Path
from evenhand.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        assert process.stdout.readline().strip() == b"held"
        yield process
        process.kill()


def test_a_second_process_is_told_who_writes(tmp_path, holder):
    with pytest.raises(StoreError) as caught:
        WriterLock(tmp_path)
    assert f"another evenhand process (pid {holder.pid}) is writing to {tmp_path}" in str(caught.value)
    assert is_being_written(tmp_path)


def test_the_lock_dies_with_a_killed_process(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert not is_being_written(tmp_path)
    WriterLock(tmp_path).release()


def test_the_same_process_is_told_that_it_is_itself(tmp_path):
    lock = WriterLock(tmp_path)
    with pytest.raises(StoreError, match="this process already has"):
        WriterLock(tmp_path)
    lock.release()
    lock.release()
    WriterLock(tmp_path).release()
    assert not (tmp_path / "writer.pid").exists()


def test_a_forged_pid_file_is_not_printed(tmp_path):
    lock = WriterLock(tmp_path)
    (tmp_path / "writer.pid").write_bytes(b"\x1b[31m1; rm")
    with pytest.raises(StoreError, match=r"pid unknown"):
        WriterLock(tmp_path)
    lock.release()


def test_looking_takes_no_lock_and_makes_no_file(tmp_path):
    assert not is_being_written(tmp_path)
    assert os.listdir(tmp_path) == []  # noqa: PTH208
    lock = WriterLock(tmp_path)
    assert is_being_written(tmp_path)
    lock.release()
    assert not is_being_written(tmp_path)
