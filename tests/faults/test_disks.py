"""Full disks, folders that can't be written, a second writer, a clock that jumps."""

from __future__ import annotations

import sys

import pytest

from faults import disks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="tmpfs, setpriv and libfaketime are Linux's")


def test_a_full_disk_ends_with_one_line_and_the_run_goes_on(tmp_path):
    if not disks.can_mount():
        pytest.skip("this process may make no file system of its own")
    row = disks.full_disk(tmp_path, trials=2, pairs=24)
    assert row.held, row


def test_a_read_only_folder_is_named_and_stays_as_it_is(tmp_path):
    row = disks.read_only_folder(tmp_path)
    assert row.held, row


def test_a_second_writer_is_refused_and_the_first_goes_on(tmp_path):
    row = disks.two_writers(tmp_path, trials=1, pairs=24)
    assert row.held, row
    assert row.outcomes == {"refused": 1}


def test_a_clock_that_jumps_changes_no_figure(tmp_path):
    row = disks.clock_jumps(tmp_path, most=1)
    if "not tried" in row.remark:
        pytest.skip(row.remark)
    assert row.held, row
