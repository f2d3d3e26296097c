"""How often a report names one of several differences where none is there, by how few clusters there are."""

import numpy as np
import pytest

from evenhand.report.several import clear_of_zero
from evenhand.stats import Estimate, cluster_difference

pytestmark = pytest.mark.simulation

LOOKS, RUNS = 8, 600


def differences(clusters: int, size: int, rng: np.random.Generator) -> list[tuple[int, Estimate]]:
    """Two rates of one half, each of which goes its own way in every cluster."""
    names = np.repeat(np.arange(clusters), size)
    made = []
    for look in range(LOOKS):
        lean = rng.normal(0, 1.5, clusters)[names]
        first, second = (rng.normal(size=names.size) + way * lean > 0 for way in (1, -1))
        estimate = cluster_difference(first, None, second, None, names, rng=rng)
        assert isinstance(estimate, Estimate)
        made.append((look, estimate))
    return made


@pytest.mark.parametrize(("clusters", "size", "most"), [(6, 10, 0.1), (12, 8, 0.06), (30, 4, 0.07)])
def test_where_no_difference_is_there_few_are_named(clusters: int, size: int, most: float) -> None:
    named = plain = 0
    for rng in np.random.default_rng(20261202).spawn(RUNS):
        found = differences(clusters, size, rng)
        named += bool(clear_of_zero(found))
        plain += any(e.interval is not None and not e.interval.low <= 0 <= e.interval.high for _, e in found)
    assert named / RUNS <= most
    assert plain / RUNS > 0.2  # which is what plain intervals do
