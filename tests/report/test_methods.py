from evenhand.report.methods import families, interval_methods, methods_line, resampled


def test_a_family_is_named_once_and_without_one_figure_s_numbers():
    made = [
        "Bonett–Price adjusted Wald at 12 effective pairs",
        "Wilson score at 13.59 effective observations, t with 11 df",
        "Wilson score, 11 clusters of one observation",
        "Clopper–Pearson at a rate of 1, each of 6 clusters as one trial",
    ]
    assert families(made) == families(reversed(made))
    assert [f.split()[0] for f in families(made)] == ["Wilson", "Clopper–Pearson", "Bonett–Price"]
    assert not any(character.isdigit() for f in families(made) for character in f.replace("of 0 or 1", ""))


def test_a_method_that_is_new_here_is_still_named():
    assert families(["jackknife, 9 clusters"]) == ("jackknife",)


def test_resamples_belong_to_a_bootstrap():
    bootstrap = families(["BCa cluster bootstrap, 48 clusters, 2,000 resamples"])
    assert bootstrap == ("BCa cluster bootstrap, 2,000 resamples",)
    assert resampled(bootstrap)
    assert not resampled(families(["Wilson score, n = 3"]))


def test_no_interval_no_line():
    assert methods_line([], level=0.95, clusters="source") == ""


def test_methods_of_a_whole_audit(audit):
    assert interval_methods(audit) == ("cluster bootstrap", "paired bootstrap")


def test_real_methods_are_known():
    """The names that evenhand.stats gives belong to the families here: a renamed method shows up as its own number."""
    import numpy as np

    from evenhand.stats import cluster_difference, cluster_rate

    rng = np.random.default_rng(1)
    clusters = np.arange(40)
    hits = (np.zeros(40), np.ones(40), rng.integers(0, 2, 40).astype(float))
    made = [cluster_rate(h, np.ones(40), clusters, rng=rng).interval.method for h in hits]
    ones = np.ones(40)
    for method in ("robust", "percentile"):
        estimate = cluster_difference(
            rng.integers(0, 2, 40).astype(float), ones, rng.integers(0, 2, 40).astype(float), ones, clusters,
            rng=rng, resamples=100, method=method,
        )  # fmt: skip
        made.append(estimate.interval.method)
    assert families(made) == (
        "Wilson score at the effective number of observations",
        "Clopper–Pearson at a rate of 0 or 1",
        "Bonett–Price adjusted Wald at the effective number of pairs for differences",
        "paired percentile cluster bootstrap, 100 resamples",
    )


def test_net_rates_are_told_from_other_differences():
    import numpy as np

    from evenhand.stats import cluster_net_rate

    made = cluster_net_rate(np.ones(9), np.ones(9), np.full(9, 4), np.arange(9), rng=np.random.default_rng(1))
    assert families([made.interval.method]) == (
        "Bonett–Price adjusted Wald at the effective number of verdicts for net rates",
    )
