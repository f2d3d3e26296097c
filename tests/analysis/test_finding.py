"""Selecting findings."""

import dataclasses

import pytest

from audits.tables import many, verdicts
from evenhand.analysis import FindingKind
from evenhand.audits import audit_position
from evenhand.records import Readout, verdict_table


def test_select_narrows_by_everything_given() -> None:
    rows = [
        *verdicts(many(FF=6), condition="x"),
        *verdicts(many(FF=6), condition="y", readout=Readout.FIRST_TOKEN),
    ]
    result = audit_position(verdict_table(rows))
    assert len(result.select(FindingKind.READOUT)) == 2
    (found,) = result.select(FindingKind.READOUT, condition="y")
    assert found.readout is Readout.FIRST_TOKEN
    assert result.select(FindingKind.READOUT, condition="y", readout=Readout.GENERATED) == ()
    assert result.select(FindingKind.READOUT, subset="all") == ()
    assert found.measure("no such") is None


def test_results_are_frozen() -> None:
    result = audit_position(verdict_table(verdicts(many(FF=6))))
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.seed = 1
    hash(result)
