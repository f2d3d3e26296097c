"""How intervals were made, said once for a table or a report rather than at each figure."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.analysis import AuditResult
from evenhand.report.text import visible
from evenhand.stats import Estimate

__all__ = ["families", "interval_methods", "methods_line", "resampled"]

_FAMILIES = (
    ("prediction-powered", "prediction-powered within strata of compliance"),
    ("stratified", "stratified by compliance"),
    ("selective", "prediction-powered within strata of the swap"),
    ("weighted", "weighted by the inverse chance of being swapped"),
    ("Wilson score", "Wilson score at the effective number of observations"),
    ("Clopper–Pearson", "Clopper–Pearson at a rate of 0 or 1"),
    ("Bonett–Price for a net rate", "Bonett–Price adjusted Wald at the effective number of verdicts for net rates"),
    ("Bonett–Price", "Bonett–Price adjusted Wald at the effective number of pairs for differences"),
)
"""Beginnings of :attr:`evenhand.stats.Interval.method`, which carries the effective number of its own figure, and what
a caption says of them all."""


def _family(method: str) -> str:
    """The method without the numbers of one figure.

    Examples
    --------
    >>> _family("Wilson score at 257.1 effective observations, t with 257 df")
    'Wilson score at the effective number of observations'
    >>> _family("percentile cluster bootstrap, 48 clusters, 2,000 resamples")
    'percentile cluster bootstrap, 2,000 resamples'
    """
    for beginning, family in _FAMILIES:
        if method.startswith(beginning):
            return family
    name, *rest = (part.strip() for part in method.split(", "))
    return ", ".join((name, *(part for part in rest if part.endswith("resamples"))))


def _order(family: str) -> int:
    known = [text for _, text in _FAMILIES]
    return known.index(family) if family in known else len(known)


def families(methods: Iterable[str]) -> tuple[str, ...]:
    """The methods behind some intervals, each once, in an order that never varies."""
    found = dict.fromkeys(visible(_family(method), limit=120) for method in methods if method)
    return tuple(sorted(found, key=lambda family: (_order(family), family)))


def methods_line(methods: Iterable[str], *, level: float, clusters: str) -> str:
    """One line for a caption; empty where there is no interval.

    Examples
    --------
    >>> methods_line(["Wilson score, n = 9"], level=0.95, clusters="question group")
    'Intervals: 95 %; Wilson score at the effective number of observations; clusters are question groups.'
    """
    named = families(methods)
    return "; ".join((f"Intervals: {level * 100:g} %", *named, f"clusters are {clusters}s.")) if named else ""


def interval_methods(audit: AuditResult) -> tuple[str, ...]:
    """Every family of methods that some interval of the audit was made with."""
    estimates = (m.estimate for f in audit.findings for m in f.measures)
    return families(e.interval.method for e in estimates if isinstance(e, Estimate) and e.interval is not None)


def resampled(methods: Iterable[str]) -> bool:
    """Whether any of the methods is a bootstrap, so that a number of resamples means something."""
    return any("bootstrap" in method for method in methods)
