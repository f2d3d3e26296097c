"""What every analysis shares: verdicts as arrays, the bridge to the statistics, and what a finding is.

Audits and mitigations both stand on it, and neither on the other.
"""

from evenhand.analysis.finding import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.analysis.measures import MEASURES, MeasureInfo, measure_info

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
