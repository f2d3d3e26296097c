import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

from evenhand.errors import StatisticsError
from evenhand.stats import Refusal, auprc, auroc, bootstrap_scores, brier, choice_matched_auroc, clopper_pearson
from evenhand.stats.clusters import cluster_codes
from evenhand.stats.multiplicities import multiplicity_blocks, resampling_units

RESAMPLES = 200


def sample(seed=0, n=120, clusters=60, decimals=9):
    rng = np.random.default_rng(seed)
    group = rng.integers(0, clusters, n)
    labels = rng.random(n) < 0.4
    raw = labels + rng.normal(size=n) + rng.normal(size=clusters)[group]
    good = (1 / (1 + np.exp(-raw))).round(decimals)
    weak = (1 / (1 + np.exp(-0.3 * labels - rng.normal(size=n)))).round(decimals)
    return {"good": good, "weak": weak}, labels, group, np.where(rng.random(n) < 0.5, "A", "B")


def bootstrap(predictions, labels, group, *, seed=3, resamples=RESAMPLES, **options):
    return bootstrap_scores(predictions, labels, group, rng=np.random.default_rng(seed), resamples=resamples, **options)


def limits(estimate):
    return estimate.interval.low, estimate.interval.high


def draws(group, n, *, seed=3):
    """The same resamples, as a weight per row each; clusters in the order of their first rows."""
    order = {name: i for i, name in enumerate(dict.fromkeys(np.asarray(group).tolist()))}
    codes = cluster_codes(np.array([order[name] for name in np.asarray(group).tolist()]))
    units = resampling_units(codes, [np.arange(n, dtype=float)])
    for block in multiplicity_blocks(units, rng=np.random.default_rng(seed), resamples=RESAMPLES):
        for weights in block:
            yield weights[units.unit_of_row]


@pytest.mark.parametrize("decimals", [1, 9])
def test_replicates_are_those_of_a_loop_over_scikit_learn(decimals):
    """The same draws, weighted scikit-learn metrics for each, give the same percentiles to rounding."""
    predictions, labels, group, _ = sample(1, decimals=decimals)
    metrics = {"auroc": roc_auc_score, "auprc": average_precision_score, "brier": brier_score_loss}
    slow = {
        (name, score): [metric(labels, values, sample_weight=weights) for weights in draws(group, len(labels))]
        for name, values in predictions.items()
        for score, metric in metrics.items()
    }
    ours = bootstrap(predictions, labels, group, differences=[("good", "weak")])
    for (name, score), replicates in slow.items():
        expected = tuple(np.quantile(replicates, [0.025, 0.975]))
        assert limits(ours.score(name, score)) == pytest.approx(expected, abs=1e-12)
    for score in metrics:
        gap = np.subtract(slow["good", score], slow["weak", score])
        expected = tuple(np.quantile(gap, [0.025, 0.975]))
        assert limits(ours.difference("good", "weak", score)) == pytest.approx(expected, abs=1e-12)


def test_choice_matched_replicates_are_weighted_auroc_within_choices():
    predictions, labels, group, choices = sample(2)
    replicates = []
    for weights in draws(group, len(labels)):
        wins = pairs = 0.0
        for choice in "AB":
            rows = choices == choice
            weight = weights[rows]
            size = weight[labels[rows]].sum() * weight[~labels[rows]].sum()
            wins += size * roc_auc_score(labels[rows], predictions["good"][rows], sample_weight=weight)
            pairs += size
        replicates.append(wins / pairs)
    ours = bootstrap(predictions, labels, group, choices=choices).score("good", "choice-matched-auroc")
    assert limits(ours) == pytest.approx(tuple(np.quantile(replicates, [0.025, 0.975])), abs=1e-12)


@given(seed=st.integers(0, 10**6), decimals=st.sampled_from([1, 9]))
@settings(deadline=None, max_examples=20)
def test_points_are_those_of_the_plain_statistics(seed, decimals):
    predictions, labels, group, choices = sample(seed, decimals=decimals)
    ours = bootstrap(predictions, labels, group, choices=choices, resamples=100)
    for name, values in predictions.items():
        assert ours.score(name, "auroc").value == pytest.approx(auroc(values, labels).value)
        assert ours.score(name, "auprc").value == pytest.approx(auprc(values, labels).value)
        assert ours.score(name, "brier").value == pytest.approx(brier(values, labels).value)
        matched = choice_matched_auroc(values, labels, choices).value
        assert ours.score(name, "choice-matched-auroc").value == pytest.approx(matched)
        assert ours.score(name, "brier").clusters == len(np.unique(group))
        assert ours.score(name, "brier").count == labels.sum()


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=15)
def test_invariants(seed):
    predictions, labels, group, choices = sample(seed)
    good = predictions["good"]
    turned = {"same": good, "monotone": good**3, "mirrored": 1 - good}
    ours = bootstrap(turned, labels, group, choices=choices, differences=[("same", "monotone")], resamples=100)
    for score in ("auroc", "choice-matched-auroc"):
        same = ours.score("same", score)
        # Ranks decide: a monotone transform changes nothing, and 1 - s mirrors the interval.
        assert limits(ours.score("monotone", score)) == pytest.approx(limits(same), abs=1e-12)
        assert ours.score("mirrored", score).value == pytest.approx(1 - same.value)
        low, high = limits(ours.score("mirrored", score))
        assert (1 - high, 1 - low) == pytest.approx(limits(same), abs=1e-9)
        gap = ours.difference("same", "monotone", score)
        assert gap.value == 0
        assert gap.interval.low < 0 < gap.interval.high
    # Another name for each cluster is another name, and no more.
    renamed = bootstrap(turned, labels, [f"cluster {-g}" for g in group], choices=choices, resamples=100)
    assert renamed.scores == ours.scores
    # One choice for all: nothing to match.
    alone = bootstrap(turned, labels, group, choices=np.zeros(len(labels)), resamples=100)
    assert limits(alone.score("same", "choice-matched-auroc")) == limits(alone.score("same", "auroc"))


def test_a_difference_turns_its_sign_with_the_order():
    predictions, labels, group, choices = sample(5)
    pairs = [("good", "weak"), ("weak", "good")]
    ours = bootstrap(predictions, labels, group, choices=choices, differences=pairs)
    assert [(d.predictor, d.reference) for d in ours.differences][::4] == pairs
    for score in ("auroc", "auprc", "brier", "choice-matched-auroc"):
        one, other = (ours.difference(*pair, score) for pair in pairs)
        assert one.value == pytest.approx(-other.value)
        low, high = limits(other)
        assert limits(one) == pytest.approx((-high, -low))


def test_paired_is_narrower_than_apart_for_predictors_that_agree():
    predictions, labels, group, _ = sample(7)
    near = np.clip(predictions["good"] + np.random.default_rng(1).normal(scale=0.02, size=len(labels)), 0, 1)
    ours = bootstrap({"good": predictions["good"], "near": near}, labels, group, differences=[("good", "near")])
    for score in ("auroc", "auprc", "brier"):
        paired, single = ours.difference("good", "near", score).interval, ours.score("good", score).interval
        assert paired.high - paired.low < (single.high - single.low) / 2


def test_a_constant_ranks_nothing_and_says_so_in_place_of_an_interval():
    predictions, labels, group, choices = sample(8)
    knows_choice = np.where(choices == "A", 0.3, 0.6)
    constant = np.full(len(labels), 0.4)
    ours = bootstrap(
        {"constant": constant, "choice": knows_choice, "good": predictions["good"]},
        labels,
        group,
        choices=choices,
        differences=[("constant", "choice"), ("good", "constant")],
    )
    for name, score in (
        ("constant", "auroc"),
        ("constant", "choice-matched-auroc"),
        ("choice", "choice-matched-auroc"),
    ):
        estimate = ours.score(name, score)
        assert (estimate.value, estimate.interval) == (0.5, None)
        assert "by definition" in estimate.flags[-1]
    assert ours.score("choice", "auroc").interval is not None
    both = ours.difference("constant", "choice", "choice-matched-auroc")
    assert (both.value, both.interval) == (0.0, None)
    # Its average precision is the prevalence, which is an estimate; so is its Brier score.
    assert ours.score("constant", "auprc").value == pytest.approx(labels.mean())
    assert ours.score("constant", "auprc").interval is not None
    assert ours.score("constant", "brier").interval is not None
    assert ours.difference("good", "constant", "auroc").interval is not None


def test_what_can_not_vary_has_no_interval():
    _, labels, group, _ = sample(8)
    ours = bootstrap({"half": np.full(len(labels), 0.5), "truth": labels * 1.0}, labels, group)
    for name, value in (("half", 0.25), ("truth", 0.0)):
        estimate = ours.score(name, "brier")
        assert (estimate.value, estimate.interval) == (value, None)
        assert estimate.flags == ("no variation over the resamples: no interval",)


def test_a_perfect_ranking_gets_width():
    labels = np.arange(60) < 12
    ours = bootstrap({"right": labels * 0.9, "wrong": 0.9 - labels * 0.5}, labels, np.arange(60))
    assert limits(ours.score("right", "auroc")) == (clopper_pearson(12, 12).low, 1.0)
    assert limits(ours.score("wrong", "auroc")) == (0.0, clopper_pearson(0, 12).high)
    assert ours.score("right", "auroc").flags == ("fewer than 30 clusters with the rarer label (12)",)
    assert ours.score("right", "auprc").interval is None


def test_few_clusters_are_refused_by_label_but_the_brier_score_needs_only_clusters():
    scores = np.linspace(0, 1, 40)
    ours = bootstrap({"p": scores}, np.arange(40) < 4, np.arange(40), differences=[("p", "p")])
    assert ours.score("p", "auroc") == Refusal(reason="needs at least 5 clusters with a positive, has 4", n=40)
    assert ours.score("p", "auprc") == Refusal(reason="needs at least 5 clusters with a positive, has 4", n=40)
    assert ours.difference("p", "p", "auroc") == ours.score("p", "auroc")
    assert ours.score("p", "brier").interval is not None
    four = bootstrap({"p": scores}, np.arange(40) % 2, np.arange(40) % 4)
    assert four.score("p", "brier") == Refusal(reason="needs at least 5 clusters, has 4", n=40)
    nothing = bootstrap({"p": []}, [], [])
    assert {s.estimate for s in nothing.scores} == {Refusal(reason="no observations", n=0)}


def test_resamples_without_a_value_are_left_out_and_counted():
    rare = np.arange(60) < 5
    auprc_of_rare = bootstrap({"p": np.linspace(0, 1, 60)}, rare, np.arange(60), resamples=2000).score("p", "auprc")
    # (55/60)**60 of the resamples, .5 %, draw no positive.
    (lost,) = [int(flag.split()[0]) for flag in auprc_of_rare.flags if "resamples had nothing to compare" in flag]
    assert 1 <= lost <= 30


def test_only_the_scores_asked_for():
    predictions, labels, group, choices = sample(9)
    ours = bootstrap(predictions, labels, group, choices=choices, scores=["brier"])
    assert [(s.predictor, s.score) for s in ours.scores] == [("good", "brier"), ("weak", "brier")]
    # Other scores than probabilities may be ranked.
    ranked = bootstrap({"s": predictions["good"] * 9 - 4}, labels, group, scores=["auroc", "auprc"])
    assert limits(ranked.score("s", "auroc")) == pytest.approx(
        limits(bootstrap(predictions, labels, group).score("good", "auroc"))
    )


def test_misfits_are_errors():
    predictions, labels, group, choices = sample(9)
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        bootstrap({"p": predictions["good"] + 1}, labels, group)
    with pytest.raises(StatisticsError, match="length"):
        bootstrap({"p": predictions["good"][1:]}, labels, group)
    with pytest.raises(StatisticsError, match="nobody"):
        bootstrap(predictions, labels, group, differences=[("good", "nobody")])
    with pytest.raises(StatisticsError, match="needs choices"):
        bootstrap(predictions, labels, group, scores=["choice-matched-auroc"])
    with pytest.raises(StatisticsError, match="expected some of"):
        bootstrap(predictions, labels, group, scores=["accuracy"])
    with pytest.raises(StatisticsError, match="choices"):
        bootstrap(predictions, labels, group, choices=choices[1:])
