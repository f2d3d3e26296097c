import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits.drift.bounds import Limits, pairs_to_decide, standing
from evenhand.stats import Estimate, Interval, Refusal, wilson
from evenhand.stats.equivalence import decide_tolerance
from evenhand.stats.power import PowerAnswer, RateAgainst, pairs_needed


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high), n=100)


@pytest.mark.parametrize(
    ("low", "high", "limits", "expected"),
    [
        (0.05, 0.15, Limits(high=0.15), "kept"),  # a bound on the limit keeps it
        (0.05, 0.151, Limits(high=0.15), "undecided"),
        (0.15, 0.3, Limits(high=0.15), "undecided"),
        (0.151, 0.3, Limits(high=0.15), "broken"),
        (0.9, 0.99, Limits(low=0.9), "kept"),
        (0.8, 0.89, Limits(low=0.9), "broken"),
        (-0.05, 0.05, Limits(low=-0.1, high=0.1), "kept"),
        (-0.2, -0.11, Limits(low=-0.1, high=0.1), "broken"),
        (0.11, 0.2, Limits(low=-0.1, high=0.1), "broken"),
        (-0.2, 0.2, Limits(low=-0.1, high=0.1), "undecided"),
    ],
)
def test_the_interval_decides(low: float, high: float, limits: Limits, expected: str) -> None:
    assert standing(estimate((low + high) / 2, low, high), limits) == expected


@pytest.mark.parametrize(
    "missing",
    [
        None,
        Refusal(reason="needs at least 5 clusters, has 0"),
        Estimate(value=0.0, interval=None, n=9),
        estimate(math.nan, 0.0, 0.1),
        estimate(0.05, 0.0, math.nan),
    ],
)
def test_what_is_not_measured_is_never_kept(missing: Estimate | Refusal | None) -> None:
    assert standing(missing, Limits(high=1.0)) == "not measured"


def test_only_breaking_needs_the_surer_interval() -> None:
    figure, surer = estimate(0.2, 0.16, 0.24), estimate(0.2, 0.14, 0.26)
    assert standing(figure, Limits(high=0.15)) == "broken"
    assert standing(figure, Limits(high=0.15), strict=surer) == "undecided"
    assert standing(figure, Limits(high=0.25), strict=surer) == "kept"


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0, 1), st.floats(-1, 1))
def test_one_limit_is_the_rule_of_the_statistics(value: float, below: float, above: float, limit: float) -> None:
    figure = estimate(value, value - below, value + above)
    assert standing(figure, Limits(high=limit)) == decide_tolerance(figure, limit).call
    assert standing(figure, Limits(low=limit)) == decide_tolerance(figure, limit, side="at least").call


def test_limits_that_say_nothing_or_contradict_are_refused() -> None:
    with pytest.raises(ValueError, match="without a limit"):
        Limits()
    with pytest.raises(ValueError, match="no figure"):
        Limits(low=0.2, high=0.1)


@pytest.mark.parametrize(("rate", "limit"), [(0.30, 0.20), (0.10, 0.15), (0.40, 0.5)])
def test_pairs_to_decide_are_near_those_of_the_power_of_a_rate(rate: float, limit: float) -> None:
    pairs = 400
    interval = wilson(rate * pairs, pairs)
    figure = Estimate(value=rate, interval=interval, n=pairs)
    planned = pairs_needed(RateAgainst(value=limit), rate - limit)
    assert isinstance(planned, PowerAnswer)
    needed = pairs_to_decide(figure, Limits(high=limit), pairs=pairs)
    assert needed == pytest.approx(planned.pairs, rel=0.35)


@pytest.mark.parametrize(("rate", "limits"), [(1.0, Limits(low=0.95)), (0.0, Limits(high=0.05))])
def test_where_all_pairs_count_or_none_the_exact_interval_says_how_many_decide(rate: float, limits: Limits) -> None:
    pairs = 60
    needed = pairs_to_decide(Estimate(value=rate, interval=_exact(rate, pairs), n=pairs), limits, pairs=pairs)
    assert needed is not None
    assert needed == pytest.approx(72, rel=0.05)  # .025 ** (1 / 72) = .95
    assert standing(Estimate(value=rate, interval=_exact(rate, needed), n=needed), limits) == "kept"


def _exact(rate: float, pairs: int) -> Interval:
    bound = 0.025 ** (1 / pairs)
    return Interval(low=bound, high=1.0) if rate else Interval(low=0.0, high=1 - bound)


def test_a_figure_on_its_limit_is_decided_by_no_number_of_pairs() -> None:
    assert pairs_to_decide(estimate(0.15, 0.1, 0.2), Limits(high=0.15), pairs=100) is None
    assert pairs_to_decide(Refusal(reason="none"), Limits(high=0.15), pairs=100) is None


def test_within_two_limits_the_nearer_one_counts() -> None:
    figure = estimate(0.05, -0.05, 0.15)
    both = pairs_to_decide(figure, Limits(low=-0.1, high=0.1), pairs=100)
    upper = pairs_to_decide(figure, Limits(high=0.1), pairs=100)
    lower = pairs_to_decide(figure, Limits(low=-0.1), pairs=100)
    assert upper is not None
    assert lower is not None
    assert both == upper > lower


@pytest.mark.parametrize("sign", [1, -1])
def test_outside_of_two_limits_the_one_that_it_is_beyond_counts(sign: int) -> None:
    # (1 + .8416 / 1.96)^2 (.05 / .02)^2 times the 200 pairs; the other limit is .22 away and says 22.
    low, high = sorted((sign * 0.07, sign * 0.17))
    figure = estimate(sign * 0.12, low, high)
    assert pairs_to_decide(figure, Limits(low=-0.1, high=0.1), pairs=200) == 2555


def test_outside_it_is_the_surer_interval_that_must_leave_the_limit_out() -> None:
    figure = estimate(0.12, 0.07, 0.17)
    surer = Estimate(value=0.12, interval=Interval(low=0.05, high=0.19, level=0.995), n=100)
    wider = pairs_to_decide(figure, Limits(high=0.1), pairs=200, strict=surer)
    # z(.995) = 2.807: (1 + .8416 / 2.807)^2 (.07 / .02)^2 times as many.
    assert wider == pytest.approx(200 * 1.2998**2 * 3.5**2, rel=1e-3)
    assert pairs_to_decide(figure, Limits(high=0.2), pairs=200, strict=surer) == pairs_to_decide(
        figure, Limits(high=0.2), pairs=200
    )
