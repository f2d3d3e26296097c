"""From runs to leaderboards."""

from dataclasses import replace
from pathlib import Path

import pytest

import evenhand
from evenhand.errors import ConfigError
from evenhand.mitigation.leaderboard import LeaderboardAudit
from evenhand.mitigation.leaderboard_cells import View
from evenhand.records import Readout
from evenhand.stats import Estimate, Refusal
from evenhand.workflow.rank import RankRun, rank_authors
from workflow.ranked_runs import authored_pairs, ranked_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ranked_run(tmp_path_factory.mktemp("ranked") / "run")


@pytest.fixture(scope="module")
def ranked(run: Path) -> RankRun:
    return rank_authors(run, resamples=100)


def found(ranked: RankRun) -> LeaderboardAudit:
    [scope] = ranked.scopes
    assert isinstance(scope.found, LeaderboardAudit)
    return scope.found


def order(ranked: RankRun, view: View) -> list[str]:
    return [s.player for board in found(ranked).boards if board.view is view for s in board.standings]


def test_one_order_lifts_whom_it_shows_first_and_both_orders_do_not(ranked: RankRun) -> None:
    assert ranked.scopes[0].readout is Readout.FIRST_TOKEN
    assert found(ranked).pairs == 120
    assert ranked.resampled_by == "question group"
    assert order(ranked, View.AB_ONLY)[0] == "gamma"
    assert order(ranked, View.SWAPPED) == ["alpha", "beta", "gamma", "delta"]
    assert order(ranked, View.SLOT_REMOVED) == ["alpha", "beta", "gamma", "delta"]


def test_the_same_seed_gives_the_same_intervals(run: Path, ranked: RankRun) -> None:
    assert rank_authors(run, resamples=100) == ranked
    other = rank_authors(run, resamples=100, seed=1)
    first, second = (found(each).boards[0].standings[0].strength for each in (ranked, other))
    assert isinstance(first, Estimate)
    assert isinstance(second, Estimate)
    assert first.value == second.value
    assert first.interval != second.interval


def test_two_runs_are_ranked_apart(run: Path, tmp_path: Path) -> None:
    both = rank_authors([run, ranked_run(tmp_path / "fair", position=0.0)], resamples=100)
    assert [scope.run for scope in both.scopes] == [str(run), str(tmp_path / "fair")]


def test_pairs_without_authors_are_a_stated_refusal(tmp_path: Path) -> None:
    nameless = [replace(pair, author_a=None) for pair in authored_pairs(20)]
    ranked = rank_authors(ranked_run(tmp_path / "run", pairs=nameless), resamples=100)
    assert not ranked.ranked
    assert isinstance(ranked.scopes[0].found, Refusal)
    assert "2 different authors" in ranked.scopes[0].found.reason


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "elo"}, "model is 'elo': expected davidson or bradley-terry"),
        ({"model": "slot"}, "model is 'slot'"),
        ({"readout": "generated"}, "has no readout generated"),
        ({"readout": "x"}, "readout 'x': expected first-token"),
        ({"condition": "x"}, "has no condition 'x'"),
        ({"resamples": 10}, "resamples is 10"),
    ],
)
def test_a_wrong_setting_is_one_line(run: Path, settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        rank_authors(run, **settings)  # type: ignore[arg-type]


def test_no_run_is_refused() -> None:
    with pytest.raises(ConfigError, match="no run to rank"):
        rank_authors([])


def test_it_is_a_public_name() -> None:
    assert evenhand.rank_authors is rank_authors
