"""Scores: riskier is higher, chance is reproducible, and a refit sees nothing but its rows."""

from dataclasses import replace

import numpy as np
import pytest

from evenhand.probes.predictors import PROBE, predictors
from evenhand.probes.triage_scores import CONFIDENCE, MARGIN, RANDOM, RAW, RiskScore, ScoreKind, raw_scores, refitter
from evenhand.stats import Refusal, auroc
from probes.triage_examples import triage_data


def probe(data):
    return next(each for each in predictors(data) if each.name == PROBE)


def test_low_confidence_and_a_small_margin_are_risky():
    data = triage_data()
    scores = raw_scores(data, seed=0)
    assert tuple(scores) == RAW
    assert (scores[CONFIDENCE].values == -data.confidence).all()
    assert (scores[MARGIN].values == -np.abs(data.margin)).all()
    assert auroc(scores[MARGIN].values, data.flips).value > 0.6
    assert all(score.kind is ScoreKind.RAW and score.refit is None for score in scores.values())


def test_chance_is_a_seeded_order_that_knows_nothing_of_the_rows():
    data = triage_data()
    values = raw_scores(data, seed=3)[RANDOM].values
    assert sorted(values) == sorted(-np.arange(len(data)))
    assert (values != raw_scores(data, seed=4)[RANDOM].values).any()
    rows = np.random.default_rng(0).permutation(len(data))
    assert (raw_scores(data.rows(rows), seed=3)[RANDOM].values == values[rows]).all()


def test_a_prompt_without_confidence_has_no_such_score():
    data = triage_data()
    scores = raw_scores(replace(data, confidence=np.full(len(data), np.nan)), seed=0)
    assert isinstance(scores[CONFIDENCE], Refusal)
    assert "asks for no confidence" in scores[CONFIDENCE].reason
    assert isinstance(scores[MARGIN], RiskScore)


def test_a_refit_sees_only_the_rows_it_is_given():
    data = triage_data()
    rows = np.arange(0, len(data), 2)
    plain = refitter(probe(data), data)(rows, 0)
    others = data.flips.copy()
    others[1::2] = ~others[1::2]
    changed = replace(data, flips=others)
    assert (refitter(probe(changed), changed)(rows, 0) == plain).all()
    assert auroc(plain[1::2], data.flips[1::2]).value > 0.85


def test_too_few_flips_to_fit_on_are_refused():
    data = triage_data(40)
    refused = refitter(probe(data), data)(np.flatnonzero(~data.flips), 0)
    assert isinstance(refused, Refusal)
    assert "too little to learn from" in refused.reason


@pytest.mark.parametrize(
    ("kind", "proved"),
    [(ScoreKind.RAW, True), (ScoreKind.FROZEN, True), (ScoreKind.OVERLAPPING, False), (ScoreKind.HELD_OUT, False)],
)
def test_which_scores_calibrate_exactly(kind, proved):
    assert (kind.unproved is None) is proved
