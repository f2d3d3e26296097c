"""The one decision rule of the position audit: when a judge counts as position-biased."""

from __future__ import annotations

from evenhand.analysis.family import HOLM_MARK
from evenhand.analysis.finding import AuditResult, Finding, FindingKind
from evenhand.audits.readout import SLOT_LOCK_TEST
from evenhand.stats import Estimate

__all__ = ["ALPHA", "flagged", "is_flagged"]

ALPHA = 0.05
"""The convention; over all conditions and readouts of an audit, since the p-values are Holm-adjusted."""


def is_flagged(finding: Finding) -> bool:
    """Whether position bias was detected.

    Two things must hold: slot locks lean to one slot (exact binomial test, Holm-adjusted, p < .05), and the cluster
    interval of ``position_bias_strength`` leaves 0 out. The test alone treats pairs as independent, and pairs of one
    question group may lean together by chance; the interval alone has no adjustment for several conditions.

    It needs the direction, not flips alone: noise and hesitation make flips too, but they lock to both slots alike. A
    finding that isn't flagged hasn't been shown fair; the intervals say how large a bias the data leave possible.

    Parameters
    ----------
    finding
        Of kind READOUT, from :func:`evenhand.audits.position.audit_position`; any other is never flagged.
    """
    strength = finding.measure("position_bias_strength")
    if finding.kind is not FindingKind.READOUT or not isinstance(strength, Estimate) or strength.interval is None:
        return False
    leans = strength.interval.low > 0 or strength.interval.high < 0
    return leans and any(
        test.name.startswith(SLOT_LOCK_TEST) and HOLM_MARK in test.name and test.p_value < ALPHA
        for test in finding.tests
    )


def flagged(result: AuditResult) -> tuple[Finding, ...]:
    """The findings in which position bias was detected."""
    return tuple(finding for finding in result.findings if is_flagged(finding))
