"""Comparison, gates and control charts against judges whose drift is known.

A judge that only makes noise must not break a tolerance more often than the level says, with pairs that share questions
too; a drift must be found with the power that the docs promise; a chart must not cry wolf.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from audits.drift_tables import clustered_chances, table
from evenhand.audits.drift.bounds import Limits, pairs_to_decide, standing
from evenhand.audits.drift.chart import ControlChart, control_chart
from evenhand.audits.drift.comparison import Comparison, ConditionPair, compare_tables
from evenhand.audits.drift.gates import Figure, decide_requirements
from evenhand.audits.drift.levels import measure_levels
from evenhand.audits.drift.measures import DRIFT_MEASURES
from evenhand.audits.drift.requirements import parse_requirement
from evenhand.audits.drift.tolerance import decide_tolerances, parse_tolerance
from evenhand.records import Readout
from evenhand.stats import Estimate, clopper_pearson
from evenhand.stats.power import PairedRates, PowerAnswer, pairs_needed

pytestmark = pytest.mark.simulation

RUNS = 400
"""A rate of .05 then has a standard error of .011."""


def compared(
    old: float,
    new: float,
    *,
    n: int,
    per_group: int,
    spread: float,
    seed: int,
    runs: int = RUNS,
    decisions: int = 1,
    measures: tuple[str, ...] = ("flip_rate",),
) -> Iterator[Comparison]:
    """Two runs of a judge on the same pairs, again and again; each run and group has a chance of its own."""
    groups = np.arange(n) // per_group
    ids = [f"p{i:05d}" for i in range(n)]
    for rng in np.random.default_rng(seed).spawn(runs):
        made = []
        for rate in (old, new):
            chance = clustered_chances(rate, groups=groups, spread=spread, rng=rng)
            made.append(
                table(
                    rng.random(n) < chance,
                    rng.random(n) < 0.5,
                    groups,
                    first=rng.random(n) < 0.5,
                )
            )
        yield compare_tables(
            made[0],
            made[1],
            pairs=ids,
            conditions=[ConditionPair(old="c", new="c")],
            readouts=[Readout.GENERATED],
            measures=measures,
            decisions=decisions,
            resamples=100,
            most_changed=0,
        )


@pytest.mark.parametrize(("per_group", "spread"), [(1, 0.0), (4, 0.3)])
def test_noise_alone_breaks_a_tolerance_of_nothing_at_most_at_the_nominal_rate(per_group: int, spread: float) -> None:
    tolerance = parse_tolerance("flip_rate=0")
    calls = [
        decide_tolerances(each, [tolerance])[0].standing
        for each in compared(0.2, 0.2, n=160, per_group=per_group, spread=spread, seed=1)
    ]
    # One side of a 95 % interval: .025, and 2.5 standard errors of a simulation of this size more.
    assert calls.count("broken") <= RUNS * (0.025 + 2.5 * 0.008)
    assert calls.count("broken") > 0  # it isn't that nothing could be broken


def test_a_drift_exactly_as_large_as_tolerated_is_called_broken_or_kept_at_most_at_the_nominal_rate() -> None:
    tolerance = parse_tolerance("flip_rate=.1")
    calls = [
        decide_tolerances(each, [tolerance])[0].standing
        for each in compared(0.1, 0.2, n=160, per_group=2, spread=0.2, seed=2)
    ]
    for call in ("broken", "kept"):
        assert calls.count(call) <= RUNS * (0.025 + 2.5 * 0.008), call


def test_over_all_measures_of_a_judge_that_did_not_change_one_is_called_changed_in_at_most_five_percent() -> None:
    found = 0
    for each in compared(0.2, 0.2, n=120, per_group=3, spread=0.2, seed=3, measures=tuple(DRIFT_MEASURES)):
        tests = [change.adjusted for scope in each.scopes for change in scope.measures if change.adjusted is not None]
        assert len(tests) >= 3
        found += min(test.p_value for test in tests) < 0.05
    assert found <= RUNS * (0.05 + 2 * 0.011)


def test_with_several_tolerances_of_nothing_any_is_broken_at_most_at_the_nominal_rate() -> None:
    names = ("flip_rate", "accuracy", "position_bias_strength")
    tolerances = [parse_tolerance(f"{name}=0") for name in names]
    broken = sum(
        any(d.standing == "broken" for d in decide_tolerances(each, tolerances))
        for each in compared(0.2, 0.2, n=120, per_group=3, spread=0.2, seed=4, decisions=3, measures=names)
    )
    # The directed share has two sides of .025 / 3 each, the others one: .033 in all.
    assert broken <= RUNS * (0.034 + 2.5 * 0.009)


def exact_power(n: int, fewer: float, more: float) -> float:
    """Chance that the exact McNemar test finds at .05 that one of two independent rates is higher."""
    differ = np.arange(n + 1)
    power = 0.0
    for d, chance in zip(differ, stats.binom.pmf(differ, n, fewer + more), strict=True):
        b = np.arange(d + 1)
        p = np.minimum(1.0, 2 * stats.binom.cdf(np.minimum(b, d - b), d, 0.5))
        power += chance * stats.binom.pmf(b, d, more / (fewer + more))[p < 0.05].sum()
    return float(power)


def test_five_percent_that_become_fifteen_are_found_with_the_power_that_is_promised() -> None:
    # Flips of the two runs are independent here: a pair differs where exactly one of them flips.
    planned = pairs_needed(PairedRates(discordance=0.05 * 0.85 + 0.15 * 0.95), 0.10)
    assert isinstance(planned, PowerAnswer)
    assert planned.pairs == 143  # what docs/methods/drift.md says
    found = 0
    for each in compared(0.05, 0.15, n=planned.pairs, per_group=1, spread=0.0, seed=5):
        change = each.scopes[0].measure("flip_rate")
        assert change is not None
        found += bool(change.tests) and change.tests[0].p_value < 0.05
    # The exact test is a little more careful than the normal approximation that the number of pairs comes from.
    exact = exact_power(planned.pairs, 0.05 * 0.85, 0.15 * 0.95)
    assert 0.70 < exact < 0.80
    assert abs(found / RUNS - exact) < 0.06


def test_the_pairs_that_are_said_to_decide_do_in_about_four_of_five_runs() -> None:
    limits = Limits(high=0.15)
    groups = np.arange(100)
    first = measure_levels(table(np.arange(100) < 10, groups % 2 == 0, groups)).find(
        "flip_rate", condition="c", readout=Readout.GENERATED
    )
    assert first is not None
    needed = pairs_to_decide(first.estimate, limits, pairs=first.pairs)
    assert needed is not None
    decided = 0
    for rng in np.random.default_rng(6).spawn(200):
        level = measure_levels(
            table(rng.random(needed) < 0.10, rng.random(needed) < 0.5, np.arange(needed)), resamples=100
        ).find("flip_rate", condition="c", readout=Readout.GENERATED)
        assert level is not None
        decided += standing(level.estimate, limits) == "kept"
    assert 0.72 <= decided / 200 <= 0.97


def test_a_judge_on_the_limit_of_a_gate_passes_and_fails_at_most_at_the_nominal_rate() -> None:
    groups = np.arange(200) // 4
    calls = []
    for rng in np.random.default_rng(7).spawn(RUNS):
        chance = clustered_chances(0.15, groups=groups, spread=0.15, rng=rng)
        level = measure_levels(table(rng.random(200) < chance, rng.random(200) < 0.5, groups), resamples=100).find(
            "flip_rate", condition="c", readout=Readout.GENERATED
        )
        assert level is not None
        calls.append(standing(level.estimate, Limits(high=0.15)))
    assert calls.count("broken") <= RUNS * (0.025 + 2.5 * 0.008)
    # Few clusters that differ much: an interval of rates near 0 errs a little more on this side.
    assert calls.count("kept") <= RUNS * (0.025 + 4 * 0.008)


CHARTS = 1500


def charted(
    *, same_pairs: bool, later: float, seed: int, false_alarm: float, spread: float = 0.5, n: int = 200
) -> Iterator[ControlChart]:
    """Eight runs of a judge in control and six later ones; pairs have chances of their own, the same in every run."""
    for rng in np.random.default_rng(seed).spawn(CHARTS):
        base = rng.beta(0.1 * (1 / spread - 1), 0.9 * (1 / spread - 1), size=n)
        values, errors = [], []
        for run in range(14):
            chance = base if same_pairs else rng.beta(0.1 * (1 / spread - 1), 0.9 * (1 / spread - 1), size=n)
            chance = np.clip(chance + (later if run >= 8 else 0.0), 0, 1)
            rate = float((rng.random(n) < chance).mean())
            values.append(rate)
            errors.append(np.sqrt(rate * (1 - rate) / (n - 1)))
        made = control_chart(
            values, errors, [n] * 14, baseline=[True] * 8 + [False] * 6, same_pairs=same_pairs, false_alarm=false_alarm
        )
        assert isinstance(made, ControlChart)
        yield made


@pytest.mark.parametrize("same_pairs", [True, False])
def test_a_chart_of_a_judge_in_control_cries_wolf_as_seldom_as_it_says(same_pairs: bool) -> None:
    points, averages, total = 0, 0, 0
    dispersion = []
    for chart in charted(same_pairs=same_pairs, later=0.0, seed=8, false_alarm=0.05):
        judged = [point for point in chart.points if not point.baseline]
        points += sum(point.beyond for point in judged)
        averages += sum(point.drifting for point in judged)
        total += len(judged)
        dispersion.append(chart.dispersion)
    # Points of one chart share its baseline; the standard error over charts is about .006.
    assert points / total <= 0.05 + 0.015
    assert averages / total <= 0.05 + 0.015
    if same_pairs:
        # The pairs' own chances don't vary between runs: less spread than sampling them anew, and the chart knows.
        assert np.mean(dispersion) < 0.85
        assert points / total >= 0.05 - 0.02


def test_the_chance_of_a_false_alarm_is_exact_for_normal_figures_whatever_the_baseline_size() -> None:
    rng = np.random.default_rng(9)
    for baseline in (6, 12):
        beyond = drifting = 0
        for _ in range(3000):
            sizes = rng.integers(50, 400, size=baseline + 3)
            values = 0.4 + 0.3 * rng.standard_normal(baseline + 3) / np.sqrt(sizes)
            made = control_chart(
                values,
                0.5 / np.sqrt(sizes),
                sizes,
                baseline=np.arange(baseline + 3) < baseline,
                same_pairs=True,
                false_alarm=0.05,
            )
            assert isinstance(made, ControlChart)
            beyond += made.points[baseline].beyond
            drifting += made.points[-1].drifting
        assert abs(beyond / 3000 - 0.05) < 0.012
        assert abs(drifting / 3000 - 0.05) < 0.012


def test_a_jump_is_seen_at_once_and_a_small_lasting_drift_by_the_average_more_often_than_by_single_points() -> None:
    jumps = [chart.points[8].beyond for chart in charted(same_pairs=True, later=0.15, seed=10, false_alarm=0.0027)]
    assert np.mean(jumps) > 0.8
    by_point, by_average = [], []
    for chart in charted(same_pairs=True, later=0.03, seed=11, false_alarm=0.05):
        by_point.append(chart.points[-1].beyond)
        by_average.append(chart.points[-1].drifting)
    assert np.mean(by_average) > np.mean(by_point) + 0.1


def test_levels_have_the_standard_error_that_runs_show() -> None:
    groups = np.arange(300) // 5
    values, errors = [], []
    for rng in np.random.default_rng(12).spawn(300):
        chance = clustered_chances(0.2, groups=groups, spread=0.3, rng=rng)
        level = measure_levels(table(rng.random(300) < chance, rng.random(300) < 0.5, groups), resamples=100).find(
            "flip_rate", condition="c", readout=Readout.GENERATED
        )
        assert level is not None
        assert isinstance(level.estimate, Estimate)
        assert level.standard_error is not None
        values.append(level.estimate.value)
        errors.append(level.standard_error)
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(values, ddof=1), rel=0.12)


def test_a_gate_of_twelve_figures_on_their_limits_fails_no_more_often_than_one() -> None:
    runs, n, limit = 1500, 400, 0.15
    counts = np.random.default_rng(23).binomial(n, limit, size=(runs, 12))

    def figures(row: np.ndarray, level: float) -> list[Figure]:
        return [
            Figure(
                measure="flip_rate",
                estimate=Estimate(value=k / n, interval=clopper_pearson(int(k), n, level=level), n=n),
                condition=f"c{i}",
                readout=Readout.GENERATED,
            )
            for i, k in enumerate(row)
        ]

    def failed(row: np.ndarray, *, adjusted: bool) -> bool:
        made = decide_requirements(
            [parse_requirement(f"flip_rate<={limit}")],
            figures(row, 0.95),
            wider=(lambda count: figures(row, 1 - 0.05 / count)) if adjusted else None,
        )
        return any(decision.standing == "broken" for decision in made)

    without, adjusted = (sum(failed(row, adjusted=a) for row in counts) / runs for a in (False, True))
    assert without > 0.15
    # At most 2.5 %, and three standard errors of a share of 1,500.
    assert adjusted <= 0.025 + 3 * np.sqrt(0.025 * 0.975 / runs)
