"""Controlled changes on simulated runs: a planted effect is measured, and a judge without one is not accused."""

from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from audits.bias.changed import condition
from audits.bias.factorials import simulated
from evenhand.analysis import Finding
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.wide import widen
from evenhand.audits.bias.audit import audit_biases
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.compounding import excess_test
from evenhand.audits.bias.contrast import contrast_findings
from evenhand.audits.bias.control import comparisons
from evenhand.audits.bias.interaction_model import fit_interactions, joint_test
from evenhand.records import Condition, Order, Outcome, Readout, verdict_table
from evenhand.stats import Estimate, Refusal

pytestmark = pytest.mark.simulation

RUNS = 400
PAIRS, GROUPS = 80, 40
LIMIT = 0.05 + 2 * (0.05 * 0.95 / RUNS) ** 0.5
"""Two standard errors above the level."""
EMPTY = verdict_table([])
SYCOPHANCY = tuple(f"endorsement={who}" for who in ("user", "expert", "majority"))
TONES = ("tone=assertive", "tone=hedged")
OUTCOMES = np.array([str(o) for o in (Outcome.FIRST, Outcome.SECOND, Outcome.TIE, Outcome.REFUSED)])


@dataclass(frozen=True, kw_only=True)
class Judge:
    """How it answers. ``effects``: what a change adds to the log-odds of its target."""

    effects: dict[str, float] = field(default_factory=dict)
    position: float = 0.0
    ties: float = 0.0
    missing: float = 0.0
    changed_position: float = 0.0
    changed_ties: float = 0.0
    changed_missing: float = 0.0
    changed_redrawn: float = 0.0
    """Share of the changed verdicts that a coin decides."""
    lean: float = 0.5
    """Spread of what any prompt adds for one response of a question group, for no reason: the same in both orders."""


def codes(rng: np.random.Generator, judge: Judge, quality: NDArray, group: NDArray, *, change: str) -> NDArray:
    """Index into OUTCOMES of each pair and order, shape (pairs, 2)."""
    level, _, target = change.partition(":")
    slot = judge.position + (judge.changed_position if change else 0.0)
    odds = quality + rng.normal(0, judge.lean, GROUPS)[group]
    odds = odds + judge.effects.get(level, 0.0) * {"A": 1, "B": -1, "": 0}[target]
    first = np.column_stack([slot + odds, slot - odds])
    made = np.where(rng.random(first.shape) < 1 / (1 + np.exp(-first)), 0, 1)
    if change and judge.changed_redrawn:
        made = np.where(rng.random(first.shape) < judge.changed_redrawn, rng.integers(0, 2, first.shape), made)
    made = np.where(rng.random(first.shape) < judge.ties + (judge.changed_ties if change else 0.0), 2, made)
    return np.where(rng.random(first.shape) < judge.missing + (judge.changed_missing if change else 0.0), 3, made)


@cache
def frame(levels: tuple[str, ...]) -> pl.DataFrame:
    """All columns but what the judge said, in the order in which :func:`run` makes it."""
    names = ["c", *(f"c; {level}:{target}" for level in levels for target in "AB"), "c"]
    parts = [
        pl.DataFrame(
            {
                "pair_id": [f"p{i:03}" for i in range(PAIRS)],
                "group": [f"g{i * GROUPS // PAIRS:03}" for i in range(PAIRS)],
                "condition": name,
                "order": str(order),
                "repeat": int(k == len(names) - 1),
            }
        )
        for k, name in enumerate(names)
        for order in Order
    ]
    return pl.concat(parts).with_columns(
        source=pl.lit("s"),
        readout=pl.lit(str(Readout.GENERATED)),
        gold=pl.when(pl.col("pair_id") < "p040").then(pl.lit("A")),
    )


def conditions(levels: tuple[str, ...]) -> tuple[Condition, ...]:
    changed = (f"{level}:{target}" for level in levels for target in "AB")
    return (condition("c"), *(condition(f"c; {change}", change, "c") for change in changed))


def run(
    rng: np.random.Generator,
    judge: Judge,
    levels: tuple[str, ...],
    *,
    one_target: float = 0.0,
    gold_by_quality: bool = False,
) -> BiasData:
    """The control, each level for A and for B, and a repeat of every presentation of the control.

    In a share ``one_target`` of the pairs a change can be made to the better response only. Gold is A for the first
    half of the pairs, or the better response of every pair.
    """
    group = np.arange(PAIRS) * GROUPS // PAIRS
    quality = rng.normal(0, 1.0, PAIRS) + rng.normal(0, 0.7, GROUPS)[group]
    changes = ["", *(f"{level}:{target}" for level in levels for target in "AB"), ""]
    said = np.concatenate([codes(rng, judge, quality, group, change=change).T.ravel() for change in changes])
    first = pl.col("order") == "AB"
    base = frame(levels).with_columns(outcome=pl.Series(OUTCOMES[said]))
    table = base.with_columns(
        preference=pl.when(pl.col("outcome") == "tie")
        .then(pl.lit("tie"))
        .when(pl.col("outcome") == "refused")
        .then(None)
        .when((pl.col("outcome") == "first") == first)
        .then(pl.lit("A"))
        .otherwise(pl.lit("B"))
    )
    better = {f"p{i:03}": "A" if quality[i] > 0 else "B" for i in range(PAIRS)}
    if gold_by_quality:
        table = table.with_columns(gold=pl.col("pair_id").replace_strict(better))
    if one_target:
        worse = {pair: "BA"["AB".index(gold)] for pair, gold in better.items() if rng.random() < one_target}
        left_out = pl.col("pair_id").replace_strict(worse, default="") == pl.col("condition").str.slice(-1)
        table = table.filter(~left_out)
    missing = [pl.lit(None).alias(name) for name in EMPTY.columns if name not in table.columns]
    table = table.with_columns(missing).select(EMPTY.columns).cast(dict(EMPTY.schema))
    return BiasData(table=table, wide=widen(table), conditions=conditions(levels), pairs={})


def runs(judge: Judge, levels: tuple[str, ...], *, seed: int, count: int = RUNS, **more: float) -> list[BiasData]:
    return [run(rng, judge, levels, **more) for rng in np.random.default_rng(seed).spawn(count)]


def rejected(data: BiasData, *names: str) -> set[str | None]:
    """Subsets whose Holm-adjusted test rejects."""
    found = audit_biases(data, names, resamples=100)
    return {f.subset for f in found.findings for t in f.tests if "Holm" in t.name and t.p_value < 0.05}


def contrast(data: BiasData, level: str) -> Finding:
    factor, _, name = level.partition("=")
    sampler = Sampler(clusters=data.wide.facts.group, seed=1, resamples=100, level=0.95)
    [found] = contrast_findings(data, sampler, comparisons(data, factor, name), audit="simulated")
    return found


def share(found: Finding, name: str) -> Estimate:
    estimate = found.measure(name)
    assert isinstance(estimate, Estimate), f"{name}: {estimate}"
    return estimate


def test_a_strong_lean_to_a_slot_is_no_sycophancy_and_no_tone() -> None:
    """Noise, ties, missing states and leans of each prompt for each group, and no effect of any change: six tests."""
    judge = Judge(position=1.5, ties=0.1, missing=0.05, lean=0.7)
    accused = [bool(rejected(data, "sycophancy", "tone")) for data in runs(judge, (*SYCOPHANCY, *TONES), seed=1)]
    assert np.mean(accused) <= LIMIT


def test_changes_that_move_verdicts_in_no_direction_are_not_accused() -> None:
    """With the change the judge leans to the other slot, ties more, fails more often: nothing of it for the target."""
    judge = Judge(position=0.8, changed_position=-1.6, ties=0.05, changed_ties=0.25, changed_missing=0.2, lean=0.7)
    found = [contrast(data, "endorsement=user") for data in runs(judge, ("endorsement=user",), seed=2)]
    assert np.mean([f.tests[0].p_value < 0.05 for f in found]) <= LIMIT
    net = np.array([share(f, "net_shift").value for f in found])
    assert abs(net.mean()) < 4 * net.std() / RUNS**0.5
    # By slot the same change shows: that is what the two figures are for.
    assert np.mean([share(f, "net_shift_first_slot").value < -0.05 for f in found]) > 0.9
    assert np.mean([share(f, "net_shift_second_slot").value > 0.05 for f in found]) > 0.9
    # More verdicts turn than in repeats, in both directions alike: the toward rate alone would accuse the judge.
    assert np.mean([share(f, "verdict_rate_shift").interval.high < 0 for f in found]) > 0.99


UNDIRECTED = {"more ties": Judge(changed_ties=0.3), "redrawn": Judge(ties=0.05, changed_redrawn=0.5)}


@pytest.mark.parametrize("judge", UNDIRECTED.values(), ids=UNDIRECTED)
def test_pairs_with_one_target_don_t_accuse_a_change_that_moves_verdicts_in_no_direction(judge: Judge) -> None:
    """In 7 of 10 pairs only the better response is a target: what disturbs the verdict takes from it alone."""
    level = "padding=redundant"
    found = [contrast(data, level) for data in runs(judge, (level,), seed=11, one_target=0.7)]
    assert np.mean([f.tests[0].p_value < 0.05 for f in found]) <= LIMIT
    net = np.array([share(f, "net_shift").value for f in found])
    assert abs(net.mean()) < 4 * net.std() / RUNS**0.5
    # Pairs with one target would have it accused: that is why they are in another figure.
    anyhow = [share(f, "net_shift_any_target") for f in found]
    assert np.mean([e.value for e in anyhow]) < -0.04
    assert np.mean([e.interval.high < 0 for e in anyhow]) > 2 * LIMIT


def test_where_each_pair_has_one_target_nothing_is_tested() -> None:
    level = "register=informal"
    found = [contrast(data, level) for data in runs(Judge(changed_ties=0.3), (level,), seed=12, one_target=1, count=20)]
    for each in found:
        assert isinstance(each.measure("net_shift"), Refusal)
        assert each.tests == ()
    assert max(share(f, "net_shift_any_target").value for f in found) < 0


def test_redrawn_verdicts_move_the_figures_by_gold_apart_and_leave_their_mean() -> None:
    """Verdicts that are mostly right are redrawn toward the wrong response more often than away from it."""
    judge = Judge(changed_redrawn=0.3)
    level = "endorsement=user"
    found = [contrast(data, level) for data in runs(judge, (level,), seed=13, count=100, gold_by_quality=True)]
    wrong, right, gold = (
        np.array([share(f, f"net_shift_{name}").value for f in found]) for name in ("wrong", "right", "gold")
    )
    assert wrong.mean() > 0.04
    assert right.mean() < -0.04
    assert gold == pytest.approx((wrong + right) / 2)
    assert abs(gold.mean()) < 4 * gold.std() / 100**0.5


def test_a_planted_effect_is_found_with_its_sign_and_the_others_are_not_accused() -> None:
    judge = Judge(effects={"endorsement=user": 1.0, "tone=hedged": -1.0}, position=1.0, ties=0.05, missing=0.03)
    planted = {"endorsement=user", "tone=hedged", "tone=assertive against tone=hedged"}
    found = [rejected(data, "sycophancy", "tone") for data in runs(judge, (*SYCOPHANCY, *TONES), seed=3, count=100)]
    for subset in planted:
        assert np.mean([subset in each for each in found]) >= 0.9, subset
    assert np.mean([bool(each - planted) for each in found]) <= 0.05 + 2 * (0.05 * 0.95 / 100) ** 0.5
    hedged = [share(contrast(data, "tone=hedged"), "net_shift").value for data in runs(judge, TONES, seed=4, count=40)]
    assert max(hedged) < 0


MEASURED = (
    *("net_shift", "toward_rate", "away_rate", "toward_of_turnable", "net_shift_first_slot", "net_shift_second_slot"),
    *("net_shift_wrong", "toward_wrong_rate", "toward_right_rate", "repeat_toward_rate", "toward_beyond_noise"),
)


def wavering(effect: float) -> Judge:
    return Judge(effects={"endorsement=user": effect}, position=0.8, ties=0.1, missing=0.05, changed_missing=0.05)


@cache
def measured(effect: float) -> tuple[Finding, ...]:
    judged = runs(wavering(effect), ("endorsement=user",), seed=6)
    return tuple(contrast(data, "endorsement=user") for data in judged)


@pytest.mark.parametrize("effect", [0.0, 0.8, -2.0])
def test_intervals_cover_what_the_judge_is_like(effect: float) -> None:
    """The truth is the mean over the runs themselves: of 400, its own error is a twentieth of an interval's."""
    found = measured(effect)
    for name in MEASURED:
        estimates = [share(f, name) for f in found]
        truth = np.mean([e.value for e in estimates])
        covered = np.mean([e.interval.low <= truth <= e.interval.high for e in estimates])
        assert covered >= 0.925, f"{name}: {covered}"
        assert covered <= 0.995, f"{name}: {covered}"


def expected(judge: Judge, *, draws: int = 100_000) -> dict[str, float]:
    """Net shift and toward rate by the judge's formula alone: the chances of each verdict, averaged over pairs."""
    rng = np.random.default_rng(0)
    quality = rng.normal(0, 1.0, draws) + rng.normal(0, 0.7, draws)

    def chances(target: int, slot: int) -> NDArray:
        """Of B, a tie and A, given a verdict, shape (3, draws); ``slot`` is 1 where A is first, else -1."""
        push = judge.effects.get("endorsement=user", 0.0) * target
        odds = quality + rng.normal(0, judge.lean, draws) + push + slot * judge.position
        p, tie = 1 / (1 + np.exp(-odds)), judge.ties
        return np.stack([(1 - tie) * (1 - p), np.full(draws, tie), (1 - tie) * p])

    toward, away = [], []
    for target in (1, -1):
        for slot in (1, -1):
            before, after = chances(0, slot)[::target], chances(target, slot)[::target]
            toward.append((before[0] * (after[1] + after[2]) + before[1] * after[2]).mean())
            away.append((before[2] * (after[0] + after[1]) + before[1] * after[0]).mean())
    return {"net_shift": float(np.mean(toward) - np.mean(away)), "toward_rate": float(np.mean(toward))}


@pytest.mark.parametrize("effect", [0.0, 0.8, -2.0])
def test_the_figures_are_the_formula_s(effect: float) -> None:
    found = measured(effect)
    for name, truth in expected(wavering(effect)).items():
        estimates = [share(f, name) for f in found]
        values = np.array([e.value for e in estimates])
        assert abs(values.mean() - truth) < 4 * values.std() / RUNS**0.5, name
        covered = np.mean([e.interval.low <= truth <= e.interval.high for e in estimates])
        assert 0.925 <= covered <= 0.995, f"{name}: {covered}"


def test_missing_states_and_ties_at_random_don_t_move_the_figures() -> None:
    whole = Judge(effects={"endorsement=user": 1.0}, position=0.8)
    nets = {}
    for name, judge in {
        "whole": whole,
        "missing": replace(whole, missing=0.1, changed_missing=0.3),
        "tied": replace(whole, changed_ties=0.3),
    }.items():
        found = [contrast(d, "endorsement=user") for d in runs(judge, ("endorsement=user",), seed=7, count=120)]
        nets[name] = np.array([share(f, "net_shift").value for f in found])
    error = max(values.std() for values in nets.values()) / 120**0.5
    assert nets["whole"].mean() > 0.15
    assert abs(nets["missing"].mean() - nets["whole"].mean()) < 4 * 2**0.5 * error
    # A tie takes the place of a verdict for the target as often as of one for the other response, if the judge had none
    # before: of three in ten it takes the direction away, and adds none of its own.
    assert nets["tied"].mean() == pytest.approx(0.7 * nets["whole"].mean(), abs=4 * 2**0.5 * error)


def interactions(odds: object, *, seed: int, count: int = RUNS, **options: float) -> NDArray:
    """p-values of the excess test and the joint test, shape (count, 2)."""
    sampler = Sampler(clusters=np.arange(100) // 2, seed=1, resamples=100, level=0.95)
    made = [simulated(rng, odds, pairs=100, per_group=2, **options) for rng in np.random.default_rng(seed).spawn(count)]
    return np.array(
        [[excess_test(m, sampler)[0].p_value, joint_test(fit_interactions(m, sampler))[0].p_value] for m in made]
    )


def test_one_bias_alone_compounds_with_nothing() -> None:
    """However strong position is."""
    p = interactions(lambda s, le, e: 1.2 * s + 0 * le + 0 * e, seed=8, ties=0.05)
    assert ((p < 0.05).mean(axis=0) <= LIMIT).all()


def test_biases_that_add_up_in_the_log_odds_have_no_interaction_in_the_model() -> None:
    p = interactions(lambda s, le, e: 0.5 * s + 0.5 * le + 0.5 * e, seed=9)
    assert (p[:, 1] < 0.05).mean() <= LIMIT


def test_biases_that_compound_are_found() -> None:
    """Alone they do little; endorsed and padded together a lot."""
    p = interactions(lambda s, le, e: 0.2 * s + 0.1 * le + 0.1 * e + 0.8 * (le + e) * (le * e == 1), seed=10, count=100)
    assert ((p < 0.05).mean(axis=0) >= 0.9).all()
