"""The AlpacaEval annotations at hand: the leaderboard's figures, and an order for each of the 805 rows."""

import collections

import pytest

from evenhand.logs import inspect, read_log
from evenhand.logs.alpaca_eval import leaderboard_win_rate, published_win_rate, recomputed_win_rate, seeded_order
from evenhand.records import Order, Outcome
from real.log_data import needs, real

ANNOTATIONS = real("alpaca_eval/gemma-7b-it.annotations.json")
pytestmark = [pytest.mark.real, needs(ANNOTATIONS, "AlpacaEval annotations")]


@pytest.fixture(scope="module")
def log():
    return read_log("alpaca_eval", ANNOTATIONS[0])


def test_the_leaderboard_s_figures_to_six_decimals(log):
    rate = published_win_rate(log)
    assert (f"{rate.win_rate:.6f}", f"{rate.standard_error:.6f}") == ("6.937294", "0.786967")
    assert (rate.n, rate.missing) == (805, 0)
    estimate = leaderboard_win_rate(log)
    assert estimate.value == rate.win_rate
    assert (estimate.interval.high - estimate.interval.low) / 2 == pytest.approx(
        1.959963984540054 * rate.standard_error
    )


def test_ours_differs_by_the_one_censored_row(log):
    ours = recomputed_win_rate(log)
    assert ours.n == 804
    assert "1 censored rows are left out" in ours.flags[0]
    assert ours.value == pytest.approx(published_win_rate(log).win_rate * 805 / 804, abs=1e-5)


def test_every_row_has_an_order_and_the_seeded_shuffle_agrees_with_each(log):
    assert log.excluded == ()
    assert len(log.entries) == 805
    orders = collections.Counter(entry.presentation.order for entry in log.entries)
    assert orders == {Order.AB: 399, Order.BA: 406}
    pairs = {pair.id: pair for pair in log.pairs}
    assert all(
        seeded_order(pairs[entry.presentation.pair_id].instruction) is entry.presentation.order for entry in log.entries
    )
    assert any(note.endswith("in 1 of 805; it agrees with every row whose numbers do") for note in log.notes)


def test_states_and_censoring(log):
    outcomes = collections.Counter(entry.completion.log_outcome for entry in log.entries)
    assert outcomes[Outcome.TIE] == 1
    assert outcomes[Outcome.FIRST] + outcomes[Outcome.SECOND] == 804
    censored = [
        variants[0]
        for entry in log.entries
        for _, variants in entry.completion.first_token.labels
        if variants[0].logprob is None
    ]
    assert [(token.text, token.below) for token in censored] == [("m", -15.45313)]
    assert any("in 11 of 805 rows" in note for note in log.notes)


def test_it_is_single_order_and_says_so(log):
    assert log.orders == "single"
    supports = {one.name: one.supported for one in inspect(ANNOTATIONS[0]).supports}
    assert not supports["position figures"]
    assert supports["first-token readout and compliance"]
