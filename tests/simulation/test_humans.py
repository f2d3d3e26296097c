"""Prediction-powered win rates over repeated labelings: they cover, and the judge's bias stays out."""

import numpy as np
import pytest

from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.audits.humans.win_rate import win_rates
from evenhand.datasets.labels import Label
from evenhand.records import Preference
from evenhand.stats import Estimate

pytestmark = pytest.mark.simulation

RUNS, PAIRS, GROUPS, LABELLED = 400, 400, 200, 80


def once(rng: np.random.Generator) -> tuple[LabelledPairs, float]:
    """Two pairs a question; the judge agrees with people four times of five and favours A in half of the rest."""
    group = np.arange(PAIRS) % GROUPS
    easy = rng.normal(0, 0.8, GROUPS)[group]
    people = (easy + rng.logistic(size=PAIRS) < 0).astype(np.int8)  # 1: B
    wrong = rng.random(PAIRS) < 0.2
    judge = np.where(wrong, np.where(rng.random(PAIRS) < 0.75, 0, 1), people).astype(np.int8)
    chosen = set(rng.choice(GROUPS, LABELLED // 2, replace=False).tolist())
    preferences = (Preference.A, Preference.B)
    labels = tuple(
        (Label(pair_id=str(i), preference=preferences[people[i]], row=i),) if group[i] in chosen else ()
        for i in range(PAIRS)
    )
    pairs = LabelledPairs(
        judge="j",
        ids=tuple(map(str, range(PAIRS))),
        clusters=group.astype(np.int64),
        ab=judge,
        ba=judge,
        labels=labels,
        authors=((None, None),) * PAIRS,
    )
    return pairs, float(np.mean(people == 0))


def test_win_rates_cover_what_people_would_give_and_are_narrower_than_labels_alone() -> None:
    covered, narrower, errors, judge_errors = [], [], [], []
    for seed in range(RUNS):
        rng = np.random.default_rng([11, seed])
        pairs, true = once(rng)
        [rate] = win_rates(pairs, clusters=pairs.clusters, rng=rng, resamples=100)
        assert isinstance(rate.powered, Estimate)
        assert isinstance(rate.labels_alone, Estimate)
        assert isinstance(rate.judge_alone, Estimate)
        assert rate.powered.interval is not None
        assert rate.labels_alone.interval is not None
        covered.append(rate.powered.interval.low <= true <= rate.powered.interval.high)
        widths = [i.high - i.low for i in (rate.powered.interval, rate.labels_alone.interval)]
        narrower.append(widths[0] < widths[1])
        errors.append(rate.powered.value - true)
        judge_errors.append(rate.judge_alone.value - true)
    assert 0.92 <= np.mean(covered) <= 0.99
    assert np.mean(narrower) >= 0.9
    assert abs(np.mean(errors)) <= 0.01
    assert np.mean(judge_errors) >= 0.03
