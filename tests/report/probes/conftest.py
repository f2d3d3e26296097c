"""Probe reports as fixtures; what they are made of is in examples.py."""

from __future__ import annotations

import polars as pl
import pytest

from evenhand.probes import ProbeReport
from evenhand.report.probes.model import ProbeView
from evenhand.report.probes.view import build_probe_view
from report.probes.examples import make_hostile, make_predictions, make_report, make_transfer


@pytest.fixture
def report() -> ProbeReport:
    return make_report()


@pytest.fixture
def predictions() -> pl.DataFrame:
    return make_predictions()


@pytest.fixture
def transfer() -> ProbeReport:
    return make_transfer()


@pytest.fixture(scope="session")
def view() -> ProbeView:
    report = make_report()
    return build_probe_view(
        report,
        make_predictions(report),
        command="evenhand probe fit runs/qwen --seed 0",
        created="2026-11-30T07:10:11+00:00",
    )


@pytest.fixture(scope="session")
def hostile_report(hostile: str) -> ProbeReport:
    return make_hostile(hostile)


@pytest.fixture(scope="session")
def hostile_view(hostile: str, hostile_report: ProbeReport) -> ProbeView:
    return build_probe_view(hostile_report, make_predictions(hostile_report), command=hostile, created=hostile)
