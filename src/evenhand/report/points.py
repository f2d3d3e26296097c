"""What the figures draw, taken from an audit: points with intervals, lock counts, outcome counts."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.analysis import AuditResult, FindingKind
from evenhand.records import Outcome, Readout
from evenhand.report.format import estimate_text, interval_text, is_shown
from evenhand.report.model import LockBar, OutcomeBar, Point
from evenhand.report.scope import Scope, judged_alone, locks_of
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = ["build_differences", "build_locks", "build_outcomes", "build_rates", "point"]


_REASON_LIMIT = 32  # characters of a reason that a figure row has room for


def point(group: str, series: str, label: str, estimate: Estimate | Refusal, unit: str = "share") -> Point:
    """A dot with its interval; a refusal has neither, and says so."""
    value = estimate.value if isinstance(estimate, Estimate) and is_shown(estimate) else None
    interval = estimate.interval if isinstance(estimate, Estimate) and interval_text(estimate.interval, unit) else None
    return Point(
        group=visible(group),
        series=series,
        label=visible(label),
        value=value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        text=_refused(estimate) if value is None else estimate_text(estimate, unit),
    )


def _refused(estimate: Estimate | Refusal) -> str:
    """Why there is no dot: the reason where it fits into a figure's row, else where it stands."""
    reason = visible(estimate.reason, limit=None) if isinstance(estimate, Refusal) else "not a finite number"
    return f"refused: {reason if len(reason) <= _REASON_LIMIT else 'see notes'}"


def build_rates(scopes: Sequence[Scope], *, single_order: bool) -> tuple[Point, ...]:
    """Compliance, then flip rate by readout (or first-slot rate where there is one order), then repeats."""
    points = []
    alone = judged_alone(scopes)
    for condition in dict.fromkeys(scope.condition for scope in scopes):
        own = [scope for scope in scopes if scope.condition == condition]
        name = "compliance_presentations" if single_order else "compliance_pairs"
        after = [scope for scope in own if scope.readout is Readout.PREFILLED]
        by_itself = [scope for scope in own if scope.readout is not Readout.PREFILLED]
        for asked, label in ((by_itself, "compliance"), (after, "compliance, prefilled")):
            known = (e for s in asked if (e := s.finding.measure(name)) is not None)
            compliance = next(known, asked[0].compliance if asked else None)
            if compliance is not None:
                points.append(point(condition, "compliance", label, compliance))
        for scope in own:
            kind = "first-slot rate" if single_order else "flips"
            estimate = scope.finding.measure("first_slot_rate") if single_order else scope.flips
            if estimate is not None and not alone:
                readout = scope.readout.value
                estimated = " (est.)" if scope.estimated is not None and not single_order else ""
                points.append(point(condition, readout, f"{kind}, {readout}{estimated}", estimate))
        repeats = [(s, s.repeat_flips) for s in own if s.repeat_flips is not None and s.readout.value != "hybrid"]
        points.extend(
            point(condition, "repeat", f"repeat flips, {s.readout.value}", estimate)
            for s, estimate in repeats
            if not single_order
        )
    return tuple(points)


def build_differences(audit: AuditResult) -> tuple[Point, ...]:
    """First-token minus generated flip rates, by condition and subset."""
    points = []
    for finding in audit.select(FindingKind.FORCED_MINUS_GENERATED):
        estimate = finding.measure("flip_difference")
        if estimate is not None:
            subset = finding.subset or "all"
            points.append(
                point(finding.condition or "all conditions", subset, f"{subset} pairs", estimate, "difference")
            )
    return tuple(points)


def build_locks(scopes: Sequence[Scope]) -> tuple[LockBar, ...]:
    """Slot locks of every condition and readout that has them."""
    found = ((scope, locks_of(scope.finding)) for scope in scopes)
    return tuple(
        LockBar(
            group=visible(scope.condition),
            readout=scope.readout.value,
            first=locks.first,
            second=locks.second,
            decided=locks.decided,
            sampled=scope.sampled,
        )
        for scope, locks in found
        if locks is not None
    )


def build_outcomes(scopes: Sequence[Scope]) -> tuple[OutcomeBar, ...]:
    """Counts of every state, both orders together; none where no response stood first, since half of a bar is slots."""
    if judged_alone(scopes):
        return ()
    return tuple(
        OutcomeBar(
            group=visible(scope.condition),
            readout=scope.readout.value,
            counts=tuple(
                (outcome.value, sum(c.count for c in scope.finding.outcomes if c.outcome is outcome))
                for outcome in Outcome
            ),
        )
        for scope in scopes
    )
