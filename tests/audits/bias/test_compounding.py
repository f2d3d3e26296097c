"""The excess over the sum, against a count in loops."""

from dataclasses import replace

import numpy as np
import pytest

from audits.bias.factorials import simulated
from evenhand.analysis.sampler import Sampler
from evenhand.audits.bias.compounding import SHIFTS, complete_pairs, excess_log_odds, excess_test, share_shifts
from evenhand.audits.bias.factorial import Factorial
from evenhand.stats import Estimate, Refusal

A, NONE, B = 2, 1, 0


def sampler(pairs: int) -> Sampler:
    return Sampler(clusters=np.arange(pairs) // 2, seed=1, resamples=200, level=0.95)


def made(seed: int, **options: float) -> Factorial:
    rng = np.random.default_rng(seed)
    return simulated(rng, lambda s, le, e: 0.2 + 0.6 * s + 0.5 * le + 0.9 * e * le**2, pairs=60, **options)


def favoured_share(factorial: Factorial, pair: int, length: int, endorsement: int, order: int, target: int) -> float:
    stood = factorial.stood[pair, length, endorsement, order] * (1 if target == A else -1)
    return {1: 1.0, 0: 0.5, -1: 0.0}[int(stood)]


def by_hand(factorial: Factorial, pairs: list[int]) -> dict[str, float]:
    """Shares of the favoured response less one half, with A and B as the favoured one in turn."""
    parts: dict[str, list[float]] = {name: [] for name in SHIFTS[:-1]}
    for pair in pairs:
        for target, first in ((A, 0), (B, 1)):  # A is first in AB, B in BA
            both = [(target, NONE), (NONE, target)]
            parts["joint_shift"].append(favoured_share(factorial, pair, target, target, first, target))
            parts["slot_shift"].append(favoured_share(factorial, pair, NONE, NONE, first, target))
            for name, (length, endorsement) in zip(("length_shift", "endorsement_shift"), both, strict=True):
                shares = [favoured_share(factorial, pair, length, endorsement, order, target) for order in (0, 1)]
                parts[name].append(float(np.mean(shares)))
    shifts = {name: float(np.mean(shares)) - 0.5 for name, shares in parts.items()}
    return shifts | {"excess_shift": shifts["joint_shift"] - sum(list(shifts.values())[1:])}


@pytest.mark.parametrize("options", [{}, {"ties": 0.2}, {"ties": 0.1, "missing": 0.02}])
def test_shares_against_a_count_by_hand(options: dict[str, float]) -> None:
    factorial = made(4, **options)
    complete = complete_pairs(factorial)
    found = {m.name: m.estimate for m in share_shifts(factorial, sampler(60))}
    assert all(isinstance(estimate, Estimate) for estimate in found.values())
    assert {name: e.value for name, e in found.items()} == pytest.approx(
        by_hand(factorial, list(np.flatnonzero(complete)))
    )
    assert all(e.n == int(complete.sum()) for e in found.values())
    if options.get("missing"):
        assert 0 < complete.sum() < 60


def test_twelve_presentations_are_needed_and_no_other() -> None:
    factorial = made(1)
    needed = 0
    for i in range(3):
        for j in range(3):
            for order in (0, 1):
                verdict = factorial.verdict.copy()
                verdict[7, i, j, order] = False
                lost = ~complete_pairs(replace(factorial, verdict=verdict))
                assert lost.sum() == lost[7]
                needed += int(lost.sum())
    assert needed == 12


def test_the_test_has_the_sign_of_the_excess_and_its_size() -> None:
    factorial = made(2, ties=0.1)
    [test] = excess_test(factorial, sampler(60))
    excess = next(m.estimate.value for m in share_shifts(factorial, sampler(60)) if m.name == "excess_shift")
    assert test.statistic == pytest.approx(excess * 8 * 60)
    assert "exact" in test.name


def test_exchanging_the_names_changes_nothing() -> None:
    factorial = made(3, ties=0.1, missing=0.02)
    other = replace(
        factorial,
        stood=-factorial.stood[:, ::-1, ::-1, ::-1],
        verdict=factorial.verdict[:, ::-1, ::-1, ::-1],
        log_odds=-factorial.log_odds[:, ::-1, ::-1, ::-1],
    )
    for first, second in zip(share_shifts(factorial, sampler(60)), share_shifts(other, sampler(60)), strict=True):
        assert first.estimate.value == pytest.approx(second.estimate.value)
    assert excess_test(factorial, sampler(60))[0].p_value == excess_test(other, sampler(60))[0].p_value
    ours, theirs = (excess_log_odds(each, sampler(60)).estimate for each in (factorial, other))
    assert ours.value == pytest.approx(theirs.value)


def test_log_odds_have_the_excess_that_was_planted() -> None:
    # All together 0.2 cancels; joint .6 + .5 + .9 against .6 + .5 + 0: the endorsement counts only beside padding.
    assert excess_log_odds(made(5), sampler(60)).estimate.value == pytest.approx(0.9)
    unknown = replace(made(5), log_odds=np.full((60, 3, 3, 2), np.nan))
    assert isinstance(excess_log_odds(unknown, sampler(60)).estimate, Refusal)


def test_nothing_beyond_the_sum_has_no_test() -> None:
    same = replace(made(1), stood=np.ones((60, 3, 3, 2), dtype=np.int8))
    assert excess_test(same, sampler(60)) == ()
