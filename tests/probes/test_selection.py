"""Choice: smallest pooled Brier score, ties to the larger penalty and then to the earlier candidate."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.probes.candidates import Candidate
from evenhand.probes.logistic import PENALTIES, fit_logistic
from evenhand.probes.selection import choose, path_predictions
from evenhand.probes.standardise import standardised

ROWS = np.arange(60)
FOLDS = ROWS % 3


def data(d: int, strength: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(d)
    x = rng.normal(size=(60, d))
    return x, (x[:, 0] * strength + rng.normal(size=60) > 0).astype(float)


@pytest.mark.parametrize("d", [5, 90])
def test_path_predictions_are_those_of_single_fits(d: int) -> None:
    x, y = data(d, 2)
    train, other = ROWS[:40], ROWS[40:]
    candidate = Candidate(name="x", features=x)
    z, scaling = standardised(x, train)
    penalties = (1e-3, 1.0, 1e-3)
    path = path_predictions(candidate, y[None], train=train, other=other, penalties=penalties)[0]
    for mine, l2 in zip(path, penalties, strict=True):
        alone = fit_logistic(z, y[train], l2=l2).probabilities(scaling.apply(x[other]))
        np.testing.assert_allclose(mine, alone, atol=1e-8)


@pytest.mark.parametrize("d", [5, 90])
def test_label_sets_do_not_touch_each_other(d: int) -> None:
    x, y = data(d, 2)
    sets = np.stack([y, 1 - y, np.roll(y, 7)])
    candidate = Candidate(name="x", features=x)
    together = path_predictions(candidate, sets, train=ROWS[:40], other=ROWS[40:], penalties=PENALTIES)
    for labels, mine in zip(sets, together, strict=True):
        alone = path_predictions(candidate, labels[None], train=ROWS[:40], other=ROWS[40:], penalties=PENALTIES)
        np.testing.assert_allclose(mine, alone[0], atol=1e-8)
    np.testing.assert_allclose(together[1], 1 - together[0], atol=1e-8)


def test_one_class_predicts_its_rate() -> None:
    x, y = data(5, 2)
    y[:40] = 1
    path = path_predictions(
        Candidate(name="x", features=x), y[None], train=ROWS[:40], other=ROWS[40:], penalties=PENALTIES
    )
    assert (path == 1).all()


def test_the_informative_candidate_wins_and_its_score_is_pooled() -> None:
    x, y = data(5, 3)
    noise = np.random.default_rng(9).normal(size=(60, 5))
    candidates = [Candidate(name="noise", features=noise), Candidate(name="signal", features=x)]
    choice = choose(candidates, y[None], rows=ROWS, folds=FOLDS, penalties=PENALTIES)[0]
    assert choice.candidate == 1
    errors = []
    for fold in range(3):
        train, held = ROWS[fold != FOLDS], ROWS[fold == FOLDS]
        p = path_predictions(candidates[1], y[None], train=train, other=held, penalties=(choice.l2,))[0, 0]
        errors.extend((p - y[held]) ** 2)
    assert choice.brier == pytest.approx(np.mean(errors))


def test_ties_go_to_the_larger_penalty_then_to_the_earlier_candidate() -> None:
    _, y = data(5, 3)
    flat = Candidate(name="flat", features=np.full((60, 4), 0.1))
    also = Candidate(name="also flat", features=np.full((60, 99), 7.0, dtype=np.float32))
    for pair in ([flat, also], [also, flat]):
        choice = choose(pair, y[None], rows=ROWS, folds=FOLDS, penalties=(0.1, 10.0, 1.0))[0]
        assert (choice.candidate, choice.l2) == (0, 10.0)


def test_rows_that_are_left_out_are_not_looked_at() -> None:
    x, y = data(5, 3)
    rows = ROWS[:45]
    before = choose([Candidate(name="x", features=x)], y[None], rows=rows, folds=FOLDS[:45], penalties=PENALTIES)
    x[45:], y[45:] = 1e6, 1 - y[45:]
    after = choose([Candidate(name="x", features=x)], y[None], rows=rows, folds=FOLDS[:45], penalties=PENALTIES)
    assert after == before
