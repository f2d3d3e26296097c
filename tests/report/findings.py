"""Findings of one condition and readout, each with the measures that a test is about."""

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure
from evenhand.records import Readout
from evenhand.stats import Estimate, Interval


def estimate(low, high, *, value=None):
    middle = (low + high) / 2 if value is None else value
    return Estimate(value=middle, interval=Interval(low=low, high=high), n=100, count=middle * 100, clusters=100)


def finding(
    kind=FindingKind.READOUT, *, readout=Readout.GENERATED, condition="A/B", subset=None, pairs=100, **measures
):
    return Finding(
        kind=kind,
        condition=condition,
        readout=readout,
        subset=subset,
        pairs=pairs,
        presentations=2 * pairs,
        measures=tuple(
            Measure(name=name, estimate=estimate(*bounds) if isinstance(bounds, tuple) else bounds)
            for name, bounds in measures.items()
        ),
    )


def audit(*findings):
    return AuditResult(audit="position", findings=findings, resamples=100, level=0.95, seed=0, resampled_by="source")
