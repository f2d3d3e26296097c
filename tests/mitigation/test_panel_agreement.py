"""Kappa of judges against scikit-learn, and who is compared with whom."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from evenhand.analysis.sampler import Sampler
from evenhand.mitigation.examples import judged
from evenhand.mitigation.panel import assemble
from evenhand.mitigation.panel_agreement import family_of, judge_agreement, kappa
from evenhand.stats import Estimate, Refusal


def columns(n=120, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.uniform(size=n) < 0.6, a, rng.integers(0, 3, n))
    return a.astype(np.int8), b.astype(np.int8)


def kappa_of(a, b, clusters=None):
    clusters = np.arange(len(a)) if clusters is None else clusters
    return kappa(a, b, sampler=Sampler(clusters=clusters, seed=0, resamples=500, level=0.95), name="k")


def test_kappa_is_scikit_learn_s():
    a, b = columns()
    found = kappa_of(a, b)
    assert found.value == pytest.approx(cohen_kappa_score(a, b))
    assert found.interval.low < found.value < found.interval.high
    with_missing = kappa_of(np.append(a, -1).astype(np.int8), np.append(b, 0).astype(np.int8))
    assert (with_missing.value, with_missing.n) == (pytest.approx(found.value), 120)


def test_clusters_widen_the_interval():
    a, b = columns(40)
    tiled = np.tile(a, 5), np.tile(b, 5)
    plain, clustered = kappa_of(*tiled), kappa_of(*tiled, clusters=np.tile(np.arange(40), 5))
    assert clustered.interval.high - clustered.interval.low > 1.5 * (plain.interval.high - plain.interval.low)


def test_undefined_and_absent_are_refusals():
    same = np.zeros(20, dtype=np.int8)
    assert isinstance(kappa_of(same, same), Refusal)
    assert isinstance(kappa_of(same, np.full(20, -1, dtype=np.int8)), Refusal)


def test_every_two_judges_then_the_labels():
    names = ("Qwen/Qwen3-8B", "Qwen3-4B", "gpt-4o")
    judges = [judged(["AA", "BB"] * 8 if i else ["AA"] * 16, gold="AB" * 8, judge=name) for i, name in enumerate(names)]
    panel = assemble(judges)
    found = judge_agreement(panel, sampler=Sampler(clusters=panel.pairs.clusters, seed=0, resamples=200, level=0.95))
    assert [(each.first, each.second, each.same_family) for each in found] == [
        ("Qwen/Qwen3-8B", "Qwen3-4B", True),
        ("Qwen/Qwen3-8B", "gpt-4o", False),
        ("Qwen3-4B", "gpt-4o", False),
        *((name, "labels", None) for name in names),
    ]
    assert found[2].agreement.value == 1.0
    assert isinstance(found[2].kappa, Estimate)
    assert found[2].kappa.value == 1.0


def test_family_of_odd_names():
    assert [family_of(name) for name in ("", "7b", "claude-3-opus", "x" * 99)] == ["", "7b", "claude", "x" * 40]
