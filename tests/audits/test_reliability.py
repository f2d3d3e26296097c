"""Reliability: bins of equal size, who enters, and that the names of the two responses don't matter."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.analysis.displays import Reliability
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.reliability import BIN_PAIRS, FEWEST_PAIRS, equal_bins
from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, Refusal


def rows(odds, gold, *, readout=Readout.FIRST_TOKEN, compliant=True):
    """Log-odds of the first slot in order AB and BA, a pair each; None is censored or, with gold, not asked."""
    return [
        Verdict(
            pair_id=f"p{i}",
            group=f"g{i}",
            source="s",
            gold=gold[i],
            condition="c",
            readout=readout,
            order=order,
            repeat=0,
            outcome=Outcome.UNPARSED if x is None else Outcome.FIRST if x > 0 else Outcome.SECOND,
            compliant=compliant,
            log_odds=x,
        )
        for i, both in enumerate(odds)
        for order, x in zip(Order, both, strict=True)
    ]


def found(verdicts, **options):
    result = audit_position(verdict_table(verdicts), resamples=200, **options)
    made = [display for display in result.displays if isinstance(display, Reliability)]
    return made[0] if made else None


def random_pairs(count, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.normal(0, 1.5, count)
    odds = [(t + e, -t + f) for t, e, f in zip(true, rng.normal(0, 0.5, count), rng.normal(0, 0.5, count), strict=True)]
    gold = [Preference.A if rng.random() < 1 / (1 + math.exp(-t)) else Preference.B for t in true]
    return odds, gold


def by_hand(odds, gold):
    """(confidence, right) of every pair."""
    for (ab, ba), preference in zip(odds, gold, strict=True):
        p = (1 / (1 + math.exp(-ab)) + 1 / (1 + math.exp(ba))) / 2
        yield max(p, 1 - p), (p > 0.5) == (preference is Preference.A)


def test_bins_by_hand():
    odds, gold = random_pairs(100)
    made = found(rows(odds, gold))
    ordered = sorted(by_hand(odds, gold))
    assert [b.right.n for b in made.bins] == [20] * 5
    for number, b in enumerate(made.bins):
        own = ordered[20 * number : 20 * number + 20]
        assert b.confidence == pytest.approx(np.mean([c for c, _ in own]), abs=1e-6)
        assert b.right.count == sum(right for _, right in own)
        assert (b.low, b.high) == pytest.approx((own[0][0], own[-1][0]), abs=1e-6)
    assert made.error.value == pytest.approx(
        sum(abs(b.confidence - b.right.value) * b.right.n for b in made.bins) / 100, abs=1e-6
    )
    assert made.overconfidence.value == pytest.approx(np.mean([c - right for c, right in ordered]), abs=1e-6)
    assert (made.pairs, made.averaged, made.compliance.value) == (100, True, 1.0)


def test_the_names_of_the_responses_do_not_matter():
    odds, gold = random_pairs(80, seed=1)
    other = [Preference.B if g is Preference.A else Preference.A for g in gold]
    # The other response shown first: order AB of one naming is order BA of the other.
    exchanged = found(rows([(ba, ab) for ab, ba in odds], other))
    made = found(rows(odds, gold))
    assert [b.right.count for b in exchanged.bins] == [b.right.count for b in made.bins]
    assert [b.confidence for b in exchanged.bins] == pytest.approx([b.confidence for b in made.bins], abs=1e-6)


def test_censored_ties_and_even_pairs_are_left_out_and_counted():
    odds, gold = random_pairs(60, seed=2)
    more = [(None, -1.0), (1.0, None), (2.0, -2.0), (1.0, 1.0), (5.0, -5.0)]
    marks = [Preference.A, Preference.B, Preference.TIE, Preference.A, None]
    made = found(rows([*odds, *more], [*gold, *marks]))
    assert (made.pairs, made.without_log_odds, made.gold_tie, made.even) == (60, 2, 1, 1)
    plain = found(rows(odds, gold))
    assert [b.right.count for b in made.bins] == [b.right.count for b in plain.bins]


def test_too_few_pairs_are_refused_and_have_no_bin():
    odds, gold = random_pairs(FEWEST_PAIRS - 1)
    made = found(rows(odds, gold))
    assert made.error == Refusal(reason="needs at least 40 pairs with gold for one response and log-odds, has 39", n=39)
    assert made.bins == ()
    assert isinstance(made.overconfidence, Estimate)
    one_group = [replace(row, group="g") for row in rows(*random_pairs(60))]
    assert found(one_group).error.reason.startswith("needs at least 5 clusters")


def test_no_gold_no_log_odds_and_no_scored_readout_make_none():
    odds, gold = random_pairs(50)
    assert found(rows(odds, [None] * 50)) is None
    assert found(rows([(None, None)] * 50, gold)) is None
    assert found(rows(odds, gold, readout=Readout.GENERATED)) is None


def test_one_order_is_read_as_it_is():
    odds, gold = random_pairs(60, seed=3)
    one = [row for row in rows(odds, gold) if row.order is Order.AB]
    made = found(one, orders="single")
    assert (made.averaged, made.pairs) == (False, 60)
    right = sum((ab > 0) == (g is Preference.A) for (ab, _), g in zip(odds, gold, strict=True))
    assert sum(b.right.count for b in made.bins) == right


@given(st.lists(st.sampled_from([0.5, 0.6, 0.7, 0.8, 1.0]), min_size=1, max_size=200), st.integers(1, 10))
def test_equal_values_are_never_parted_and_bins_are_in_order(values, count):
    array = np.array(values)
    which = equal_bins(array, count)
    assert set(which.tolist()) == set(range(which.max() + 1))
    assert which.max() < count
    for value in set(values):
        assert len(set(which[array == value].tolist())) == 1
    assert np.all(np.diff(which[np.argsort(array, kind="stable")]) >= 0)


def test_distinct_values_fill_bins_evenly():
    sizes = np.bincount(equal_bins(np.random.default_rng(0).random(10 * BIN_PAIRS), 10))
    assert sizes.min() >= BIN_PAIRS - 1
    assert sizes.max() <= BIN_PAIRS + 1


def test_scopes_of_a_table_keep_their_rows():
    odds, gold = random_pairs(45)
    assert len(widen(verdict_table(rows(odds, gold))).scopes[0].pairs) == 45


def test_an_interrupted_run_of_few_pairs_is_refused_without_a_warning():
    asked = rows([(1.0, -1.0), (2.0, None), (-0.5, None)], [Preference.A, Preference.B, Preference.A])
    made = found([row for row in asked if row.log_odds is not None])  # warnings are errors here
    assert (made.pairs, made.without_log_odds, made.bins) == (1, 2, ())
    assert isinstance(made.error, Refusal)
