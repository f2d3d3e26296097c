import os
import subprocess
import sys

import pytest

from evenhand.errors import StoreError
from evenhand.store.atomic import write_atomically, write_bytes_atomically, write_text_atomically


def test_replaces_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "run.json"
    write_text_atomically(path, "old\n")
    write_text_atomically(path, "new ä\r\n")
    assert path.read_bytes() == "new ä\r\n".encode()
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "run.json"
    write_text_atomically(path, "old")

    def half(temporary):
        temporary.write_text("ne")
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match=r"run.json: can't be written \(No space left on device\)"):
        write_atomically(path, half)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["run.json"]


def test_a_missing_folder_is_a_store_error(tmp_path):
    with pytest.raises(StoreError, match="can't be written"):
        write_text_atomically(tmp_path / "no" / "run.json", "x")


def test_a_lone_surrogate_is_written_as_its_escape(tmp_path):
    write_text_atomically(tmp_path / "a.txt", "é \ud800")
    assert (tmp_path / "a.txt").read_bytes() == "é \\ud800".encode()


def test_what_is_not_bytes_keeps_the_old_file(tmp_path):
    path = tmp_path / "a.bin"
    write_bytes_atomically(path, b"old")
    with pytest.raises(TypeError):
        write_bytes_atomically(path, "not bytes")
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.bin"]


def test_what_a_killed_process_left_is_removed_and_a_living_ones_attempt_is_not(tmp_path):
    gone = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True, check=True
    )
    left = tmp_path / f".report.html.{gone.stdout.strip()}.part"
    fresh, living = left.with_name(f".new.html.{gone.stdout.strip()}.part"), tmp_path / f".x.{os.getppid()}.part"
    theirs = tmp_path / ".hidden.part"
    for path in (left, fresh, living, theirs):
        path.write_text("half")
    for path in (left, living, theirs):
        os.utime(path, (0, 0))
    write_text_atomically(tmp_path / "card.md", "new")
    assert {path.name for path in tmp_path.iterdir()} == {"card.md", fresh.name, living.name, theirs.name}
