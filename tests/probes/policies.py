"""Policies for tests: a budget, and a threshold with its promise."""

from evenhand.probes.data import ProbeSubject
from evenhand.probes.policy import CalibratedOn, PolicyRule, SwapPolicy
from evenhand.records import Readout

SUBJECT = ProbeSubject(
    model="tiny",
    revision=None,
    dtype="float32",
    prompt="three-line",
    prompt_hash="00",
    labels="A/B",
    readout=Readout.GENERATED,
    blocks=4,
    size=8,
    settings=(("seed", "0"),),
)
ON = CalibratedOn(spec="s", sha256="ff", pairs=40, groups=30, flips=12, missed=1, largest_group=2)


def budget(share, **changes):
    return SwapPolicy(rule=PolicyRule.BUDGET, score="probe", budget=share, subject=SUBJECT, **changes)


def threshold(at, **changes):
    settings = {"alpha": 0.1, "guarantee": "g", "calibrated_on": ON, "probe_sha256": "ab"} | changes
    return SwapPolicy(rule=PolicyRule.MAX_MISSED, score="probe", threshold=at, subject=SUBJECT, **settings)
