"""Audits: verdicts in, findings out. Pure."""

from evenhand.audits.decision import flagged, is_flagged
from evenhand.audits.finding import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.audits.measures import MEASURES, MeasureInfo, measure_info
from evenhand.audits.plan import PlannedPresentation, plan_position
from evenhand.audits.position import audit_position
from evenhand.audits.sample import SampleDesign

__all__ = [
    "MEASURES",
    "AuditResult",
    "Finding",
    "FindingKind",
    "Measure",
    "MeasureInfo",
    "OutcomeCount",
    "PlannedPresentation",
    "SampleDesign",
    "audit_position",
    "flagged",
    "is_flagged",
    "measure_info",
    "plan_position",
]
