"""Risk control against direct enumeration, slow references, and the properties that the guarantees rest on."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from evenhand.errors import StatisticsError
from evenhand.stats import RiskRule, control_risk
from evenhand.stats.risk_control import _BETS


def slow(scores, events, groups, *, alpha, largest_group, delta=None):
    """The largest feasible threshold among all scores, by the definitions, one threshold at a time."""
    names = sorted(set(groups))
    best = -math.inf
    for t in sorted(set(scores)):
        missed = [sum(e for s, e, g in zip(scores, events, groups, strict=True) if g == n and s < t) for n in names]
        total = [sum(e for e, g in zip(events, groups, strict=True) if g == n) for n in names]
        if not accepted(missed, total, alpha=alpha, largest=largest_group, delta=delta):
            return best
        best = t
    return best


def accepted(missed, total, *, alpha, largest, delta):
    exact = Fraction(str(alpha))
    if delta is None:
        losses = [m - exact * e for m, e in zip(missed, total, strict=True)]
        return sum(losses) + (1 - exact) * largest <= 0
    if largest == 1:
        return bool(stats.binom.cdf(sum(missed), sum(total), alpha) <= delta) if sum(total) else False
    capital = 0.0
    for bet, stake in _BETS:
        # X = (missed - alpha events + alpha largest) / largest lies in [0, 1]; the hypothesis is E[X] >= alpha.
        x = [(m - alpha * e + alpha * largest) / largest for m, e in zip(missed, total, strict=True)]
        capital += stake * math.prod(1 - bet / (1 - alpha) * (each - alpha) for each in x)
    return capital >= 1 / delta


@st.composite
def known(draw, *, most=3):
    sizes = draw(st.lists(st.integers(1, most), min_size=1, max_size=40))
    rows = sum(sizes)
    scores = draw(st.lists(st.integers(0, 12).map(float), min_size=rows, max_size=rows))
    events = draw(st.lists(st.booleans(), min_size=rows, max_size=rows))
    groups = [g for g, size in enumerate(sizes) for _ in range(size)]
    return scores, events, groups, max(sizes)


LEVELS = st.sampled_from([0.05, 0.1, 0.2, 0.35, 0.5])
DELTAS = st.sampled_from([None, 0.05, 0.2, 0.4])


@given(known(), LEVELS, DELTAS)
@settings(deadline=None)
def test_the_fast_choice_is_the_slow_one(data, alpha, delta):
    scores, events, groups, largest = data
    found = control_risk(scores, events, groups, alpha=alpha, largest_group=largest, delta=delta)
    slowly = slow(scores, events, groups, alpha=alpha, largest_group=largest, delta=delta)
    # The slow one looks at all rows' scores: between two events' scores the thresholds miss the same.
    same = [e and s < found.threshold for s, e in zip(scores, events, strict=True)]
    assert sum(same) == sum(e and s < slowly for s, e in zip(scores, events, strict=True))
    assert found.feasible == (slowly > -math.inf)
    assert found.threshold >= slowly or not any(
        e and found.threshold <= s < slowly for s, e in zip(scores, events, strict=True)
    )


@given(known(most=1), LEVELS)
def test_groups_of_one_are_split_conformal_given_the_event(data, alpha):
    scores, events, groups, _ = data
    found = control_risk(scores, events, groups, alpha=alpha, largest_group=1)
    exact, m = Fraction(str(alpha)), sum(events)
    # Label-conditional split conformal: the k-th smallest score of an event, k = floor(alpha (m + 1)).
    k = math.floor(exact * (m + 1))
    expected = sorted(s for s, e in zip(scores, events, strict=True) if e)[k - 1] if k else -math.inf
    assert found.threshold == expected
    assert not found.feasible or found.missed + 1 <= exact * (m + 1)


@given(known(), LEVELS, DELTAS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_and_the_names_of_groups_are_nothing(data, alpha, delta, random):
    scores, events, groups, largest = data
    rows = list(range(len(scores)))
    random.shuffle(rows)
    shuffled = control_risk(
        [scores[i] for i in rows],
        [events[i] for i in rows],
        [f"g{groups[i]}" for i in rows],
        alpha=alpha,
        largest_group=largest,
        delta=delta,
    )
    assert shuffled == control_risk(scores, events, groups, alpha=alpha, largest_group=largest, delta=delta)


@given(known(), LEVELS, DELTAS)
@settings(deadline=None)
def test_only_the_order_of_scores_counts(data, alpha, delta):
    scores, events, groups, largest = data
    plain = control_risk(scores, events, groups, alpha=alpha, largest_group=largest, delta=delta)
    bent = control_risk(
        [math.exp(s / 3) - 5 for s in scores], events, groups, alpha=alpha, largest_group=largest, delta=delta
    )
    assert bent.missed == plain.missed
    assert bent.caught_rows == plain.caught_rows
    assert bent.threshold == (math.exp(plain.threshold / 3) - 5 if plain.feasible else -math.inf)


@given(known(), DELTAS)
@settings(deadline=None)
def test_a_looser_level_never_looks_at_more(data, delta):
    scores, events, groups, largest = data
    thresholds = [
        control_risk(scores, events, groups, alpha=a, largest_group=largest, delta=delta).threshold
        for a in (0.05, 0.1, 0.2, 0.35, 0.5, 0.8)
    ]
    assert thresholds == sorted(thresholds)


@given(known(), LEVELS)
@settings(deadline=None)
def test_a_surer_or_a_wider_promise_never_looks_at_less(data, alpha):
    scores, events, groups, largest = data
    by_delta = [
        control_risk(scores, events, groups, alpha=alpha, largest_group=largest, delta=d).threshold
        for d in (0.02, 0.1, 0.3, 0.6)
    ]
    assert by_delta == sorted(by_delta)
    for delta in (None, 0.1):
        by_size = [
            control_risk(scores, events, groups, alpha=alpha, largest_group=largest + more, delta=delta).threshold
            for more in (6, 3, 1)
        ]
        assert by_size == sorted(by_size)


@pytest.mark.parametrize(
    ("alpha", "delta", "largest", "needed"),
    # Conformal: alpha (m + F) >= F. Binomial: (1 - alpha)^m <= delta, the "rule of three" at .05.
    [(0.05, None, 1, 19), (0.1, None, 1, 9), (0.1, None, 4, 36), (0.05, 0.05, 1, 59), (0.1, 0.1, 1, 22)],
)
def test_how_many_events_a_promise_takes(alpha, delta, largest, needed):
    def asked(events):
        rows = np.arange(events, dtype=float)
        return control_risk(rows, np.ones(events), rows, alpha=alpha, largest_group=largest, delta=delta)

    assert asked(needed).feasible
    assert asked(needed).missed == 0
    short = asked(needed - 1)
    assert not short.feasible
    assert short.threshold == -math.inf
    assert short.caught_rows == needed - 1
    assert f"at least {needed} events" in short.note
    assert f"has {needed - 1}" in short.note


def test_how_many_events_betting_takes_is_about_right():
    def asked(events):
        rows = np.arange(events)
        return control_risk(rows.astype(float), np.ones(events), rows // 2, alpha=0.1, largest_group=2, delta=0.1)

    said = int(asked(10).note.split("about ")[1].split()[0])
    least = next(n for n in range(2, 400) if asked(n).feasible)
    assert abs(said - least) <= 3


def test_no_rows_and_no_events_promise_nothing():
    empty = control_risk([], [], [], alpha=0.1, largest_group=1)
    assert (empty.feasible, empty.rows, empty.groups) == (False, 0, 0)
    for largest, delta in ((1, None), (1, 0.1), (3, 0.1)):
        nothing = control_risk([0.1, 0.5], [0, 0], [0, 1], alpha=0.1, largest_group=largest, delta=delta)
        assert not nothing.feasible
        assert "has" in nothing.note


def test_ties_are_looked_at_together():
    # 30 events at three scores: 2 may be missed of 30 at .1, but 10 share the lowest score.
    scores = np.repeat([1.0, 2.0, 3.0], 10)
    found = control_risk(scores, np.ones(30), np.arange(30), alpha=0.1, largest_group=1)
    assert (found.threshold, found.missed, found.caught_rows) == (1.0, 0, 30)


def test_which_rule_is_used():
    rows = np.arange(40.0)
    asked = [
        control_risk(rows, np.ones(40), np.arange(40), alpha=0.1, largest_group=f, delta=d).rule
        for f, d in ((1, None), (4, None), (1, 0.1), (2, 0.1))
    ]
    assert asked == [RiskRule.CONFORMAL, RiskRule.CONFORMAL, RiskRule.BINOMIAL, RiskRule.BETTING]


@pytest.mark.parametrize("shares", [{"alpha": 0.0}, {"alpha": 1.0}, {"alpha": 0.1, "delta": 0.0}])
def test_levels_outside_of_0_and_1(shares):
    with pytest.raises(StatisticsError, match="must lie between 0 and 1"):
        control_risk([1.0], [1], [0], largest_group=1, **shares)


def test_a_known_group_larger_than_the_largest():
    with pytest.raises(StatisticsError, match="largest_group is 1, but a known group has 2 rows"):
        control_risk([1.0, 2.0], [1, 0], ["a", "a"], alpha=0.1, largest_group=1)


def test_missing_scores_are_refused():
    with pytest.raises(StatisticsError, match="leave out missing entries"):
        control_risk([math.nan, 1.0], [1, 0], [0, 1], alpha=0.1, largest_group=1)


def test_conformal_in_expectation_by_enumeration():
    """Every sample of 4 + 1 groups from a small population: the expected misses are at most alpha of the events."""
    alpha = 0.35
    kinds = [((1.0, 1), (2.0, 1)), ((3.0, 1), (0.5, 0)), ((2.5, 0), (1.5, 1)), ((4.0, 1), (4.5, 1))]
    missed = events = 0
    for chosen in product(kinds, repeat=5):
        *calibration, new = chosen
        found = control_risk(
            [s for kind in calibration for s, _ in kind],
            [e for kind in calibration for _, e in kind],
            [g for g in range(4) for _ in range(2)],
            alpha=alpha,
            largest_group=2,
        )
        missed += sum(e for s, e in new if s < found.threshold)
        events += sum(e for _, e in new)
    assert 0 < missed / events <= alpha


def test_betting_is_at_least_as_good_as_hoeffding_and_bentkus_where_groups_are_uneven():
    """The check that the source recommends beside it; both are valid, betting allows more misses here."""
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(300), rng.integers(1, 5, 300))
    events = rng.random(len(groups)) < 0.35
    scores = events + rng.normal(size=len(groups))
    alpha, delta, largest = 0.2, 0.1, 4
    found = control_risk(scores, events, groups, alpha=alpha, largest_group=largest, delta=delta)
    missed = np.bincount(groups[events & (scores < found.threshold)], minlength=300)
    x = (missed - alpha * np.bincount(groups[events], minlength=300) + alpha * largest) / largest
    mean = x.mean()
    bentkus = math.e * stats.binom.cdf(math.ceil(300 * mean), 300, alpha)
    kl = mean * math.log(mean / alpha) + (1 - mean) * math.log((1 - mean) / (1 - alpha))
    assert found.missed > 0
    assert min(bentkus, math.exp(-300 * kl)) > delta, "the other bound would not have allowed so much"
