"""What people make of several judges: everything that a comparison with human labels holds."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.audits.humans.agreement import HumanAgreement, JudgeAgreement
from evenhand.audits.humans.over_time import AgreementOverTime
from evenhand.audits.humans.win_rate import WinRate
from evenhand.datasets.labels import Labels
from evenhand.records import Readout

__all__ = ["HumanComparison", "JudgedByPeople"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedByPeople:
    """One run's condition and readout beside the labels.

    Attributes
    ----------
    created
        When the run was planned, ISO 8601; with several runs of one judge, agreement over time is read from these.
    """

    run: str
    created: str
    condition: str
    readout: Readout
    agreement: JudgeAgreement
    over_time: AgreementOverTime
    win_rates: tuple[WinRate, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HumanComparison:
    """What people make of the judges.

    Attributes
    ----------
    labels
        The file that was read.
    labelled
        Judged pairs of the first run with a label.
    """

    judges: tuple[JudgedByPeople, ...]
    people: HumanAgreement
    labels: Labels
    labelled: int
    resampled_by: str
    resamples: int
    level: float
    seed: int
    notes: tuple[str, ...] = ()
