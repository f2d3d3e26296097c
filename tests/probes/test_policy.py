"""Policies: exactly the budget, a reproducible choice, and known chances."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import ConfigError, DataError
from evenhand.probes.policy import (
    budget_size,
    choose,
    guarantee_text,
)
from evenhand.stats import control_risk
from probes.policies import budget, threshold

SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=40)


@given(SCORES, st.sampled_from([0.1, 0.3, 0.5, 1.0]), st.sampled_from([0.0, 0.1, 0.6, 1.0]))
def test_exactly_the_budget_is_spent_even_among_ties(scores, share, floor):
    ids = [f"p{i}" for i in range(len(scores))]
    made = choose(budget(share, floor=floor), scores, ids, seed=3)
    certain = int(made.certain.sum())
    assert certain == math.ceil(round(share * len(scores), 9))
    assert int(made.floor.sum()) == math.ceil(round(floor * (len(scores) - certain), 9))
    assert not (made.certain & made.floor).any()
    assert made.judgments == len(scores) + int(made.swapped.sum())
    values = np.array(scores)
    if certain < len(scores):
        assert values[made.certain].min() >= values[~made.certain].max()
        assert made.chance[~made.certain] == pytest.approx(made.floor.sum() / (len(scores) - certain))
    assert (made.chance[made.certain] == 1).all()


@given(SCORES, st.randoms(use_true_random=False))
def test_the_choice_is_the_same_in_any_order_of_the_pairs(scores, random):
    ids = [f"p{i}" for i in range(len(scores))]
    rows = list(range(len(scores)))
    random.shuffle(rows)
    for policy in (budget(0.4, floor=0.3), threshold(3.0, floor=0.3)):
        plain = choose(policy, scores, ids, seed=1)
        mixed = choose(policy, [scores[i] for i in rows], [ids[i] for i in rows], seed=1)
        assert mixed.swapped.tolist() == plain.swapped[rows].tolist()
        assert mixed.certain.tolist() == plain.certain[rows].tolist()


def test_a_larger_budget_contains_a_smaller_one_and_a_seed_changes_ties():
    ids = [f"p{i}" for i in range(200)]
    small, large = (choose(budget(share), np.zeros(200), ids, seed=0).swapped for share in (0.2, 0.5))
    assert (small <= large).all()
    assert (choose(budget(0.2), np.zeros(200), ids, seed=1).swapped != small).any()


def test_the_floor_is_uniform_over_the_rest():
    # 400 seeds: each of 40 pairs is drawn with chance 1/4, so 100 times with a standard deviation of 8.7.
    ids, scores = [f"p{i}" for i in range(50)], np.concatenate([np.ones(10), np.zeros(40)])
    drawn = sum(choose(threshold(1.0, floor=0.25), scores, ids, seed=s).floor.astype(int) for s in range(400))
    assert drawn[:10].sum() == 0
    assert (np.abs(drawn[10:] - 100) < 45).all()
    assert drawn.sum() == 4000


def test_the_floor_is_uniform_where_the_budget_splits_equal_scores():
    # The budget takes 15 of 20 pairs of equal high score; the floor 9 of the 35 others.
    ids, scores = [f"p{i}" for i in range(50)], np.concatenate([np.ones(20), np.zeros(30)])
    made = [choose(budget(0.3, floor=0.25), scores, ids, seed=s) for s in range(400)]
    high, low = (sum(int(m.floor[part].sum()) for m in made) for part in (slice(20), slice(20, 50)))
    # 5 and 30 of the rest each time.
    assert high / (400 * 5) == pytest.approx(9 / 35, abs=0.04)
    assert low / (400 * 30) == pytest.approx(9 / 35, abs=0.02)


def test_a_threshold_swaps_ties_and_minus_infinity_swaps_everything():
    ids = ["a", "b", "c"]
    assert choose(threshold(0.5), [0.5, 0.4, 0.9], ids, seed=0).swapped.tolist() == [True, False, True]
    assert choose(threshold(-math.inf), [0.5, -1e9, 0.9], ids, seed=0).swapped.all()
    assert choose(threshold(0.5), [], [], seed=0).judgments == 0


@pytest.mark.parametrize(
    ("scores", "ids", "message"),
    [
        ([0.1, math.nan], ["a", "b"], "score of pair 'b' is nan"),
        ([0.1], ["a", "b"], r"shape \(1,\), expected \(2,\)"),
        ([0.1, 0.2], ["a", "a"], "occurs twice"),
    ],
)
def test_scores_that_fit_nothing(scores, ids, message):
    with pytest.raises(DataError, match=message):
        choose(budget(0.5), scores, ids, seed=0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: budget(0.0), "budget is 0.0"),
        (lambda: budget(1.5), "budget is 1.5"),
        (lambda: budget(0.5, alpha=0.1), "has no threshold"),
        (lambda: budget(0.5, floor=2.0), "floor is 2.0"),
        (lambda: threshold(math.nan), "threshold is nan"),
        (lambda: threshold(math.inf), "threshold is inf"),
        (lambda: threshold(None), "threshold is None"),
        (lambda: threshold(0.1, alpha=1.0), "alpha is 1.0"),
        (lambda: threshold(0.1, delta=0.0), "delta is 0.0"),
        (lambda: threshold(0.1, budget=0.3), "a max-missed policy has none"),
        (lambda: threshold(0.1, guarantee=None), "what it guarantees"),
        (lambda: replace(budget(0.5), score=""), "name of its score"),
    ],
)
def test_policies_that_contradict_themselves(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


def test_groups_larger_than_the_promise():
    assert threshold(0.1).too_large_groups(["a", "a", "b"]) is None
    assert threshold(0.1).too_large_groups([]) is None
    assert "'a' has 3 pairs" in str(threshold(0.1).too_large_groups(["a", "a", "a", "b"]))
    assert budget(0.1).too_large_groups(["a"] * 9) is None


def test_what_a_guarantee_says():
    rows = np.arange(100)

    def text(**settings):
        found = control_risk(rows, rows % 2 == 0, rows, **({"alpha": 0.1, "largest_group": 1} | settings))
        return guarantee_text(found)

    assert text().startswith("in expectation over calibration and new questions, at most 10 % of the flips are missed")
    assert "100 calibration pairs of 100 questions with 50 flips" in text()
    assert "with probability 95 % over the calibration" in text(delta=0.05)
    assert "(betting test)" in text(delta=0.05, largest_group=3, alpha=0.4)
    assert "swapping every pair, since it needs at least 199 flips, has 50" in text(alpha=0.005)
    found = control_risk(rows, rows % 2 == 0, rows, alpha=0.1, largest_group=1)
    assert guarantee_text(found, unproved="five models").startswith("approximate, not proved, because five models: in")


def test_policies_in_words():
    assert budget(0.3).describe() == "the 30 % of the pairs with the highest probe score"
    assert threshold(0.25).describe() == "every pair whose probe score is at least 0.25"
    assert "every pair, for no threshold" in threshold(-math.inf).describe()
    assert budget_size(3, 1.0) == 3
