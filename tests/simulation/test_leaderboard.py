"""Rank intervals over repeated audits: they cover the true ranks, and a fair judge moves nobody."""

import numpy as np
import pytest

from evenhand.analysis.scope import WideTable
from evenhand.analysis.wide import widen
from evenhand.mitigation.leaderboard import LeaderboardAudit, audit_leaderboard
from evenhand.mitigation.leaderboard_cells import View
from evenhand.records import Order, Outcome, Readout, Verdict, verdict_table
from evenhand.stats import Estimate

pytestmark = pytest.mark.simulation

STRENGTHS = np.array([1.0, 0.4, -0.2, -1.2])
AUDITS, PAIRS = 40, 240


def judged(rng: np.random.Generator, *, position: float) -> tuple[WideTable, dict[str, tuple[str, str]]]:
    """Two pairs a question, which share how hard it is to tell their authors apart."""
    rows, authors = [], {}
    for i in range(PAIRS):
        if i % 2 == 0:
            sharpness = rng.uniform(0.5, 1.5)
        a, b = rng.choice(len(STRENGTHS), 2, replace=False)
        authors[f"p{i:04d}"] = (f"m{a}", f"m{b}")
        for order, sign in ((Order.AB, 1), (Order.BA, -1)):
            odds = sign * sharpness * (STRENGTHS[a] - STRENGTHS[b]) + position + rng.logistic()
            rows.append(
                Verdict(
                    pair_id=f"p{i:04d}",
                    group=f"g{i // 2}",
                    source="s",
                    gold=None,
                    condition="c",
                    readout=Readout.GENERATED,
                    order=order,
                    repeat=0,
                    outcome=Outcome.FIRST if odds > 0 else Outcome.SECOND,
                )
            )
    return widen(verdict_table(rows)), authors


def audits(*, position: float) -> list[LeaderboardAudit]:
    found = []
    for seed in range(AUDITS):
        rng = np.random.default_rng([7, seed])
        wide, authors = judged(rng, position=position)
        audit = audit_leaderboard(
            wide.scopes[0],
            ids=tuple(map(str, wide.facts.ids)),
            authors=authors,
            clusters=wide.facts.group,
            rng=rng,
            resamples=60,
        )
        assert isinstance(audit, LeaderboardAudit)
        found.append(audit)
    return found


def test_rank_intervals_cover_and_slots_are_recovered() -> None:
    covered, slots = [], []
    for audit in audits(position=0.8):
        for board in audit.boards:
            if board.view is View.SWAPPED:
                for standing in board.standings:
                    assert isinstance(standing.rank, Estimate)
                    assert standing.rank.interval is not None
                    true = int(standing.player[1:]) + 1
                    covered.append(standing.rank.interval.low <= true <= standing.rank.interval.high)
            if board.view is View.SLOT_REMOVED:
                assert isinstance(board.slot, Estimate)
                assert board.slot.interval is not None
                slots.append(board.slot.value)
    # Ranks are discrete: where players are well apart, the interval holds the truth nearly always.
    assert np.mean(covered) >= 0.94
    # Between questions the sharpness varies, which shrinks every log-odds a little.
    assert 0.7 <= np.mean(slots) <= 0.85


def test_a_fair_judge_moves_ranks_beyond_their_interval_at_most_as_often_as_the_level_says() -> None:
    beyond = [
        change.difference.interval.low > 0 or change.difference.interval.high < 0
        for audit in audits(position=0.0)
        for change in audit.changes
        if change.view in (View.AB_ONLY, View.BA_ONLY)
        and isinstance(change.difference, Estimate)
        and change.difference.interval is not None
    ]
    assert np.mean(beyond) <= 0.05
