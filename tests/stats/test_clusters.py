import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import StatisticsError
from evenhand.stats.clusters import cluster_codes, cluster_flags, refuse_few_clusters, total_by_cluster


def by_hand(clusters, columns, keep):
    """Totals by a plain loop: {cluster: [sums]} → sorted list of kept totals."""
    sums = {}
    for i, cluster in enumerate(clusters):
        row = sums.setdefault(cluster, [0.0] * len(columns))
        for j, column in enumerate(columns):
            row[j] += column[i]
    return sorted(tuple(row) for row in sums.values() if any(row[j] for j in keep))


@given(
    rows=st.lists(st.tuples(st.integers(-5, 5), st.integers(0, 4), st.integers(0, 2)), max_size=60),
    scale=st.sampled_from([1.0, 0.25, 1e12]),
    name=st.sampled_from([int, str, float, lambda c: ("source", c), lambda c: c * 10**9]),
)
@settings(deadline=None, max_examples=80)
def test_totals_agree_with_a_plain_loop(rows, scale, name):
    clusters = [name(row[0]) for row in rows]
    columns = [np.array([row[i] * scale for row in rows], dtype=float) for i in (1, 2)]
    totals = total_by_cluster(cluster_codes(clusters), columns, contributes=[1])
    ours = [tuple(t) for t, m in zip(totals.totals, totals.copies, strict=True) for _ in range(m)]
    assert ours == by_hand(clusters, columns, keep=[1])
    assert len({tuple(t) for t in totals.totals}) == len(totals.totals)


def test_one_and_the_string_one_are_two_clusters():
    assert cluster_codes([1, "1", 1]).size == 2


def test_none_is_a_column_of_ones():
    totals = total_by_cluster(cluster_codes([0, 0, 7]), [np.array([1.0, 0.0, 1.0]), None], contributes=[1])
    assert totals.totals.tolist() == [[1, 1], [1, 2]]
    assert totals.clusters == 2


def test_clusters_in_two_dimensions_are_an_error():
    with pytest.raises(StatisticsError, match="one dimension"):
        cluster_codes(np.zeros((2, 2)))


def test_limits_of_few_clusters():
    assert refuse_few_clusters(3, n=9).reason == "needs at least 5 clusters, has 3"
    assert refuse_few_clusters(5, n=9) is None
    assert cluster_flags(12) == ("fewer than 30 clusters (12)",)
    assert cluster_flags(30) == ()
