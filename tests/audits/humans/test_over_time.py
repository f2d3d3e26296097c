"""Agreement by the labels' dates."""

import numpy as np
import pytest

from audits.humans.label_tables import labelled, sampler
from evenhand.audits.humans.over_time import Period, agreement_over_time, period_of
from evenhand.stats import Estimate, Refusal


def test_periods() -> None:
    assert period_of("2027-01-01", Period.WEEK) == "2026-W53"
    assert period_of("2026-11-30T23:59:59+00:00", Period.DAY) == "2026-11-30"
    assert period_of("2026-11-30", Period.MONTH) == "2026-11"


def test_each_label_counts_in_its_own_period() -> None:
    pairs = labelled(
        *["AA|A"] * 6, *["AA|B"] * 2, *["BB|B"] * 4, *["A-|A"] * 3, dates=["2026-01-05"] * 8 + ["2026-02-05"] * 7
    )
    found = agreement_over_time(pairs, sampler(pairs))
    assert [(p.period, p.labels) for p in found.periods] == [("2026-01", 8), ("2026-02", 4)]
    first = found.periods[0].rate
    assert isinstance(first, Estimate)
    assert first.value == pytest.approx(6 / 8)
    assert isinstance(found.trend, Refusal)  # 12 labels


def test_undated_labels_are_counted_and_left_out() -> None:
    pairs = labelled(*["AA|A"] * 4)
    found = agreement_over_time(pairs, sampler(pairs))
    assert (found.periods, found.undated) == ((), 4)


def test_a_falling_agreement_is_found_and_a_steady_one_is_not() -> None:
    rng = np.random.default_rng(1)
    days = [f"2026-{month:02d}-{day:02d}" for month in range(1, 7) for day in range(1, 26)]
    falling = [f"AA|{'A' if rng.random() < 0.95 - 0.5 * i / len(days) else 'B'}" for i in range(len(days))]
    steady = [f"AA|{'A' if rng.random() < 0.8 else 'B'}" for _ in days]
    down, level = (labelled(*rows, dates=days) for rows in (falling, steady))
    found = agreement_over_time(down, sampler(down))
    assert isinstance(found.trend, Estimate)
    assert found.trend.value < 0
    assert found.trend_test is not None
    assert found.trend_test.p_value < 0.01
    other = agreement_over_time(level, sampler(level)).trend_test
    assert other is not None
    assert other.p_value > 0.05
