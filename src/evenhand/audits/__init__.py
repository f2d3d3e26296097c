"""Audits: verdicts in, findings out. Pure."""

from evenhand.audits.finding import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.audits.measures import MEASURES, MeasureInfo, measure_info

__all__ = [
    "MEASURES",
    "AuditResult",
    "Finding",
    "FindingKind",
    "Measure",
    "MeasureInfo",
    "OutcomeCount",
    "measure_info",
]
