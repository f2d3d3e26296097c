"""Agreement with people over time: by the labels' dates, and its trend."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import assert_never

import numpy as np

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT
from evenhand.audits.humans.agreement import FEWEST_LABELS
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.audits.humans.table import UNDATED
from evenhand.stats import Estimate, Refusal, TestResult
from evenhand.stats.regression import Regression, logit

__all__ = ["AgreementOverTime", "Period", "PeriodAgreement", "agreement_over_time", "period_of"]

_DAYS = 30.0


class Period(StrEnum):
    """How labels are gathered in time."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodAgreement:
    """One period: agreement of the judge's verdicts on pairs with the labels given in it."""

    period: str
    rate: Estimate | Refusal
    labels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementOverTime:
    """A judge over the time of the labels.

    Attributes
    ----------
    trend
        Change of the log-odds of agreement in 30 days.
    trend_test
        That it is 0; None where it is refused.
    undated
        Labels without a date, which don't enter.
    """

    judge: str
    periods: tuple[PeriodAgreement, ...]
    trend: Estimate | Refusal
    trend_test: TestResult | None
    undated: int


def period_of(text: str, period: Period) -> str:
    """The period of an ISO 8601 date, sortable as text.

    Examples
    --------
    >>> period_of("2026-11-30T10:00:00", Period.MONTH), period_of("2026-11-30", Period.WEEK)
    ('2026-11', '2026-W49')
    """
    day = _day(text)
    match period:
        case Period.DAY:
            return day.isoformat()
        case Period.WEEK:
            year, week, _ = day.isocalendar()
            return f"{year}-W{week:02d}"
        case Period.MONTH:
            return f"{day.year:04d}-{day.month:02d}"
        case _:
            assert_never(period)


def agreement_over_time(pairs: LabelledPairs, sampler: Sampler, *, period: Period = Period.MONTH) -> AgreementOverTime:
    """Agreement of the judge's verdict on a pair with each label, by the label's date.

    Every label counts by itself here (not the consensus), since a pair's labels may be of different times; pairs of one
    question stay together in every interval.

    Parameters
    ----------
    sampler
        Its clusters are indexed by the rows of ``pairs``.
    """
    verdict, table = pairs.verdict, pairs.table
    dated = table.day != UNDATED
    enters = dated & (verdict[table.pair] != ABSENT)
    where, days = table.pair[enters], table.day[enters]
    same = verdict[where] == table.preference[enters]
    here = sampler.within("humans", pairs.judge, "over time")
    apart, place = np.unique(days, return_inverse=True)
    names = np.array([period_of(date.fromordinal(int(day)).isoformat(), period) for day in apart], dtype=object)
    labelled = names[place]
    periods = []
    for name in sorted(set(names.tolist())):
        own = labelled == name
        found = here.rate(
            name, same[own].astype(np.float64), np.ones(int(own.sum())), pairs=where[own], nothing="has no label"
        ).estimate
        periods.append(PeriodAgreement(period=name, rate=found, labels=int(own.sum())))
    undated = int(np.count_nonzero(~dated))
    trend, test = _trend(where, same, days.astype(np.float64), sampler)
    return AgreementOverTime(judge=pairs.judge, periods=tuple(periods), trend=trend, trend_test=test, undated=undated)


def _trend(
    rows: np.ndarray, same: np.ndarray, days: np.ndarray, sampler: Sampler
) -> tuple[Estimate | Refusal, TestResult | None]:
    apart = len(set(days.tolist()))
    if same.size < 2 * FEWEST_LABELS or apart < 2:
        reason = f"needs at least {2 * FEWEST_LABELS} dated labels of 2 days or more, has {same.size} of {apart}"
        return Refusal(reason=reason, n=int(same.size)), None
    since = (days - days.mean()) / _DAYS
    found = logit(same.astype(np.float64), since, sampler.clusters[rows], names=["time"], level=sampler.level)
    if not isinstance(found, Regression):
        return found, None
    term = found.term("time")
    return term.estimate, term.test


def _day(text: str) -> date:
    return datetime.fromisoformat(text).date()
