"""Win rates after selective swapping, against a plain count, scipy's tau, and planted position bias."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from evenhand.errors import DataError
from evenhand.probes.triage_leaderboard import (
    Standing,
    _kendall,
    author_rows,
    authorship,
    leaderboard_errors,
    share_for_a,
)
from evenhand.records import Preference
from evenhand.stats import Refusal
from probes.triage_examples import triage_data

DATA = triage_data(300)
NAMES = ("ada", "bob", "cyd", "dee")
RNG = np.random.default_rng(8)
A, B = (RNG.integers(0, 4, 300) for _ in range(2))
AUTHORS = authorship([NAMES[i] for i in A], [NAMES[i] for i in B])
GOLD = [(Preference.A, Preference.B, Preference.TIE, None)[i % 4] for i in range(300)]
ALL, NONE = np.ones(300, dtype=bool), np.zeros(300, dtype=bool)
SOME = RNG.random(300) < 0.4


def errors(*ways, data=DATA, authors=AUTHORS, gold=GOLD):
    return leaderboard_errors(
        data, [Standing(policy=str(i), swapped=way) for i, way in enumerate(ways)], authors=authors, gold=gold, seed=0
    )


def slow_rates(swapped):
    """Win rates as a person would count them."""
    won, played = dict.fromkeys(NAMES, 0.0), dict.fromkeys(NAMES, 0)
    for i in range(300):
        first, second = NAMES[A[i]], NAMES[B[i]]
        if first == second:
            continue
        wins = 1.0 if DATA.choice_ab[i] == 0 else 0.0
        if swapped[i] and DATA.flips[i]:
            wins = 0.5
        won[first] += wins
        won[second] += 1 - wins
        played[first] += 1
        played[second] += 1
    return {name: won[name] / played[name] for name in NAMES}


def test_a_pair_counts_half_only_where_it_was_swapped_and_flipped():
    share = share_for_a(DATA, SOME)
    assert set(share[~SOME]) <= {0.0, 1.0}
    assert (share[SOME & DATA.flips] == 0.5).all()
    assert (share[SOME & ~DATA.flips] == (DATA.choice_ab[SOME & ~DATA.flips] == 0)).all()


def test_a_choice_by_chance_counts_as_the_mean_of_its_draws():
    rng = np.random.default_rng(2)
    draws = np.mean([share_for_a(DATA, rng.random(300) < 0.3) for _ in range(4000)], axis=0)
    assert share_for_a(DATA, np.full(300, 0.3)) == pytest.approx(draws, abs=0.02)
    for sure in (ALL, NONE):
        assert (share_for_a(DATA, sure.astype(float)) == share_for_a(DATA, sure)).all()
    by_chance = errors(np.full(300, 0.3))[0]
    assert by_chance.swapped == pytest.approx(0.3)
    # The mean error shrinks with the share that is swapped.
    assert by_chance.win_rate_a.value == pytest.approx(0.7 * errors(NONE)[0].win_rate_a.value)


def test_errors_are_those_of_a_plain_count():
    full, own, alone = (slow_rates(way) for way in (ALL, SOME, NONE))
    for found, rates in zip(errors(SOME, NONE), (own, alone), strict=True):
        gaps = [abs(rates[name] - full[name]) for name in NAMES]
        assert found.largest_error.value == pytest.approx(max(gaps))
        assert found.mean_error.value == pytest.approx(np.mean(gaps))
        tau = stats.kendalltau([rates[n] for n in NAMES], [full[n] for n in NAMES]).statistic
        assert found.kendall.value == pytest.approx(tau)
        for error in (found.largest_error, found.mean_error):
            assert error.interval.low <= error.value < error.interval.high


def test_swapping_everything_has_no_error():
    found = errors(ALL)[0]
    assert (found.largest_error.value, found.mean_error.value, found.kendall.value) == (0.0, 0.0, 1.0)
    assert (found.win_rate_a.value, found.accuracy.value, found.swapped) == (0.0, 0.0, 1.0)


def test_rows_of_authors_best_first():
    rows = author_rows(DATA, SOME, AUTHORS)
    full, own, alone = (slow_rates(way) for way in (ALL, SOME, NONE))
    assert [row.full for row in rows] == sorted(full.values(), reverse=True)
    for row in rows:
        assert (row.full, row.policy, row.order_ab) == pytest.approx(
            (full[row.author], own[row.author], alone[row.author])
        )
        assert row.error.value == pytest.approx(row.policy - row.full)
        assert row.error.interval.low < row.error.value < row.error.interval.high
    assert sum(row.pairs for row in rows) == 2 * int((A != B).sum())


def test_kendall_is_scipys_with_ties_and_in_blocks():
    rng = np.random.default_rng(1)
    own, full = rng.integers(0, 4, (2, 50, 7)).astype(float)
    expected = [stats.kendalltau(x, y).statistic for x, y in zip(own, full, strict=True)]
    assert _kendall(own, full) == pytest.approx(expected, nan_ok=True)
    assert np.isnan(_kendall(np.ones((1, 3)), full[:1, :3])).all()
    missing = [np.concatenate([np.full((50, 1), np.nan), rates[:, 1:]], axis=1) for rates in (own, full)]
    assert _kendall(*missing) == pytest.approx(_kendall(own[:, 1:], full[:, 1:]), nan_ok=True)


def test_aggregates_without_authors():
    nobody = authorship([None] * 300, ["", *[None] * 299])
    found = errors(NONE, authors=nobody)[0]
    assert found.largest_error.reason == found.kendall.reason == "no pair has two known, different authors"
    full, alone = share_for_a(DATA, ALL), share_for_a(DATA, NONE)
    assert found.win_rate_a.value == pytest.approx((alone - full).mean())
    a, b = np.arange(300) % 4 == 0, np.arange(300) % 4 == 1
    right = np.where(a, alone, 1 - alone)[a | b].mean() - np.where(a, full, 1 - full)[a | b].mean()
    assert found.accuracy.value == pytest.approx(right)
    assert found.accuracy.n == 150
    assert author_rows(DATA, NONE, nobody) == ()
    unknown = errors(NONE, gold=[None] * 300)[0].accuracy
    assert unknown == Refusal(reason="no pair has a decided gold preference", n=0)


def test_a_judge_locked_on_the_first_slot_is_caught_by_the_swapped_pairs():
    """Order AB always prefers A here: the flips are all in A's favour, and swapping them takes it away."""
    data = replace(DATA, choice_ab=np.zeros(300, dtype=np.int8))
    alone, oracle = errors(NONE, DATA.flips, data=data)
    assert alone.win_rate_a.value == pytest.approx(DATA.flips.mean() / 2)
    assert alone.win_rate_a.interval.low > 0
    assert oracle.win_rate_a.value == 0


def test_the_interval_of_the_largest_error_covers():
    """200 sets of 120 pairs: AB alone gives half of the flips to whoever is named A: always ada, never dee."""
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        data = replace(
            triage_data(120, per_group=1), choice_ab=np.zeros(120, dtype=np.int8), flips=rng.random(120) < 0.4
        )
        # The true errors are +.2 for ada, -.2 for dee and 0 for the others.
        a, b = rng.choice(["ada", "bob", "cyd"], 120), rng.choice(["bob", "cyd", "dee"], 120)
        who = authorship(a.tolist(), b.tolist())
        found = leaderboard_errors(
            data,
            [Standing(policy="AB", swapped=np.zeros(120, dtype=bool))],
            authors=who,
            gold=[None] * 120,
            seed=0,
            resamples=200,
        )[0].largest_error
        covered += found.interval.low <= 0.2 <= found.interval.high
    assert covered >= 186, "at least .93 of 200; the interval is conservative"


def test_rows_that_dont_fit():
    with pytest.raises(DataError, match="must each have 300 rows"):
        errors(NONE[:5])
    with pytest.raises(DataError, match="must each have 300 rows"):
        errors(NONE, gold=GOLD[:7])
