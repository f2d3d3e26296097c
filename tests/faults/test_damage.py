"""Damaged files a few times each; ``benchmarks/reliability.py`` does the same thousands of times."""

from __future__ import annotations

import sys

import pytest

from faults import damage


@pytest.mark.parametrize("scenario", ["journal_cut", "journal_bits", "wal_cut"])
def test_a_damaged_journal_is_refused_or_read_as_before(scenario, tmp_path):
    if scenario == "wal_cut" and sys.platform == "win32":
        pytest.skip("Windows has no SIGKILL, which leaves the log behind")
    row = getattr(damage, scenario)(tmp_path, trials=30)
    assert row.held, row
    assert row.outcomes["refused"] + row.outcomes["read as an earlier state"] > 10  # the damage was real


def test_files_cut_short_are_refused_by_place_or_hold_fewer_rows(tmp_path):
    rows = damage.files_cut(tmp_path, trials=12)
    assert [row for row in rows if not row.held] == []
    assert all(row.outcomes["refused"] for row in rows)


def test_newer_formats_are_refused_by_name(tmp_path):
    row = damage.newer(tmp_path)
    assert row.held, row
    assert row.outcomes == {"refused": row.trials}
