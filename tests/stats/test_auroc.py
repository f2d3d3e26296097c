import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from evenhand.stats import Refusal, auroc, auroc_difference, bootstrap_auroc, choice_matched_auroc, clopper_pearson
from evenhand.stats.clusters import cluster_codes
from evenhand.stats.multiplicities import multiplicity_blocks, resampling_units

METHODS = ["robust", "percentile", "bca"]


def sample(seed=0, n=120, clusters=60, decimals=9):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, clusters, n)
    labels = rng.random(n) < 0.4
    scores = (labels + rng.normal(size=n) + rng.normal(size=clusters)[group]).round(decimals)
    return scores, labels, group, np.where(rng.random(n) < 0.5, "A", "B")


def by_hand(scores, labels, choices):
    """Wins over all pairs of a positive and a negative of one choice."""
    wins = pairs = 0
    for i in np.flatnonzero(labels):
        for j in np.flatnonzero(~labels):
            if choices[i] == choices[j]:
                pairs += 1
                wins += (scores[i] > scores[j]) + (scores[i] == scores[j]) / 2
    return wins / pairs


@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([0, 9]))
@settings(deadline=None, max_examples=30)
def test_points(seed, decimals):
    scores, labels, _, choices = sample(seed, n=40, decimals=decimals)
    if labels.all() or not labels.any():
        assert isinstance(auroc(scores, labels), Refusal)
        return
    assert auroc(scores, labels).value == pytest.approx(roc_auc_score(labels, scores))
    assert auroc(-scores, labels).value == pytest.approx(1 - auroc(scores, labels).value)
    matched = choice_matched_auroc(scores, labels, choices)
    if not isinstance(matched, Refusal):
        assert matched.value == pytest.approx(by_hand(scores, labels, choices))


@pytest.mark.parametrize("decimals", [0, 9])
@pytest.mark.parametrize("one_row_each", [True, False])
def test_replicates_are_those_of_a_loop_over_scikit_learn(decimals, one_row_each):
    """The same draws, one weighted roc_auc_score each, give the same percentiles to rounding."""
    scores, labels, group, _ = sample(1, n=300, decimals=decimals)
    if one_row_each:
        group = np.arange(len(scores))
    units = resampling_units(cluster_codes(group), [scores, labels.astype(float)])
    rows = np.arange(len(scores)) if units.representatives is None else units.representatives
    assert (units.representatives is not None) == (one_row_each and decimals == 0)
    slow = [
        roc_auc_score(labels[rows], scores[rows], sample_weight=weights[units.unit_of_row])
        for block in multiplicity_blocks(units, rng=np.random.default_rng(3), resamples=150)
        for weights in block
    ]
    ours = bootstrap_auroc(
        scores, labels, group, rng=np.random.default_rng(3), resamples=150, method="percentile"
    ).interval
    assert (ours.low, ours.high) == pytest.approx(tuple(np.quantile(slow, [0.025, 0.975])), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_turning_the_score_mirrors_the_interval(method):
    scores, labels, group, _ = sample(4, decimals=1)
    # Whole clusters are drawn, so that the draws don't depend on the scores.
    one = bootstrap_auroc(scores, labels, group, rng=np.random.default_rng(0), method=method)
    other = bootstrap_auroc(-scores, labels, group, rng=np.random.default_rng(0), method=method)
    assert one.value == pytest.approx(1 - other.value)
    assert one.interval.low == pytest.approx(1 - other.interval.high, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_choice_matched_interval_holds_its_point(method):
    scores, labels, group, choices = sample(5)
    estimate = bootstrap_auroc(scores, labels, group, choices=choices, rng=np.random.default_rng(0), method=method)
    assert estimate.value == choice_matched_auroc(scores, labels, choices).value
    assert estimate.interval.low < estimate.value < estimate.interval.high


@pytest.mark.parametrize("method", METHODS)
def test_perfect_ranking_gets_width(method):
    labels = np.arange(60) < 12
    estimate = bootstrap_auroc(labels * 1.0, labels, np.arange(60), rng=np.random.default_rng(0), method=method)
    assert estimate.value == 1.0
    assert (estimate.interval.low, estimate.interval.high) == (clopper_pearson(12, 12).low, 1.0)
    assert estimate.flags == ("fewer than 30 clusters with the rarer label (12)",)


def test_pooling_clusters_of_one_row_keeps_the_law():
    # A confidence in whole tens: few distinct rows, which are pooled.
    rng = np.random.default_rng(0)
    labels = rng.random(400) < 0.3
    scores = (5 * labels + rng.normal(scale=5, size=400)).round(-1)
    pooled = bootstrap_auroc(scores, labels, np.arange(400), rng=rng, resamples=8_000, method="percentile")
    # Two rows per cluster of which one never compares: not poolable, same statistic.
    twice = np.concatenate([np.arange(400), np.arange(400)])
    choices = np.concatenate([np.full(400, "compared"), np.full(400, "alone")])
    loose = bootstrap_auroc(
        np.concatenate([scores, np.arange(400.0)]),
        np.concatenate([labels, np.ones(400, dtype=bool)]),
        twice,
        choices=choices,
        rng=rng,
        resamples=8_000,
        method="percentile",
    )
    assert pooled.value == pytest.approx(loose.value)
    width = loose.interval.high - loose.interval.low
    assert pooled.interval.low == pytest.approx(loose.interval.low, abs=0.05 * width)
    assert pooled.interval.high == pytest.approx(loose.interval.high, abs=0.05 * width)


@pytest.mark.parametrize("method", METHODS)
def test_difference_turns_its_sign_with_the_scores(method):
    scores, labels, group, _ = sample(6)
    second = np.random.default_rng(9).normal(size=len(scores))
    one = auroc_difference(scores, second, labels, group, rng=np.random.default_rng(0), method=method)
    other = auroc_difference(second, scores, labels, group, rng=np.random.default_rng(0), method=method)
    assert one.value == pytest.approx(auroc(scores, labels).value - auroc(second, labels).value)
    assert one.value == pytest.approx(-other.value)
    assert one.interval.low == pytest.approx(-other.interval.high, abs=1e-9)


def test_paired_is_narrower_than_independent_for_scores_that_agree():
    scores, labels, group, _ = sample(7)
    near = scores + np.random.default_rng(1).normal(scale=0.2, size=len(scores))
    paired = auroc_difference(scores, near, labels, group, rng=np.random.default_rng(0)).interval
    single = bootstrap_auroc(scores, labels, group, rng=np.random.default_rng(0)).interval
    assert paired.high - paired.low < (single.high - single.low) / 2


@pytest.mark.parametrize("method", METHODS)
def test_equal_rankings_differ_by_nothing_but_not_with_certainty(method):
    scores, labels, group, _ = sample(8)
    estimate = auroc_difference(scores, 2 * scores, labels, group, rng=np.random.default_rng(0), method=method)
    assert estimate.value == 0
    assert estimate.interval.low < -0.02
    assert estimate.interval.high > 0.02
    assert "without discordance" in estimate.interval.method


@pytest.mark.parametrize("method", METHODS)
def test_a_constant_ranks_nothing_and_says_so_in_place_of_an_interval(method):
    scores, labels, group, choices = sample(10)
    rng, constant = np.random.default_rng(0), np.full(len(scores), 0.4)
    for score, within in ((constant, None), (constant, choices), (choices == "A", choices)):
        alone = bootstrap_auroc(score, labels, group, choices=within, rng=rng, method=method)
        assert (alone.value, alone.interval) == (0.5, None)
        assert "by definition" in alone.flags[-1]
    both = auroc_difference(constant, constant + 1, labels, group, rng=rng, method=method)
    assert (both.value, both.interval) == (0.0, None)
    assert "by definition" in both.flags[-1]
    one = auroc_difference(scores, constant, labels, group, rng=rng, method=method)
    assert one.interval.low < one.value < one.interval.high
    # A choice that ranks overall is an estimate like any other.
    assert bootstrap_auroc(choices == "A", labels, group, rng=rng, method=method).interval is not None


def test_too_little_is_refused():
    rng = np.random.default_rng(0)
    assert (
        auroc([1, 2], [1, 1]).reason
        == "AUROC needs a positive and a negative to compare; has 2 positive and 0 negative"
    )
    labels = np.arange(60) < 4
    refusal = bootstrap_auroc(rng.normal(size=60), labels, np.arange(60), rng=rng)
    assert refusal == Refusal(reason="needs at least 5 clusters with a positive, has 4", n=60)
    again = auroc_difference(rng.normal(size=60), rng.normal(size=60), ~labels, np.arange(60), rng=rng)
    assert again.reason == "needs at least 5 clusters with a negative, has 4"
