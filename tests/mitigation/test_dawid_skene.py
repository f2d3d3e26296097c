"""Dawid and Skene through crowd-kit: planted accuracies come back, and what it can't tell is refused."""

import sys

import numpy as np
import pytest

from evenhand.errors import ConfigError
from evenhand.mitigation.dawid_skene import DawidSkeneFit, dawid_skene
from evenhand.mitigation.examples import judged
from evenhand.mitigation.panel import Panel, assemble, majority
from evenhand.stats import Refusal

pytest.importorskip("crowdkit")


def simulated(accuracies, *, n=1500, seed=0, flip=0.0) -> Panel:
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 2, n)
    judges = []
    for index, accuracy in enumerate(accuracies):
        vote = np.where(rng.uniform(size=n) < accuracy, gold, 1 - gold)
        flips = rng.uniform(size=n) < flip
        orders = ["AB" if f else "AB"[v] * 2 for v, f in zip(vote, flips, strict=True)]
        judges.append(judged(orders, gold="".join("AB"[g] for g in gold), judge=f"j{index}"))
    return assemble(judges)


def test_planted_accuracies_come_back_without_labels():
    planted = (0.9, 0.75, 0.65, 0.8, 0.6)
    panel = simulated(planted)
    found = dawid_skene(panel)
    assert isinstance(found, DawidSkeneFit)
    assert found.accuracy == pytest.approx(planted, abs=0.05)
    right = {
        name: (way.preference[:, 0] == panel.pairs.gold).mean()
        for name, way in (("model", found.way), ("majority", majority(panel)))
    }
    assert right["model"] > right["majority"] + 0.02
    assert found.probability.sum(axis=1) == pytest.approx(1.0)


def test_ties_are_a_class_and_missing_votes_are_none():
    panel = simulated((0.9, 0.85, 0.8), n=300, flip=0.2)
    votes = panel.votes.copy()
    votes[:5] = -1
    votes[5:40, 0] = -1
    found = dawid_skene(type(panel)(**{name: getattr(panel, name) for name in panel.__slots__} | {"votes": votes}))
    assert found.way.preference[:5, 0].tolist() == [-1] * 5
    assert np.isnan(found.probability[:5]).all()
    assert (found.way.preference[5:, 0] >= 0).all()
    # Accuracy is of votes where one response is better: a tie is no right vote.
    assert found.accuracy[0] < 0.85


def test_a_split_of_equal_judges_is_a_tie_and_not_the_first_response():
    """Votes with their mirror images (A for B, the two judges for each other): nothing tells A from B in a split."""
    panel = simulated((0.8, 0.8, 0.7), n=60, flip=0.2)
    other = np.array([1, 0, 2], dtype=np.int8)
    votes = np.concatenate([panel.votes, np.array([[0, 1, 2]], dtype=np.int8)])
    votes = np.concatenate([votes, votes[:, [1, 0, 2]]])
    votes = np.concatenate([votes, other[votes]])
    ones = assemble([judged(["AA"] * len(votes), gold="A" * len(votes), judge=f"j{i}") for i in range(3)])
    made = type(ones)(**{name: getattr(ones, name) for name in ones.__slots__} | {"votes": votes})
    found = dawid_skene(made)
    split = (votes[:, 0] != votes[:, 1]) & (votes[:, :2] != 2).all(axis=1) & (votes[:, 2] == 2)
    assert split.sum() >= 2
    assert np.ptp(found.probability[split][:, :2]) < 1e-6
    assert set(found.way.preference[split, 0].tolist()) == {2}


def test_too_few_judges_or_pairs_are_refused():
    assert "at least 3 judges" in dawid_skene(simulated((0.9, 0.8), n=60)).reason
    refusal = dawid_skene(simulated((0.9, 0.8, 0.7), n=29))
    assert isinstance(refusal, Refusal)
    assert "30 pairs" in refusal.reason


def test_without_crowd_kit_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "crowdkit.aggregation", None)
    with pytest.raises(ConfigError, match=r"evenhand\[panel\]"):
        dawid_skene(simulated((0.9, 0.8, 0.7), n=60))
