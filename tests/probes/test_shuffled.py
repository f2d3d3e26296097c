"""Shuffled labels: what is kept, what is broken, and what is said of it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.probes import Metric, PredictorKind
from evenhand.probes.shuffled import refused_control, shuffle_labels, shuffled_result
from evenhand.stats import Estimate, Refusal, auroc, brier

FLIPS = np.arange(40) % 5 < 2
GROUPS = [f"q{i}" for i in range(40)]
CHOICES = (np.arange(40) % 2).astype(np.int8)


def result(fit, **options):
    options = {"repeats": 4, "rng": np.random.default_rng(0), **options}
    return shuffled_result(fit, FLIPS, choices=CHOICES, groups=GROUPS, features=("layer",), **options)


@given(seed=st.integers(0, 10**6), size=st.integers(1, 4))
def test_groups_of_one_size_keep_their_labels_together(seed: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(12), size).astype(str)
    order = rng.permutation(len(groups))
    groups, flips = groups[order], rng.random(len(groups)) < 0.4

    def contents(labels):
        return Counter(int(labels[groups == each].sum()) for each in np.unique(groups))

    dealt = shuffle_labels(flips, groups, rng=rng)
    assert contents(dealt) == contents(flips)


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans()), min_size=1, max_size=30), st.integers(0, 99))
def test_the_flip_rate_stays_whatever_the_groups(rows: list[tuple[str, bool]], seed: int) -> None:
    groups, flips = [group for group, _ in rows], np.array([flip for _, flip in rows])
    dealt = shuffle_labels(flips, groups, rng=np.random.default_rng(seed))
    assert dealt.dtype == np.bool_
    assert dealt.sum() == flips.sum()


def test_neither_the_group_nor_the_place_within_it_tells_the_label() -> None:
    # Every group's first pair flips: what a model pair of MT-Bench could do.
    groups = np.repeat(np.arange(50), 4).astype(str)
    first = np.tile([True, False, False, False], 50)
    rng = np.random.default_rng(0)
    shares = np.mean([shuffle_labels(first, groups, rng=rng).reshape(50, 4) for _ in range(200)], axis=0)
    assert shares.mean() == 0.25
    # 10,000 draws a place: a standard error of .004; 200 a pair: .03.
    assert shares.mean(axis=0) == pytest.approx(0.25, abs=0.02)
    assert shares.ravel() == pytest.approx(0.25, abs=0.14)


def test_the_whole_procedure_gets_the_shuffled_labels_and_is_judged_against_them() -> None:
    seen = []

    def fit(label_sets):
        seen.append(label_sets)
        return np.where(label_sets, 0.6, 0.4) + np.linspace(0, 0.3, 40)

    found = result(fit)
    (label_sets,) = seen
    assert label_sets.shape == (4, 40)
    assert (label_sets.sum(axis=1) == FLIPS.sum()).all()
    assert (label_sets != FLIPS).any(axis=1).all()
    probabilities = fit(label_sets)
    for metric, plain in ((Metric.AUROC, auroc), (Metric.BRIER, brier)):
        values = [plain(p, y).value for p, y in zip(probabilities, label_sets, strict=True)]
        estimate = found.metric(metric)
        assert estimate.value == pytest.approx(np.mean(values))
        assert estimate.interval is None
        assert estimate.flags[1] == f"4 shuffles, {min(values):.3f} to {max(values):.3f}"
    assert (found.kind, found.features, found.selections) == (PredictorKind.CONTROL, ("layer",), ())
    assert isinstance(found.calibration, Refusal)


def test_the_true_auroc_is_set_against_the_shuffled_ones() -> None:
    rng = np.random.default_rng(1)
    observed = Estimate(value=0.99, interval=None, n=40)
    found = result(lambda sets: rng.random(sets.shape), observed=observed)
    assert found.permutation_p == 0.2
    assert len(found.shuffles) == 4
    assert np.mean(found.shuffles) == pytest.approx(found.metric(Metric.AUROC).value)
    always = result(lambda sets: sets * 0.5, observed=observed)
    assert (always.shuffles, always.permutation_p) == ((1.0,) * 4, 1.0)
    assert result(lambda sets: rng.random(sets.shape)).permutation_p is None, "nothing to set against them"


def test_where_nothing_discriminative_may_be_reported_only_brier_is() -> None:
    unranked = Refusal(reason="the flip rate is 0.010", n=40)
    found = result(
        lambda sets: np.full(sets.shape, 0.4), unranked=unranked, observed=Estimate(value=0.9, interval=None, n=40)
    )
    for metric in (Metric.AUROC, Metric.AUPRC, Metric.CHOICE_MATCHED):
        assert found.metric(metric) == unranked
    assert isinstance(found.metric(Metric.BRIER), Estimate)
    assert (found.shuffles, found.permutation_p) == ((), None)


def test_a_probe_that_can_not_be_fitted_has_no_control() -> None:
    refusal = Refusal(reason="no activation", n=3)
    found = refused_control(refusal, features=())
    assert {figure for _, figure in found.metrics} == {refusal}
    assert found.kind is PredictorKind.CONTROL
