"""What can be checked of AlpacaEval's length control without its data: the formula of its published coefficients.

The leaderboard's own coefficients (alpaca_eval 0.6, ``length_controlled_v1``, baseline gpt4_1106_preview) are of
``logit P = theta + phi tanh(d / sd) + psi gamma`` with d the baseline's length minus the system's, so phi is negative
there and ours positive. Against itself a system has all coefficients 0 and a win rate of one half.
"""

import numpy as np
import pytest

from evenhand.mitigation.fractional_logit import logistic
from evenhand.mitigation.length_control import length_controlled_win_rate

GEMMA_7B_IT = {"system": -2.7012308600636188, "length": 1.5080757076915654, "difficulty": 0.8463777565080071}
GPT4_VERBOSE = {"system": 0.1923534665807022, "length": 1.5835274219761557, "difficulty": 0.8334888457867451}
LEADERBOARD = {"gemma-7b-it": 0.10425760403690134, "gpt4_1106_preview_verbose": 0.5157500796798}


def published(coefficients, *, n=20_000, sd=1.0, seed=0):
    rng = np.random.default_rng(seed)
    d, gamma = rng.normal(-900, 840, n), rng.normal(0, sd, n)
    c = coefficients
    p = logistic(c["system"] + c["length"] * np.tanh(d / d.std(ddof=1)) + c["difficulty"] * gamma)
    return p, d, gamma


@pytest.mark.parametrize("coefficients", [GEMMA_7B_IT, GPT4_VERBOSE])
def test_preferences_made_by_published_coefficients_give_them_back(coefficients):
    p, d, gamma = published(coefficients)
    found = length_controlled_win_rate(
        p, d, np.arange(len(p)), rng=np.random.default_rng(0), difficulty=gamma, resamples=100
    )
    assert dict(found.coefficients) == pytest.approx(coefficients, abs=1e-6)


def test_the_published_rate_is_between_those_of_no_and_of_much_difficulty():
    """Its difficulties aren't at hand; their spread alone moves the rate from 6.3 % up, and 10.4 % lies on the way."""
    rates = [
        float(logistic(GEMMA_7B_IT["system"] + GEMMA_7B_IT["difficulty"] * published(GEMMA_7B_IT, sd=sd)[2]).mean())
        for sd in (0.0, 1.0, 2.0)
    ]
    assert rates[0] == pytest.approx(0.0629, abs=1e-4)
    assert rates[0] < rates[1] < LEADERBOARD["gemma-7b-it"] < rates[2]
    verbose = logistic(np.array([GPT4_VERBOSE["system"]]))[0]
    assert abs(verbose - LEADERBOARD["gpt4_1106_preview_verbose"]) < 0.035


def test_a_system_against_itself_is_at_one_half():
    rng = np.random.default_rng(0)
    d = rng.normal(0, 500, 400)
    found = length_controlled_win_rate(np.full(400, 0.5), d, np.arange(400), rng=rng, resamples=100)
    assert (found.controlled.value, found.length.value) == (pytest.approx(0.5), pytest.approx(0.0))
