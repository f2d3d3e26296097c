from random import Random
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats.alpha import AlphaLevel, _of_coincidences, alpha_of_counts, krippendorff_alpha
from evenhand.stats.results import Estimate


def alpha(ratings, **options):
    return krippendorff_alpha(ratings, rng=np.random.default_rng(0), resamples=200, **options)


def by_coincidences(ratings):
    """Nominal alpha from its definition: observed over expected disagreement of pairable labels."""
    items = [[label for label in item if label is not None] for item in zip(*ratings, strict=True)]
    items = [item for item in items if len(item) > 1]
    pooled = [label for item in items for label in item]
    apart = sum(sum(a != b for a in item for b in item) / (len(item) - 1) for item in items)
    expected = sum(a != b for a in pooled for b in pooled) / (len(pooled) - 1)
    return 1 - apart / expected if expected else None


LABELS = st.sampled_from(["A", "B", "tie", None])


@given(
    ratings=st.integers(6, 15).flatmap(
        lambda n: st.lists(st.lists(LABELS, min_size=n, max_size=n), min_size=3, max_size=3)
    )
)
@settings(deadline=None, max_examples=40)
def test_nominal_alpha_is_its_definition(ratings):
    estimate = alpha(ratings)
    if isinstance(estimate, Estimate):
        assert estimate.value == pytest.approx(by_coincidences(ratings))


def test_names_of_labels_and_order_of_raters_and_items_do_not_matter():
    rng = np.random.default_rng(1)
    ratings = rng.choice([0, 1, 2], size=(3, 40)).tolist()
    order = rng.permutation(40)
    renamed = [[("x", "y", "z")[row[i]] for i in order] for row in reversed(ratings)]
    assert alpha(renamed).value == pytest.approx(alpha(ratings).value)


def test_ordinal_alpha_forgives_neighbours():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 5, 80)
    near = np.clip(truth + rng.integers(-1, 2, 80), 0, 4)
    ratings = [truth.tolist(), near.tolist()]
    assert alpha(ratings, measurement="ordinal", values=range(5)).value > alpha(ratings).value + 0.3
    with pytest.raises(StatisticsError, match="in their order"):
        alpha(ratings, measurement="ordinal")


def test_items_of_one_cluster_are_drawn_together():
    rng = np.random.default_rng(3)
    block = rng.integers(0, 2, size=(2, 12))
    same = np.repeat(block, 10, axis=1).tolist()
    clustered = alpha(same, clusters=np.repeat(np.arange(12), 10))
    alone = alpha(same)
    assert clustered.value == alone.value
    assert clustered.clusters == 12
    ratio = (clustered.interval.high - clustered.interval.low) / (alone.interval.high - alone.interval.low)
    assert ratio > 2


def test_too_little_is_refused():
    assert alpha([["A", None], [None, "B"]]).reason == "no item has two labels"
    assert alpha([["A"] * 3, ["A", "B", "A"]]).reason == "needs at least 5 clusters, has 3"
    assert alpha([["A"] * 9, ["A"] * 9]).reason == "alpha is undefined: all labels are one and the same"


def test_perfect_agreement_has_no_interval_of_no_width():
    estimate = alpha([["A", "B"] * 20, ["A", "B"] * 20])
    assert (estimate.value, estimate.interval) == (1.0, None)
    assert "no resample differs: no interval" in estimate.flags


def test_a_callers_mistake_is_an_error():
    with pytest.raises(StatisticsError, match="one entry for each item"):
        alpha([["A"], ["A", "B"]])
    with pytest.raises(StatisticsError, match="is none of"):
        alpha([["A", "C"], ["A", "B"]], values=["A", "B"])
    with pytest.raises(StatisticsError, match="clusters must have one entry"):
        alpha([["A", "B"], ["A", "B"]], clusters=[0])


@given(
    st.lists(st.lists(st.sampled_from([None, 0, 1, 2]), min_size=8, max_size=8), min_size=2, max_size=6),
    st.sampled_from(["nominal", "ordinal"]),
    st.randoms(use_true_random=False),
)
def test_whose_labels_they_are_does_not_enter(
    ratings: list[list[int | None]], measurement: AlphaLevel, random: Random
) -> None:
    # Each item's labels are dealt to raters anew: as from thousands of raters with a label each, in fewer rows.
    dealt = [random.sample(list(column), len(column)) for column in zip(*ratings, strict=True)]
    shuffled = [list(row) for row in zip(*dealt, strict=True)]
    counts = np.array([[column.count(value) for value in range(3)] for column in zip(*ratings, strict=True)])

    def options() -> dict[str, Any]:
        return {"rng": np.random.default_rng(0), "measurement": measurement, "resamples": 100}

    found = krippendorff_alpha(ratings, values=(0, 1, 2), **options())
    assert krippendorff_alpha(shuffled, values=(0, 1, 2), **options()) == found
    assert alpha_of_counts(counts, **options()) == found


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 3).filter(lambda own: sum(own) > 1), min_size=2, max_size=12),
    st.sampled_from(["nominal", "ordinal"]),
)
def test_a_resample_from_coincidences_is_the_librarys_alpha(
    counts: list[tuple[int, int, int]], measurement: AlphaLevel
) -> None:
    table = np.array(counts)
    assume(np.count_nonzero(table.sum(axis=0)) > 1)
    own = table[:, :, None] * table[:, None, :] - table[:, :, None] * np.eye(3)
    coincidences = (own / (table.sum(axis=1) - 1)[:, None, None]).sum(axis=0)
    library = krippendorff.alpha(value_counts=table, value_domain=[0, 1, 2], level_of_measurement=measurement)
    assert _of_coincidences(coincidences, measurement) == pytest.approx(library, abs=1e-9)
