"""SIGKILL a few times; ``benchmarks/reliability.py`` does the same hundreds of times."""

from __future__ import annotations

import sys

import pytest

from faults import kills

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")


@pytest.mark.parametrize("scenario", ["audit_simulated", "audit_server", "importing", "collecting", "binary_writing"])
def test_killed_at_random_moments_nothing_is_lost_and_nothing_asked_twice(scenario, tmp_path):
    row = getattr(kills, scenario)(tmp_path, kills=2)
    assert row.held, row
    assert row.trials >= 2


def test_killed_while_a_report_is_written_every_file_is_whole(tmp_path):
    row = kills.report_writing(tmp_path, kills=2)
    assert row.held, row
