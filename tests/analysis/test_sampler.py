"""One random stream a figure."""

import numpy as np

from evenhand.analysis.sampler import Sampler

CLUSTERS = np.arange(40)
BASE = Sampler(clusters=CLUSTERS, seed=3, resamples=200, level=0.9, method="percentile")
HITS = (CLUSTERS % 3 == 0).astype(np.int64)


def test_streams_differ_by_seed_scope_and_name_and_by_nothing_else() -> None:
    def first(sampler: Sampler, name: str) -> int:
        return int(sampler.stream(name).integers(2**62))

    here = BASE.within("readout", "A/B")
    assert first(here, "flip_rate") == first(BASE.within("readout", "A/B"), "flip_rate")
    others = {
        first(here, "flip_rate"),
        first(here, "verdict_rate"),
        first(BASE.within("readout", "X/Y"), "flip_rate"),
        first(BASE.within("readoutA", "/B"), "flip_rate"),
        first(Sampler(clusters=CLUSTERS, seed=4, resamples=9, level=0.9, scope=here.scope), "flip_rate"),
    }
    assert len(others) == 5
    first(BASE.within("lone surrogate \ud800"), "flip_rate")


def test_pairs_without_a_denominator_bring_no_cluster() -> None:
    measure = (
        BASE.rate("r", HITS, (CLUSTERS < 12).astype(int), pairs=CLUSTERS, nothing="")
        if False
        else BASE.rate("r", HITS * (CLUSTERS < 12), (CLUSTERS < 12).astype(int), pairs=CLUSTERS, nothing="")
    )
    assert (measure.estimate.count, measure.estimate.n, measure.estimate.clusters) == (4, 12, 12)
    assert measure.estimate.interval.level == 0.9


def test_nothing_is_a_refusal_with_the_reason_given() -> None:
    none = np.zeros(40, dtype=int)
    assert BASE.rate("r", none, none, pairs=CLUSTERS, nothing="needs a flip").estimate.reason == "needs a flip"
    pair = (none, none)
    assert BASE.difference("d", (HITS, HITS), pair, pairs=CLUSTERS, nothing="why").estimate.reason == "why"


def test_auto_bootstraps_only_where_asked() -> None:
    auto = Sampler(clusters=CLUSTERS, seed=0, resamples=200, level=0.95)
    ones = np.ones(40, dtype=int)
    plain = auto.within("x").rate("r", HITS, ones, pairs=CLUSTERS, nothing="")
    resampled = auto.within("x", bootstrap=True).rate("r", HITS, ones, pairs=CLUSTERS, nothing="")
    assert "bootstrap" not in plain.estimate.interval.method
    assert "bootstrap" in resampled.estimate.interval.method
