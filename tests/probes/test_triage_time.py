"""Net time by hand, with and without a plain run, and never from seconds that aren't known."""

import numpy as np
import pytest

from evenhand.errors import DataError
from evenhand.probes.triage_time import Overhead, PairSeconds, net_time
from evenhand.stats import Refusal

RNG = np.random.default_rng(2)
N = 60
AB, BA = RNG.uniform(1, 3, (2, N))
SWAPPED = np.arange(N) % 3 == 0
GROUPS = [f"q{i // 2}" for i in range(N)]
OVERHEAD = Overhead(writing=1.0, reading=0.5, scoring=0.25)


def timed(swapped=SWAPPED, overhead=OVERHEAD, **seconds):
    return net_time("p", swapped, GROUPS, PairSeconds(**({"ab": AB, "ba": BA} | seconds)), overhead, seed=0)


def test_seconds_are_added_up():
    found = timed(others=10.0)
    both, own = AB.sum() + BA.sum() + 10, AB.sum() + BA[SWAPPED].sum() + 10
    assert found.both_orders == pytest.approx(both)
    assert found.judging == pytest.approx(own)
    assert found.judging_saved.value == pytest.approx(1 - own / both)
    assert found.saved.value == pytest.approx(1 - (own + 1.75) / both)
    assert found.saved.interval.low < found.saved.value < found.saved.interval.high
    assert not found.plain


def test_a_plain_run_is_what_full_swapping_costs():
    plain_ab, plain_ba = 0.8 * AB, 0.8 * BA
    found = timed(plain_ab=plain_ab, plain_ba=plain_ba)
    both = plain_ab.sum() + plain_ba.sum()
    assert found.plain
    assert found.both_orders == pytest.approx(both)
    assert found.judging == pytest.approx(AB.sum() + plain_ba[SWAPPED].sum())
    assert found.saved.value == pytest.approx(1 - (found.judging + 1.75) / both)


def test_chance_saves_what_a_random_choice_would_in_the_mean():
    found = timed(others=10.0)
    rng = np.random.default_rng(5)
    kept = [BA[rng.permutation(N)[20:]].sum() for _ in range(4000)]
    assert found.chance_saved == pytest.approx(np.mean(kept) / (AB.sum() + BA.sum() + 10), abs=0.003)
    assert found.judgments_saved == pytest.approx(1 / 3)
    assert timed(ab=np.zeros(N), ba=np.zeros(N)).chance_saved is None


def test_extraction_can_cost_more_than_it_saves():
    found = timed(swapped=np.ones(N, dtype=bool))
    assert found.saved.value < 0
    assert found.judging_saved.value == pytest.approx(0)


def test_unknown_seconds_are_refused_not_guessed():
    some = BA.copy()
    some[:4] = np.nan
    refused = timed(ba=some)
    assert refused == Refusal(reason="the run doesn't tell the seconds of 4 of 60 pairs", n=4)
    assert isinstance(timed(ab=np.zeros(N), ba=np.zeros(N)).saved, Refusal)


def test_seconds_that_dont_fit():
    with pytest.raises(DataError, match="below 0"):
        timed(ab=-AB)
    with pytest.raises(DataError, match="must each have 60 rows"):
        timed(ab=AB[:5])
