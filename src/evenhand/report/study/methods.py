"""How a study's figures were made: its intervals and its tests, each said once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evenhand.analysis.study import Forest, Study
from evenhand.report.format import integer
from evenhand.report.methods import families
from evenhand.report.text import visible
from evenhand.stats import Estimate, TestResult

__all__ = ["clusters_of", "intervals_line", "study_methods"]

_LIMIT = 400


def clusters_of(study: Study) -> str:
    """What the study's clusters are, in the plural, where its facts say it (``clusters``); empty where they don't."""
    return next((visible(text) for name, text in study.facts if name == "clusters"), "")


def intervals_line(estimates: Iterable[Estimate], *, clusters: str = "") -> str:
    """Level and methods of some intervals in one line; empty where there is no interval.

    Examples
    --------
    >>> from evenhand.stats import Interval
    >>> made = Interval(low=0.1, high=0.4, method="percentile cluster bootstrap, 48 clusters, 2,000 resamples")
    >>> intervals_line([Estimate(value=0.2, interval=made, n=60, clusters=48)], clusters="question groups")
    'Intervals: 95 %; percentile cluster bootstrap, 2,000 resamples; clusters are question groups (48).'
    """
    found = [e for e in estimates if e.interval is not None]
    if not found:
        return ""
    levels = sorted({e.interval.level for e in found if e.interval is not None}, reverse=True)
    named = families(e.interval.method for e in found if e.interval is not None)
    parts = [
        f"Intervals: {' and '.join(f'{level * 100:g} %' for level in levels)}",
        *named,
        *_clusters(found, clusters),
    ]
    return f"{'; '.join(parts)}."


def _clusters(estimates: Iterable[Estimate], clusters: str) -> Iterator[str]:
    counts = {e.clusters for e in estimates if e.clusters is not None}
    if not counts:
        return
    low, high = min(counts), max(counts)
    count = integer(low) if low == high else f"{integer(low)} to {integer(high)}"
    yield f"clusters are {clusters} ({count})" if clusters else f"{count} clusters"


def study_methods(study: Study) -> tuple[str, ...]:
    """Every way in which the study's intervals and tests were made, in sentences."""
    values = [value for table in study.tables for row in table.rows for value in row]
    drawn = [row.estimate for figure in study.figures if isinstance(figure, Forest) for row in figure.rows]
    estimates = [value for value in (*values, *drawn) if isinstance(value, Estimate)]
    tests = [value for value in values if isinstance(value, TestResult)]
    names = dict.fromkeys(visible(test.name, limit=_LIMIT) for test in tests if test.name)
    caveats = dict.fromkeys(
        visible(": ".join(part for part in (test.name, test.caveat) if part), limit=_LIMIT)
        for test in tests
        if test.caveat
    )
    intervals = intervals_line(estimates, clusters=clusters_of(study))
    flat = any(e.interval is None for e in estimates)
    return (
        *([intervals] if intervals else []),
        *(["Some estimates have no interval."] if flat else []),
        *([f"Tests: {'; '.join(names)}."] if names else []),
        *caveats,
    )
