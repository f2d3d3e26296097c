"""What nobody kills runs in the tests' own process; ``benchmarks/reliability.py`` starts a process for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from faults.command import HERE


@pytest.fixture(autouse=True)
def commands_run_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("COLUMNS", "200")
    token = HERE.set(True)
    yield
    HERE.reset(token)
