"""Triage reports on planted pairs, for tests of what is printed of them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import cycle, islice

import numpy as np

from evenhand.probes.policy import CalibratedOn, PolicyRule, SwapPolicy
from evenhand.probes.triage import triage
from evenhand.probes.triage_leaderboard import authorship
from evenhand.probes.triage_question import TriageQuestion
from evenhand.probes.triage_report import TriageReport
from evenhand.probes.triage_scores import RiskScore, ScoreKind, raw_scores
from evenhand.probes.triage_time import Overhead, PairSeconds
from evenhand.records import Preference
from evenhand.stats import Refusal
from probes.triage_examples import SUBJECT, triage_data

DATA = triage_data(240)


@cache
def triage_report(
    *,
    score: str = "probe",
    budget: float | None = None,
    max_missed: float | None = None,
    delta: float | None = None,
    exact: bool = True,
    seconds: bool = True,
    authors: bool = True,
    hostile: bool = False,
    useless: bool = False,
) -> TriageReport:
    """A report with one usable probe and one refused score."""
    n = len(DATA)
    kind = ScoreKind.FROZEN if exact else ScoreKind.HELD_OUT
    values = next(iter(DATA.activations.values()))[:, 0].astype(float)
    probe = RiskScore(name="probe", kind=kind, values=-values if useless else values)
    names = ("\x1b[31m=cmd|x", "bob", "cyd") if hostile else ("ada", "bob", "cyd")
    writers = [[names[(i + shift) % 3] if authors else None for i in range(n)] for shift in (0, 1)]
    return triage(
        DATA,
        {"probe": probe, "combined": Refusal(reason="too few", n=n), **raw_scores(DATA, seed=0)},
        TriageQuestion(score=score, budget=budget, max_missed=max_missed, delta=delta, splits=4, resamples=200),
        authors=authorship(*writers),
        gold=[Preference.A if i % 2 else Preference.B for i in range(n)],
        seconds=PairSeconds(ab=np.ones(n), ba=np.ones(n)) if seconds else Refusal(reason="untold", n=0),
        overhead=Overhead(writing=3.0, reading=1.0, scoring=0.01),
        notes=("a note of the run",),
    )


def hostile_triage(*texts: str) -> TriageReport:
    """A report whose every text that others wrote is one of these, in turn."""
    report = triage_report(hostile=True)
    model, prompt, labels, data, use = islice(cycle(texts), 5)
    subject = replace(report.subject, model=model, revision=data, prompt=prompt, labels=labels)
    return replace(report, subject=subject, data=data, use=use, notes=texts)


def saved_policy(*, raw: bool = False) -> SwapPolicy:
    """A policy as ``--save`` writes it."""
    return SwapPolicy(
        rule=PolicyRule.MAX_MISSED,
        score="confidence" if raw else "probe",
        subject=SUBJECT,
        probe_sha256=None if raw else "ab",
        threshold=0.25,
        alpha=0.1,
        guarantee="in expectation, at most 10 % of the flips are missed",
        calibrated_on=CalibratedOn(spec="s", sha256="", pairs=9, groups=9, flips=5, missed=0, largest_group=1),
    )
