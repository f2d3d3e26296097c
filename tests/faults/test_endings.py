"""Signals in the middle, and servers that fail."""

from __future__ import annotations

import sys

import pytest

from faults import endings


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGHUP")
def test_signals_end_the_command_and_the_same_command_goes_on(tmp_path):
    rows = endings.signals(tmp_path, trials=1)
    assert [row.fault.split()[0] for row in rows] == list(endings.SIGNALS)
    assert [row for row in rows if not row.held] == []


@pytest.mark.parametrize("always", [False, True], ids=["once", "for-ever"])
def test_a_failing_server_leaves_answers_or_recorded_errors_and_is_paid_once(always, tmp_path):
    row = endings.server_faults(tmp_path, always=always)
    assert row.held, row
    assert row.trials >= len(endings.FAULTS)
