"""Win rates from few labels and many verdicts."""

import numpy as np
import pytest

from audits.humans.label_tables import labelled
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.audits.humans.win_rate import RESPONSE_A, WinRate, win_rates
from evenhand.stats import Estimate, Refusal


def rates(pairs: LabelledPairs) -> dict[str, WinRate]:
    found = win_rates(pairs, clusters=pairs.clusters, rng=np.random.default_rng(0), resamples=200)
    return {rate.player: rate for rate in found}


def value(found: Estimate | Refusal) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def test_where_all_are_labelled_it_is_the_mean_of_the_labels() -> None:
    rate = rates(labelled(*["AA|A"] * 20, *["BB|B"] * 10, *["AB|t"] * 10))[RESPONSE_A]
    assert value(rate.powered) == value(rate.labels_alone) == pytest.approx(25 / 40)
    assert value(rate.judge_alone) == pytest.approx(25 / 40)
    assert value(rate.judge_minus_people) == 0


def test_a_judge_that_favours_a_is_corrected_by_the_labels() -> None:
    # People: A wins 40 % of all. The judge sees every third loss of A as a win.
    rows = (["AA|A"] * 40 + ["BB|B"] * 40 + ["AA|B"] * 20) + (["AA|-"] * 120 + ["BB|-"] * 80)
    rate = rates(labelled(*rows))[RESPONSE_A]
    assert value(rate.judge_alone) == pytest.approx(0.6)
    assert value(rate.labels_alone) == pytest.approx(0.4)
    assert value(rate.powered) == pytest.approx(0.4, abs=0.01)
    assert value(rate.judge_minus_people) == pytest.approx(0.2)
    assert rate.effective_labels is not None
    assert rate.effective_labels > 100
    assert (rate.pairs, rate.labelled) == (300, 100)


def test_every_author_has_its_own_rate_and_two_of_them_share_one() -> None:
    authors: list[tuple[str | None, str | None]] = [("x", "y") if i % 2 else ("y", "x") for i in range(60)]
    found = rates(labelled(*["AA|A" if i % 2 else "BB|B" for i in range(60)], authors=authors))
    assert value(found["x"].powered) == 1.0
    assert value(found["y"].powered) == 0.0
    # Never without width at 0 or 1: Clopper and Pearson's limit of 60 wins of 60.
    for estimate in (found["x"].powered, found["x"].labels_alone, found["x"].judge_alone):
        assert isinstance(estimate, Estimate)
        assert estimate.interval is not None
        assert estimate.interval.low == pytest.approx(0.025 ** (1 / 60))


def test_intervals_stay_within_0_and_1_where_a_player_nearly_always_wins() -> None:
    rows = [*["AA|A"] * 29, "BB|B", *["AA|-"] * 200, *["BB|-"] * 4]
    rate = rates(labelled(*rows))[RESPONSE_A]
    for estimate in (rate.powered, rate.labels_alone, rate.judge_alone):
        assert isinstance(estimate, Estimate)
        assert estimate.interval is not None
        assert 0 < estimate.interval.low < estimate.value < estimate.interval.high < 1
    assert "stratified" not in rate.labels_alone.interval.method  # type: ignore[union-attr]


def test_few_labels_are_refused_and_the_judge_alone_is_not() -> None:
    rate = rates(labelled(*["AA|A"] * 24, *["AA|-"] * 30))[RESPONSE_A]
    assert isinstance(rate.powered, Refusal)
    assert rate.powered.reason == "needs at least 25 labelled pairs, has 24"
    assert isinstance(rate.judge_alone, Estimate)


def test_pairs_without_a_verdict_do_not_enter() -> None:
    rate = rates(labelled(*["AA|A"] * 30, *["--|B"] * 10))[RESPONSE_A]
    assert (rate.pairs, value(rate.labels_alone)) == (30, 1.0)
