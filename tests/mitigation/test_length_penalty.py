"""The post-hoc length penalty: found where planted, cross-fitted, and refused without labels."""

import numpy as np
import pytest

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.examples import judged
from evenhand.mitigation.judged import credit
from evenhand.mitigation.length_penalty import LengthPenalty, length_penalty
from evenhand.stats import Refusal


def simulated(*, beta2, n=300, seed=0, **more):
    """Log-odds of A are quality plus beta2 times the log length ratio, the same in both orders."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    ratio = rng.normal(0, 0.8, n)
    odds = np.where(gold == 0, 1.0, -1.0) * 0.8 + beta2 * ratio + rng.normal(0, 0.8, n)
    return judged(
        ["A" * 2 if each > 0 else "B" * 2 for each in odds],
        gold="".join("AB"[g] for g in gold),
        log_odds=np.column_stack([odds, odds]),
        length_a=400 * np.exp(ratio),
        length_b=np.full(n, 400.0),
        **more,
    )


def penalty(pairs):
    return length_penalty(pairs, sampler=Sampler(clusters=pairs.clusters, seed=0, resamples=100, level=0.95))


def test_a_planted_length_bias_is_found_and_taken_off():
    pairs = simulated(beta2=1.5)
    found = penalty(pairs)
    assert isinstance(found, LengthPenalty)
    term = found.regression.term("log length ratio")
    assert term.estimate.interval.low < 1.5 < term.estimate.interval.high
    assert found.beta2 == pytest.approx([1.5] * 5, abs=0.25)
    before, after = (credit(way.preference[:, 0], pairs.gold).mean() for way in (found.before, found.after))
    assert after > before + 0.05
    assert (found.scale, found.after.presentations[0], found.after.order_free) == ("averaged log-odds of A", 2.0, True)


def test_each_pair_s_coefficient_comes_from_other_clusters():
    """Turning one cluster's own labels round can't move its own verdicts."""
    pairs = simulated(beta2=1.0, n=120)
    verdicts = penalty(pairs).after.preference
    for row in (0, 50, 119):
        gold = pairs.gold.copy()
        gold[row] = 1 - gold[row]
        changed = penalty(judged_again(pairs, gold))
        assert changed.after.preference[row] == verdicts[row]


def judged_again(pairs, gold):
    from dataclasses import replace

    return replace(pairs, gold=gold)


def test_scores_come_before_log_odds_and_one_order_does():
    n = 60
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 11, (n, 2)).astype(float), rng.integers(1, 11, (n, 2)).astype(float)
    lengths = {"length_a": rng.integers(50, 900, n), "length_b": rng.integers(50, 900, n)}
    scored = penalty(judged(["AA"] * n, gold="AB" * 30, score_a=a, score_b=b, log_odds=a, **lengths))
    assert scored.scale == "averaged score difference"
    odds = np.column_stack([rng.normal(size=n), np.full(n, np.nan)])
    single = penalty(judged(["A."] * n, gold="AB" * 30, log_odds=odds, **lengths))
    assert (single.scale, single.after.presentations[0], single.after.order_free) == ("log-odds of A", 1.0, False)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"log_odds": None}, "log-odds of the labels"),
        ({"length_a": None}, "texts"),
        ({"gold": "." * 60}, "50 labelled pairs"),
        ({"clusters": np.arange(60) % 9}, "10 clusters"),
        ({"length_a": np.full(60, 9.0), "length_b": np.full(60, 3.0)}, "nothing to penalise"),
    ],
)
def test_refusals(change, words):
    rng = np.random.default_rng(2)
    settings = {
        "gold": "AB" * 30,
        "log_odds": rng.normal(size=(60, 2)),
        "length_a": rng.integers(50, 900, 60),
        "length_b": rng.integers(50, 900, 60),
    }
    found = penalty(judged(["AA"] * 60, **(settings | change)))
    assert isinstance(found, Refusal)
    assert words in found.reason
