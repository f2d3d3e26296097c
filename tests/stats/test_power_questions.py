import pytest

from evenhand.errors import StatisticsError
from evenhand.stats.power_questions import (
    HalfWidth,
    MeanShift,
    PairedRates,
    PowerSize,
    RateAgainst,
    cluster_size_of,
    design_effect,
)


def test_design_effect_by_kish() -> None:
    assert design_effect(20, 0.3) == pytest.approx(6.7)
    assert design_effect(1, 0.9) == 1.0


def test_a_size_counts_clusters_and_independent_pairs() -> None:
    size = PowerSize(pairs=100, cluster_size=20, deff=6.7)
    assert (size.clusters, size.alone) == (5, False)
    assert size.effective == pytest.approx(14.925, abs=1e-3)
    assert PowerSize(pairs=7, cluster_size=1, deff=1).alone


def test_the_cluster_size_is_the_one_given_or_what_the_design_effect_needs() -> None:
    assert cluster_size_of(20, 6.7) == 20
    assert cluster_size_of(None, 6.7) == 6.7
    assert cluster_size_of(None, 0.8) == 1.0
    with pytest.raises(StatisticsError, match="no design effect above it, has 5 and"):
        cluster_size_of(5, 6.7)


@pytest.mark.parametrize("made", [RateAgainst, HalfWidth, PairedRates, MeanShift])
def test_a_question_needs_a_share_or_a_spread(made: type) -> None:
    (name,) = made.__dataclass_fields__  # type: ignore[attr-defined]
    with pytest.raises(StatisticsError):
        made(**{name: 0.0})
    assert getattr(made(**{name: 0.4}), name) == 0.4
