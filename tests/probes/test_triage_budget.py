"""What a budget buys, against a slow count; against chance and confidence; and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.probes.triage_budget import budget_points, judgments_saved
from evenhand.probes.triage_scores import CONFIDENCE, MARGIN, RANDOM, RiskScore, ScoreKind, raw_scores
from evenhand.stats import Estimate, Refusal
from probes.triage_examples import triage_data

DATA = triage_data()


def scored(data, **more):
    oracle = RiskScore(name="oracle", kind=ScoreKind.FROZEN, values=data.flips.astype(float))
    return {"oracle": oracle, **raw_scores(data, seed=0), **more}


def points(data=DATA, budgets=(0.1, 0.3, 0.5, 0.9)):
    made = budget_points(data, scored(data), budgets=budgets, seed=0)
    return {(p.score, p.budget): p for p in made}


def test_missed_flips_are_counted_as_by_hand():
    for (name, budget), point in points().items():
        if name in (RANDOM, CONFIDENCE):  # confidence has ties: hashes decide
            continue
        values = scored(DATA)[name].values
        if name == MARGIN:
            kept = np.argsort(-values, kind="stable")[round(budget * len(DATA)) :]
            assert point.missed.count == DATA.flips[kept].sum()
        assert point.missed.n == DATA.flips.sum()
        assert point.swapped == round(budget * len(DATA))
        assert point.saved == pytest.approx((1 - budget) / 2)


def test_an_oracle_misses_none_once_the_budget_holds_all_flips():
    found = points()
    assert found["oracle", 0.5].missed.value == 0
    assert found["oracle", 0.5].missed.interval.high > 0, "no zero-width interval at 0"
    assert found["oracle", 0.1].missed.value == pytest.approx(1 - 0.1 * len(DATA) / DATA.flips.sum())
    assert found["oracle", 0.3].against_random.interval.high < 0


def test_chance_misses_what_it_doesnt_swap():
    for (name, budget), point in points().items():
        if name == RANDOM:
            assert point.missed.value == pytest.approx(1 - budget)
            assert point.missed.interval is None
            assert point.against_random is None


def test_differences_are_paired_and_their_own_signs():
    found = points()
    for budget in (0.1, 0.5):
        margin, confidence = found[MARGIN, budget], found[CONFIDENCE, budget]
        assert margin.against_confidence.value == pytest.approx(margin.missed.value - confidence.missed.value)
        assert margin.against_random.value == pytest.approx(margin.missed.value - (1 - budget))
        assert confidence.against_confidence is None
        assert found[RANDOM, budget].against_confidence.value == pytest.approx(-confidence.against_random.value)


def test_more_budget_never_misses_more():
    found = points(budgets=(0.1, 0.2, 0.4, 0.8, 1.0))
    for name in scored(DATA):
        missed = [found[name, b].missed.value for b in (0.1, 0.2, 0.4, 0.8, 1.0)]
        assert missed == sorted(missed, reverse=True)
        assert missed[-1] == 0


def test_a_refused_score_is_refused_everywhere_and_nothing_is_compared_with_it():
    data = replace(DATA, confidence=np.full(len(DATA), np.nan))
    found = points(data, budgets=(0.5,))
    assert isinstance(found[CONFIDENCE, 0.5].missed, Refusal)
    assert found[MARGIN, 0.5].against_confidence.reason == "there is no confidence to compare with"
    assert isinstance(found[MARGIN, 0.5].missed, Estimate)


def test_without_flips_and_with_few_questions():
    none = replace(DATA, flips=np.zeros(len(DATA), dtype=bool))
    assert points(none, budgets=(0.5,))[MARGIN, 0.5].missed.reason == "no pair flips"
    few = DATA.rows(np.flatnonzero(np.isin(DATA.groups, sorted(set(DATA.groups))[:3])))
    assert "with a flip" in points(few, budgets=(0.5,))[MARGIN, 0.5].missed.reason


def test_saved_judgments():
    assert (judgments_saved(0, 0), judgments_saved(4, 4), judgments_saved(4, 0)) == (0.0, 0.0, 0.5)
