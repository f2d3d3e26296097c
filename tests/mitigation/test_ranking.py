"""Strengths against closed forms, statsmodels' logistic regression, and invariants."""

import math

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import ConfigError
from evenhand.mitigation.ranking import Games, Model, fit_strengths, has_slot, is_connected, ranks


def games(rows: list[tuple[int, int, float, float, float]], players: int) -> Games:
    table = np.array(rows, dtype=np.float64)
    return Games(
        first=table[:, 0].astype(np.int64),
        second=table[:, 1].astype(np.int64),
        wins=table[:, 2],
        losses=table[:, 3],
        ties=table[:, 4],
        players=players,
    )


FOUR = games([(0, 1, 7, 3, 0), (1, 0, 4, 5, 0), (1, 2, 8, 4, 0), (2, 3, 6, 2, 0), (3, 0, 1, 6, 0), (0, 2, 5, 5, 0)], 4)


def binomial_fit(data: Games, *, slot: bool) -> np.ndarray:
    """The same model as statsmodels' binomial GLM, player 0 as the reference, then centred."""
    design = np.zeros((data.first.size, data.players))
    design[np.arange(data.first.size), data.first] += 1
    design[np.arange(data.first.size), data.second] -= 1
    columns = design[:, 1:]
    if slot:
        columns = np.column_stack([columns, np.ones(data.first.size)])
    fit = sm.GLM(np.column_stack([data.wins, data.losses]), columns, family=sm.families.Binomial()).fit()
    log = np.concatenate([[0.0], fit.params[: data.players - 1]])
    return np.concatenate([log - log.mean(), fit.params[data.players - 1 :]])


@pytest.mark.parametrize("model", [Model.BRADLEY_TERRY, Model.DAVIDSON])
def test_two_players_have_the_log_odds_of_their_wins(model: Model) -> None:
    found = fit_strengths(games([(0, 1, 9, 3, 0)], 2), model=model)
    assert found.log[0] - found.log[1] == pytest.approx(math.log(3), abs=1e-4)


def test_a_tie_is_half_a_win_in_bradley_terry() -> None:
    found = fit_strengths(games([(0, 1, 8, 2, 2)], 2), model=Model.BRADLEY_TERRY)
    assert found.log[0] - found.log[1] == pytest.approx(math.log(9 / 3), abs=1e-4)


def test_davidsons_tie_parameter_has_its_closed_form_for_two_players() -> None:
    # P(tie) / sqrt(P(win) P(loss)) = 2 v, and the strengths are as without the ties.
    found = fit_strengths(games([(0, 1, 8, 2, 4)], 2), model=Model.DAVIDSON)
    assert found.tie == pytest.approx(4 / (2 * math.sqrt(16)), abs=1e-4)
    assert found.log[0] - found.log[1] == pytest.approx(math.log(4), abs=1e-4)


def test_bradley_terry_is_statsmodels_logistic_regression() -> None:
    assert fit_strengths(FOUR, model=Model.BRADLEY_TERRY).log == pytest.approx(binomial_fit(FOUR, slot=False), abs=1e-4)


def test_the_slot_is_statsmodels_intercept() -> None:
    found = fit_strengths(FOUR, model=Model.SLOT)
    assert [*found.log, found.slot] == pytest.approx(binomial_fit(FOUR, slot=True).tolist(), abs=1e-4)


def test_who_never_lost_is_not_connected_and_still_ranks_first() -> None:
    data = games([(0, 1, 5, 0, 0), (1, 2, 3, 2, 0), (0, 2, 4, 0, 0)], 3)
    assert not is_connected(data)
    for model in (Model.DAVIDSON, Model.BRADLEY_TERRY):
        assert ranks(fit_strengths(data, model=model).log).tolist() == [1, 2, 3]


def test_the_slot_needs_players_in_both_slots() -> None:
    assert not has_slot(games([(0, 1, 5, 1, 0), (1, 2, 3, 2, 0), (0, 2, 4, 1, 0)][:2], 3))
    assert has_slot(games([(0, 1, 5, 1, 0), (1, 0, 3, 2, 0), (0, 2, 4, 1, 0)], 3))
    assert has_slot(FOUR)


def test_a_tie_connects() -> None:
    assert is_connected(games([(0, 1, 5, 0, 1)], 2))


def test_a_missing_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "evalica", None)
    with pytest.raises(ConfigError, match=r"evenhand\[ranking\]"):
        fit_strengths(FOUR, model=Model.DAVIDSON)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=12, max_size=12), st.permutations(range(4)))
def test_names_of_players_do_not_matter(counts: list[int], names: list[int]) -> None:
    pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    rows = [(i, j, float(w), float(v), 1.0) for (i, j), w, v in zip(pairs, counts[:6], counts[6:], strict=True)]
    renamed = [(names[i], names[j], w, v, t) for i, j, w, v, t in rows]
    for model in Model:
        own, other = fit_strengths(games(rows, 4), model=model), fit_strengths(games(renamed, 4), model=model)
        assert own.log == pytest.approx(other.log[names], abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=6, max_size=6))
def test_exchanging_the_slots_turns_the_slots_advantage(counts: list[int]) -> None:
    rows = [(0, 1, float(counts[0]), float(counts[1]), 0.0), (1, 2, float(counts[2]), float(counts[3]), 0.0)]
    rows.append((2, 0, float(counts[4]), float(counts[5]), 0.0))
    swapped = [(j, i, v, w, t) for i, j, w, v, t in rows]
    own, other = fit_strengths(games(rows, 3), model=Model.SLOT), fit_strengths(games(swapped, 3), model=Model.SLOT)
    assert own.slot is not None
    assert other.slot == pytest.approx(-own.slot, abs=1e-4)
    assert own.log == pytest.approx(other.log, abs=1e-4)
