"""Probability-weighted preference: by hand, against scikit-learn, and under exchange of the two responses."""

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from audits.tables import only, rate, reason, value
from evenhand.analysis import AuditResult, Finding, FindingKind
from evenhand.analysis.measures import measure_info
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.probability import DECISIVE, preferences_of
from evenhand.judges.simulated import simulate_audit_table
from evenhand.records import Order, Outcome, Preference, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, Refusal

Odds = tuple[float | None, float | None]


def logit(p: float) -> float:
    return math.log(p / (1 - p))


def rows(
    pairs: Mapping[str, Odds],
    *,
    gold: Mapping[str, Preference] | None = None,
    mass: float | None = 0.9,
    readout: Readout = Readout.FIRST_TOKEN,
    groups: Mapping[str, str] | None = None,
) -> list[Verdict]:
    """Presentations with given log-odds of the first slot in order AB and in BA; None: censored."""
    return [
        Verdict(
            pair_id=pair,
            group=(groups or {}).get(pair, pair),
            source="s",
            gold=(gold or {}).get(pair),
            condition="c",
            readout=readout,
            order=order,
            repeat=0,
            outcome=outcome_of(odds),
            log_odds=odds,
            mass=None if odds is None else mass,
        )
        for pair, both in pairs.items()
        for order, odds in zip(Order, both, strict=True)
    ]


def outcome_of(odds: float | None) -> Outcome:
    if odds is None or odds == 0:
        return Outcome.UNPARSED
    return Outcome.FIRST if odds > 0 else Outcome.SECOND


def audit(verdicts: list[Verdict]) -> AuditResult:
    return audit_position(verdict_table(verdicts), resamples=100)


def found(verdicts: list[Verdict]) -> Finding:
    return only(audit(verdicts), FindingKind.PROBABILITY)


# p(first) in AB and in BA; gold. p(A) is then (first, 1 - second).
HAND = {
    "p0": (0.9, 0.2, Preference.A),  # .9, .8: A twice
    "p1": (0.8, 0.6, Preference.A),  # .8, .4: a flip whose average, .6, is decisive
    "p2": (0.6, 0.9, Preference.A),  # .6, .1: a flip whose average, .35, is decisive and wrong
    "p3": (0.3, 0.7, Preference.B),  # .3, .3: B twice
    "p4": (0.7, 0.65, Preference.B),  # .7, .35: a flip, .525
    "p5": (0.4, 0.1, Preference.B),  # .4, .9: a lock to the second slot, .65
}


def by_hand() -> list[Verdict]:
    odds = {name: (logit(ab), logit(ba)) for name, (ab, ba, _) in HAND.items()}
    return rows(odds, gold={name: gold for name, (_, _, gold) in HAND.items()})


def test_by_hand() -> None:
    finding = found(by_hand())
    assert finding.pairs == 6
    assert value(finding, "label_mass") == pytest.approx(0.9)
    # p(A) in AB minus p(A) in BA: .1 .4 .5 0 .35 -.5
    assert value(finding, "probability_shift") == pytest.approx(0.85 / 6)
    assert value(finding, "probability_shift_absolute") == pytest.approx(1.85 / 6)
    # Averages .85 .6 .35 .3 .525 .65, gold A A A B B B: right are p0, p1, p3.
    assert rate(finding, "averaged_accuracy") == (3, 6)
    assert rate(finding, "single_accuracy_ab") == (5, 6)  # .9 .8 .6 .3 .7 .4
    assert rate(finding, "single_accuracy_ba") == (3, 6)  # .8 .4 .1 .3 .35 .9
    assert value(finding, "averaged_accuracy_gain") == pytest.approx(3 / 6 - 8 / 12)
    assert reason(finding, "agreeing_accuracy").startswith("needs at least 5 clusters")
    # Flips p1, p2, p4, p5; decisive p1, p2, p5; of these right: p1.
    assert dict(finding.table)["flips"] == 4
    assert dict(finding.table)["decisive flips"] == 3
    assert dict(finding.table)["averaged preference A"] == 4
    assert isinstance(finding.measure("decisive_flip_rate"), Refusal)


def test_scores_agree_with_scikit_learn() -> None:
    finding = found(by_hand())
    gold = [gold is Preference.A for _, _, gold in HAND.values()]
    p_ab = [ab for ab, _, _ in HAND.values()]
    p_ba = [1 - ba for _, ba, _ in HAND.values()]
    mean = [(ab + ba) / 2 for ab, ba in zip(p_ab, p_ba, strict=True)]
    for name, p in (("single_{}_ab", p_ab), ("single_{}_ba", p_ba), ("averaged_{}", mean)):
        assert value(finding, name.format("brier")) == pytest.approx(brier_score_loss(gold, p), rel=1e-6)
        assert value(finding, name.format("log_loss")) == pytest.approx(log_loss(gold, p), rel=1e-6)
    for score in ("brier", "log_loss"):
        singles = (value(finding, f"single_{score}_ab") + value(finding, f"single_{score}_ba")) / 2
        gain = value(finding, f"averaged_{score}") - singles
        assert value(finding, f"averaged_{score}_gain") == pytest.approx(gain)
        assert gain < 0
    larger = [*by_hand(), *(replace(v, pair_id=f"{v.pair_id}x", group=f"{v.group}x") for v in by_hand())]
    assert value(found(larger), "averaged_auroc") == pytest.approx(roc_auc_score(gold, mean))


def test_enough_pairs_get_intervals_and_the_small_shares() -> None:
    many = [replace(v, pair_id=f"{v.pair_id}-{k}", group=f"{v.group}-{k}") for k in range(8) for v in by_hand()]
    finding = found(many)
    assert rate(finding, "agreeing_accuracy") == (16, 16)
    assert rate(finding, "decisive_flip_rate") == (24, 32)
    assert rate(finding, "decisive_flip_accuracy") == (8, 24)
    for name in ("probability_shift", "averaged_brier", "averaged_log_loss_gain", "averaged_auroc", "low_mass_rate"):
        estimate = finding.measure(name)
        assert isinstance(estimate, Estimate)
        assert estimate.interval is not None
        assert estimate.interval.low <= estimate.value <= estimate.interval.high
    gain = finding.measure("averaged_brier_gain")
    assert isinstance(gain, Estimate)
    assert gain.interval is not None
    assert "percentile cluster bootstrap" in gain.interval.method


def test_censored_pairs_are_left_out_and_counted_never_even() -> None:
    odds: dict[str, Odds] = {f"p{i}": (1.0, -1.0) for i in range(6)}
    both = found(rows(odds))
    finding = found(rows({**odds, "q0": (None, 2.0), "q1": (None, None)}))
    assert finding.pairs == 6
    assert finding.presentations == 13
    for name in ("probability_shift", "probability_shift_absolute"):
        assert finding.measure(name) == both.measure(name)
    (note,) = [n for n in finding.notes if n.startswith("Not in the averages")]
    assert "2 of 8 pairs" in note
    assert "unparsed 3" in note


def test_exactly_even_is_undecided_neither_right_nor_wrong() -> None:
    # The one is even on average, the other in order AB alone: neither enters an accuracy, and both are counted.
    odds: dict[str, Odds] = {f"p{i}": (1.0, -2.0) for i in range(5)} | {"even": (3.0, 3.0), "half": (0.0, -2.0)}
    finding = found(rows(odds, gold=dict.fromkeys(odds, Preference.A)))
    assert rate(finding, "averaged_accuracy") == (5, 5)
    assert any("2 of 7 pairs" in n and "exactly even" in n for n in finding.notes)
    # They are pairs like any other in the shift and in the scores.
    brier = finding.measure("averaged_brier")
    assert isinstance(brier, Estimate)
    assert brier.n == 7


def test_extreme_odds_make_no_infinite_loss_and_no_warning() -> None:
    odds: dict[str, Odds] = {f"p{i}": (800.0, -800.0) for i in range(5)}
    finding = found(rows(odds, gold=dict.fromkeys(odds, Preference.B)))
    assert value(finding, "averaged_log_loss") == pytest.approx(800)
    assert value(finding, "averaged_brier") == 1
    assert rate(finding, "averaged_accuracy") == (0, 5)


def test_little_mass_is_flagged() -> None:
    odds: dict[str, Odds] = {f"p{i}": (1.0, -1.0) for i in range(6)}
    finding = found([*rows(odds, mass=0.2)])
    assert rate(finding, "low_mass_rate") == (12, 12)
    assert any("less than half of the probability" in n for n in finding.notes)
    assert not any("less than half" in n for n in found(rows(odds, mass=0.6)).notes)


def test_a_tie_label_is_left_out_and_said() -> None:
    odds: dict[str, Odds] = {f"p{i}": (1.0, -1.0) for i in range(6)}
    verdicts = rows(odds)
    tied = [replace(v, outcome=Outcome.TIE) if v.pair_id == "p0" else v for v in verdicts]
    finding = found(tied)
    assert finding.measure("probability_shift") == found(verdicts).measure("probability_shift")
    assert any("2 of 12 presentations" in n and "tie label" in n for n in finding.notes)


def test_gold_ties_enter_no_accuracy() -> None:
    odds: dict[str, Odds] = {f"p{i}": (1.0, -1.0) for i in range(6)}
    finding = found(rows(odds, gold=dict.fromkeys(odds, Preference.TIE)))
    assert reason(finding, "averaged_accuracy").startswith("needs a pair with a gold side")
    assert reason(finding, "averaged_auroc").startswith("needs a pair with a gold side")
    assert any("gold tie" in n for n in finding.notes)


def test_only_scored_readouts_with_both_orders_have_it() -> None:
    odds: dict[str, Odds] = {f"p{i}": (1.0, -1.0) for i in range(6)}
    unscored: dict[str, Odds] = {f"p{i}": (None, None) for i in range(6)}
    prefilled = rows(odds, readout=Readout.PREFILLED)
    hybrid = rows(odds, readout=Readout.HYBRID)
    result = audit([*rows(odds), *prefilled, *hybrid, *rows(unscored, readout=Readout.GENERATED)])
    assert [f.readout for f in result.select(FindingKind.PROBABILITY)] == [Readout.FIRST_TOKEN, Readout.PREFILLED]
    one_order = [v for v in rows(odds) if v.order is Order.AB]
    assert audit(one_order).select(FindingKind.PROBABILITY) == ()


def test_every_measure_is_described() -> None:
    for measure in found(by_hand()).measures:
        assert measure_info(measure.name).definition


finite = st.floats(-30, 30, width=32).filter(lambda x: abs(x) > 1e-3)


@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=12))
def test_exchanging_the_responses_maps_p_to_its_rest(both: list[tuple[float, float]]) -> None:
    """Swapping A and B makes order AB order BA: averages turn to 1 - p, shifts keep size and sign."""
    odds = {f"p{i:02d}": pair for i, pair in enumerate(both)}
    swapped = {name: (ba, ab) for name, (ab, ba) in odds.items()}
    one, other = (preferences_of(widen(verdict_table(rows(o))).scopes[0]) for o in (odds, swapped))
    np.testing.assert_allclose(other.averaged, 1 - one.averaged, atol=1e-12)
    np.testing.assert_allclose(other.shift, one.shift, atol=1e-12)
    np.testing.assert_array_equal(other.side, -one.side)


@given(finite, finite)
def test_a_flip_is_never_a_quarter_from_even(ab: float, ba: float) -> None:
    """The reason why decisive is .1 and not .25."""
    made = preferences_of(widen(verdict_table(rows({"p": (ab, ba)}))).scopes[0])
    distance = abs(made.averaged[0] - 0.5)
    if (ab > 0) == (ba > 0):
        assert distance <= 0.25
    assert np.sign(made.averaged[0] - 0.5) == made.side[0] or distance < 1e-7
    assert 0 < DECISIVE < 0.25


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_the_audit_of_exchanged_responses_is_the_same(seed: int) -> None:
    table = simulate_audit_table(n_pairs=30, n_groups=30, rng=np.random.default_rng(seed), position=0.7).table
    turned = table.with_columns(
        pl.col("order").replace({"AB": "BA", "BA": "AB"}),
        pl.col("gold").replace({"A": "B", "B": "A"}),
        pl.col("preference").replace({"A": "B", "B": "A"}),
    )
    one, other = (only(audit_position(t, resamples=100), FindingKind.PROBABILITY) for t in (table, turned))
    swapped = {"single_accuracy_ab": "single_accuracy_ba", "single_brier_ab": "single_brier_ba"}
    for name in ("probability_shift", "averaged_brier", "averaged_log_loss", "averaged_accuracy", *swapped):
        mine, theirs = one.measure(name), other.measure(swapped.get(name, name))
        assert isinstance(mine, Estimate)
        assert isinstance(theirs, Estimate)
        assert mine.value == pytest.approx(theirs.value)
