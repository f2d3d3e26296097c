"""Findings as JSON: estimates, refusals and tests, with no number that JSON can't hold."""

from __future__ import annotations

import math

from evenhand.analysis import Finding, Measure
from evenhand.analysis.study import Basis, Claim
from evenhand.records import Order, Outcome
from evenhand.report.cells import info_of
from evenhand.report.model import Headline
from evenhand.stats import Estimate, Interval, Refusal, TestResult

__all__ = [
    "Json",
    "encode_basis",
    "encode_claim",
    "encode_estimate",
    "encode_finding",
    "encode_headline",
    "encode_outcomes",
    "encode_test",
    "finite",
]

Json = dict[str, object]


def finite(value: float | None) -> float | int | None:
    """The number, or None where JSON has no form for it; a whole count loses its ``.0``."""
    if value is None or not math.isfinite(value):
        return None
    return value


def encode_interval(interval: Interval | None) -> Json | None:
    """An interval, or None where there is none or its bounds aren't finite."""
    if interval is None or not (math.isfinite(interval.low) and math.isfinite(interval.high)):
        return None
    return {"low": interval.low, "high": interval.high, "level": interval.level, "method": interval.method}


def encode_headline(headline: Headline) -> Json:
    """What every report's headline has: the verdict, the lead, further findings and steps, and what each rests on."""
    return {
        "verdict": headline.verdict,
        "lead": headline.lead,
        "basis": encode_basis(headline.basis),
        "more": [encode_claim(claim) for claim in headline.more],
        "next": [encode_claim(claim) for claim in headline.steps],
    }


def encode_claim(claim: Claim) -> Json:
    """A sentence of a headline, with what it rests on."""
    return {"text": claim.text, "basis": encode_basis(claim.basis)}


def encode_basis(basis: Basis | None) -> Json | None:
    """What a sentence rests on: its name in the report, and its anchor on the HTML page; None where there is nothing.

    Examples
    --------
    >>> encode_basis(Basis(anchor="table-effects", name="Table 1"))
    {'name': 'Table 1', 'anchor': 'table-effects'}
    """
    return None if basis is None else {"name": basis.name, "anchor": basis.anchor}


def encode_estimate(estimate: Estimate | Refusal) -> Json:
    """``{"value": …, "interval": …}`` or ``{"refused": reason}``: exactly one of the two keys is there.

    Examples
    --------
    >>> encode_estimate(Refusal(reason="needs at least 5 clusters, has 3", n=3))
    {'refused': 'needs at least 5 clusters, has 3', 'n': 3}
    """
    match estimate:
        case Refusal(reason=reason, n=n):
            return {"refused": reason, "n": n}
        case Estimate(value=value, n=n) if not math.isfinite(value):
            return {"refused": "not a finite number", "n": n}
        case Estimate():
            return {
                "value": estimate.value,
                "interval": encode_interval(estimate.interval),
                "n": estimate.n,
                "count": finite(estimate.count),
                "clusters": estimate.clusters,
                "flags": list(estimate.flags),
            }


def encode_measure(measure: Measure) -> Json:
    """A measure with its label and definition, so that the file can be read alone."""
    info = info_of(measure.name)
    return {
        "name": measure.name,
        "label": info.label,
        "definition": info.definition,
        "unit": info.unit,
        **encode_estimate(measure.estimate),
    }


def encode_test(test: TestResult) -> Json:
    """A test; ``p_value`` is 0.0 where it underflows and ``log10_p`` still tells."""
    return {
        "name": test.name,
        "p_value": finite(test.p_value),
        "log10_p": finite(test.log10_p),
        "n": test.n,
        "statistic": finite(test.statistic),
        "caveat": test.caveat,
    }


def encode_outcomes(finding: Finding) -> Json:
    """Counts per order and state; every state is listed."""
    counts = {(c.order, c.outcome): c.count for c in finding.outcomes}
    orders = [order for order in Order if any(key[0] is order for key in counts)]
    return {order.value: {o.value: counts.get((order, o), 0) for o in Outcome} for order in orders}


def encode_finding(finding: Finding) -> Json:
    """Everything a finding holds."""
    return {
        "kind": finding.kind.value,
        **({} if finding.audit is None else {"audit": finding.audit}),
        "condition": finding.condition,
        "readout": None if finding.readout is None else finding.readout.value,
        "subset": finding.subset,
        "pairs": finding.pairs,
        "presentations": finding.presentations,
        "outcomes": encode_outcomes(finding),
        "measures": [encode_measure(measure) for measure in finding.measures],
        "tests": [encode_test(test) for test in finding.tests],
        "table": dict(finding.table),
        "notes": list(finding.notes),
    }
