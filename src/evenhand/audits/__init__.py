"""Audits: verdicts in, findings out. Pure."""

from evenhand.audits.decision import flagged, is_flagged
from evenhand.audits.plan import PlannedPresentation, plan_position
from evenhand.audits.position import audit_position
from evenhand.audits.sample import SampleDesign

__all__ = [
    "PlannedPresentation",
    "SampleDesign",
    "audit_position",
    "flagged",
    "is_flagged",
    "plan_position",
]
