import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evenhand.audits.drift.chart import MIN_BASELINE, ControlChart, control_chart
from evenhand.errors import StatisticsError
from evenhand.stats import Refusal


def chart(
    values: list[float], *, baseline: int = 6, errors: float = 0.02, n: int = 200, **more: object
) -> ControlChart:
    made = control_chart(
        values,
        [errors] * len(values),
        [n] * len(values),
        baseline=[i < baseline for i in range(len(values))],
        same_pairs=bool(more.pop("same_pairs", True)),
        **more,  # type: ignore[arg-type]
    )
    assert isinstance(made, ControlChart)
    return made


STEADY = [0.10, 0.12, 0.09, 0.11, 0.10, 0.12]


def test_with_equal_sizes_the_limits_are_the_prediction_interval_of_a_normal_sample() -> None:
    made = chart([*STEADY, 0.11])
    half = stats.t.ppf(1 - 0.0027 / 2, 5) * np.std(STEADY, ddof=1) * np.sqrt(1 + 1 / 6)
    assert made.centre == pytest.approx(np.mean(STEADY))
    assert made.points[-1].high == pytest.approx(np.mean(STEADY) + half)
    assert made.points[-1].low == pytest.approx(max(0.0, np.mean(STEADY) - half))


def test_a_larger_run_has_narrower_limits() -> None:
    made = control_chart(
        [*STEADY, 0.1, 0.1], [0.02] * 8, [200] * 6 + [50, 800], baseline=[True] * 6 + [False] * 2, same_pairs=True
    )
    assert isinstance(made, ControlChart)
    small, large = made.points[6:]
    assert small.high - made.centre > large.high - made.centre > 0


def test_the_moving_average_by_hand() -> None:
    made = chart([*STEADY, 0.13, 0.14, 0.15], smoothing=0.2)
    average = made.centre
    for value, point in zip([0.13, 0.14, 0.15], made.points[6:], strict=True):
        average = 0.8 * average + 0.2 * value
        assert point.average == pytest.approx(average)


def test_baseline_runs_are_never_signals() -> None:
    made = chart([0.1, 0.1, 0.1, 0.1, 0.1, 0.9, 0.1])
    assert not any(point.signal for point in made.points[:6])
    assert all(point.average is None for point in made.points[:6])
    assert made.expected_false_alarms == pytest.approx(2 * 0.0027)


def test_too_few_baseline_runs_are_refused_and_few_are_flagged() -> None:
    refused = control_chart(STEADY[:5], [0.02] * 5, [200] * 5, baseline=[True] * 5, same_pairs=True)
    assert refused == Refusal(reason=f"needs at least {MIN_BASELINE} baseline runs with this figure, has 5", n=5)
    assert "fewer than 20 baseline runs (6)" in chart([*STEADY, 0.1]).flags


def test_runs_that_never_differ_still_leave_limits_with_width() -> None:
    for value, errors in ((0.1, 0.02), (0.0, 0.0), (1.0, 0.0)):
        made = chart([value] * 7, errors=errors)
        point = made.points[-1]
        assert not point.signal
        assert point.low < value or value == 0.0
        assert point.high > value or value == 1.0
        assert point.high - point.low > 1 / 200
        assert any("no baseline run differs" in flag for flag in made.flags)
    # Ten of 200 observations changed, where none ever did.
    assert chart([0.0] * 6 + [0.05], errors=0.0).points[-1].beyond


@pytest.mark.parametrize(
    ("values", "errors", "lowest", "events"),
    [
        ([0.005, 0.01, 0.0, 0.005, 0.005, 0.005], 0.005, 0.0, "1.0"),  # 200 pairs: one event a run
        ([0.995, 0.99, 1.0, 0.995, 0.995, 0.995], 0.005, 0.0, "1.0"),  # as rare the other way round
        ([0.01, -0.01, 0.0, 0.0, 0.0, 0.0], 0.007, -1.0, "2.0"),  # directed: nearly no lock in either direction
        ([0.01, -0.01, 0.0, 0.0, 0.0, 0.0], 0.03, -1.0, None),  # directed: many locks that cancel
        (STEADY, 0.02, 0.0, None),
    ],
)
def test_rare_events_are_flagged(values: list[float], errors: float, lowest: float, events: str | None) -> None:
    rare = [flag for flag in chart(values, errors=errors, lowest=lowest).flags if flag.startswith("rare")]
    assert [flag.split()[2] for flag in rare] == ([] if events is None else [events])


def test_other_pairs_vary_at_least_as_much_as_their_standard_error_says() -> None:
    same, other = chart([*STEADY, 0.1]), chart([*STEADY, 0.1], same_pairs=False)
    assert same.dispersion < 1 == other.dispersion
    assert other.points[-1].high > same.points[-1].high
    assert "not all runs asked the same pairs" in other.flags


def test_figures_below_zero_have_limits_of_their_own() -> None:
    made = chart([-0.1, -0.12, -0.09, -0.11, -0.1, -0.12, -0.4], lowest=-1.0)
    assert made.points[-1].low < 0
    assert made.points[-1].beyond


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 200), min_size=7, max_size=15), st.floats(0.2, 0.9))
def test_limits_hold_the_centre_and_stay_within_what_a_share_can_be(counts: list[int], smoothing: float) -> None:
    values = [count / 200 for count in counts]
    made = chart(values, smoothing=smoothing)
    for point in made.points:
        assert 0.0 <= point.low <= made.centre <= point.high <= 1.0
        assert point.low < point.high


def test_mistakes_are_refused() -> None:
    with pytest.raises(StatisticsError, match="size above 0"):
        control_chart([0.1], [0.1], [0], baseline=[True], same_pairs=True)
    with pytest.raises(StatisticsError, match="differ in length"):
        control_chart([0.1], [0.1, 0.2], [5], baseline=[True], same_pairs=True)
    with pytest.raises(StatisticsError, match="false alarm 0"):
        control_chart([0.1], [0.1], [5], baseline=[True], same_pairs=True, false_alarm=0)
