"""Savings curves: flips found by margin in order AB, agreement by presentation, and what enters."""

import numpy as np
import pytest

from evenhand.analysis.displays import SavingsCurve, Spending
from evenhand.audits import audit_position
from evenhand.audits.savings_curve import FEWEST_FLIPS
from evenhand.records import Order, Outcome, Readout, Verdict, verdict_table
from evenhand.stats import Estimate

CODES = {"F": Outcome.FIRST, "S": Outcome.SECOND, "T": Outcome.TIE, "U": Outcome.UNPARSED}


def rows(pairs, readout, odds=None):
    """Outcomes such as "FS" a pair; log-odds (AB, BA) a pair."""
    return [
        Verdict(
            pair_id=f"p{i:03}",
            group=f"g{i}",
            source="s",
            gold=None,
            condition="c",
            readout=readout,
            order=order,
            repeat=0,
            outcome=CODES[codes[column]],
            log_odds=None if odds is None else odds[i][column],
        )
        for i, codes in enumerate(pairs)
        for column, order in enumerate(Order)
    ]


def curves(verdicts):
    result = audit_position(verdict_table(verdicts), resamples=200)
    return {(d.spending, d.readout): d for d in result.displays if isinstance(d, SavingsCurve)}


def example():
    """100 pairs whose margin in order AB grows with their number; the first 30 flip by the first token."""
    odds = [((i + 1) / 10, 3.0) for i in range(100)]
    first = ["FF" if i < 30 else "FS" for i in range(100)]
    written = ["FF" if i % 5 == 0 else "UF" if i == 99 else "FS" for i in range(100)]
    return odds, first, written


def test_flips_of_each_readout_by_margin():
    odds, first, written = example()
    made = curves(rows(first, Readout.FIRST_TOKEN, odds) + rows(written, Readout.GENERATED))
    own = made[Spending.SWAP, Readout.FIRST_TOKEN]
    assert (own.units, own.events, own.left_out) == (100, 30, 0)
    found = {round(p.share, 3): p.figure.value for p in own.points}
    assert found[0.15] == pytest.approx(0.5)
    assert found[0.3] == 1.0
    assert own.points[0].margin == pytest.approx(0.5)
    other = made[Spending.SWAP, Readout.GENERATED]
    assert (other.units, other.events) == (99, 20)
    assert {round(p.share, 2): p.figure.value for p in other.points}[0.51] == pytest.approx(10 / 20)


def test_agreement_with_text_by_presentation():
    odds, first, written = example()
    made = curves(rows(first, Readout.FIRST_TOKEN, odds) + rows(written, Readout.GENERATED))
    curve = made[Spending.TEXT, Readout.GENERATED]
    differing = sum(a[c] != b[c] for a, b in zip(first, written, strict=True) for c in (0, 1) if b[c] != "U")
    assert (curve.units, curve.events) == (199, differing)
    start, *_ = curve.points
    assert start.share == 0.0
    assert start.figure.value == pytest.approx(1 - differing / 199)
    values = [p.figure.value for p in curve.points]
    assert values == sorted(values)
    assert all(isinstance(p.figure, Estimate) and p.figure.interval is not None for p in curve.points)


def test_pairs_without_log_odds_are_left_out_not_sure():
    odds, first, _ = example()
    censored = [(None if i < 10 else ab, ba) for i, (ab, ba) in enumerate(odds)]
    made = curves(rows(first, Readout.FIRST_TOKEN, censored))[Spending.SWAP, Readout.FIRST_TOKEN]
    assert (made.units, made.events, made.left_out) == (90, 20, 10)


def test_few_flips_are_refused_and_no_difference_says_so():
    odds, *_ = example()
    few = ["FF" if i < FEWEST_FLIPS - 1 else "FS" for i in range(100)]
    made = curves(rows(few, Readout.FIRST_TOKEN, odds) + rows(few, Readout.GENERATED))
    swap = made[Spending.SWAP, Readout.FIRST_TOKEN]
    assert swap.points == ()
    assert swap.refusal.reason == "needs at least 10 flips of pairs with log-odds, has 9"
    assert "never differ" in made[Spending.TEXT, Readout.GENERATED].refusal.reason


def test_no_log_odds_no_curve_and_a_random_margin_finds_flips_at_random():
    _, first, _ = example()
    assert curves(rows(first, Readout.FIRST_TOKEN)) == {}
    rng = np.random.default_rng(0)
    pairs = ["FF" if rng.random() < 0.4 else "FS" for _ in range(2000)]
    odds = [(float(rng.normal()), 1.0) for _ in range(2000)]
    made = curves(rows(pairs, Readout.FIRST_TOKEN, odds))[Spending.SWAP, Readout.FIRST_TOKEN]
    assert [p.figure.value for p in made.points] == pytest.approx([p.share for p in made.points], abs=0.05)
