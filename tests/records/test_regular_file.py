import os
import sys

import pytest

from evenhand.records.regular_file import why_never, why_no_file


def test_a_file_is_fine_and_a_folder_is_told(tmp_path):
    (tmp_path / "a").write_text("x")
    assert why_no_file(tmp_path / "a") is None
    assert why_no_file(tmp_path) == "is a directory, expected a file"


@pytest.mark.parametrize("name", ["none", "n" * 5_000, "a\0b"])
def test_what_no_file_is_called_or_is_not_there(tmp_path, name):
    assert "file" in why_no_file(tmp_path / name)


def test_a_null_byte_is_told_before_opening_raises_something_else(tmp_path):
    assert why_never(tmp_path / "a\0b") == "can't be a file's name (null byte)"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
def test_pipes_devices_and_loops(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert why_no_file(tmp_path / "pipe") == "is a pipe or a device, expected a file"
    assert why_no_file(tmp_path / "zero") == "is a pipe or a device, expected a file"
    assert why_no_file(tmp_path / "loop") is not None


def test_what_opening_tells_by_itself_is_left_to_it(tmp_path):
    assert [why_never(path) for path in (tmp_path, tmp_path / "none")] == [None, None]
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert sys.platform == "win32" or why_never(tmp_path / "zero") is not None
