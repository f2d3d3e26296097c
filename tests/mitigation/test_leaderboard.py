"""What position bias does to a leaderboard, on planted verdicts."""

import numpy as np
import polars as pl
import pytest

from evenhand.analysis.scope import WideTable
from evenhand.analysis.wide import widen
from evenhand.mitigation.leaderboard import Leaderboard, LeaderboardAudit, audit_leaderboard
from evenhand.mitigation.leaderboard_cells import View
from evenhand.mitigation.ranking import Model
from evenhand.records import Order, Outcome, Readout, Verdict, verdict_table
from evenhand.stats import Estimate, Refusal

Authors = dict[str, tuple[str | None, str | None]]
STRENGTHS = {"m0": 1.0, "m1": 0.3, "m2": -0.3, "m3": -1.0}


def planted(*, pairs: int, position: float, seed: int, first: str | None = None) -> tuple[WideTable, Authors]:
    """Verdicts from known strengths; ``first`` is always the author of response A where it takes part."""
    rng, names = np.random.default_rng(seed), list(STRENGTHS)
    rows, authors = [], {}
    for i in range(pairs):
        a, b = rng.choice(names, 2, replace=False)
        if b == first:
            a, b = b, a
        authors[f"p{i:04d}"] = (str(a), str(b))
        quality = STRENGTHS[a] - STRENGTHS[b]
        for order, sign in ((Order.AB, 1), (Order.BA, -1)):
            odds = sign * quality + position + rng.logistic()
            outcome = Outcome.TIE if abs(odds) < 0.1 else Outcome.FIRST if odds > 0 else Outcome.SECOND
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
                    outcome=outcome,
                )
            )
    return widen(verdict_table(rows)), authors


def audited(wide: WideTable, authors: Authors, *, resamples: int = 60, seed: int = 0) -> LeaderboardAudit:
    found = audit_leaderboard(
        wide.scopes[0],
        ids=list(wide.facts.ids),
        authors=authors,
        clusters=wide.facts.group,
        rng=np.random.default_rng(seed),
        resamples=resamples,
    )
    assert isinstance(found, LeaderboardAudit)
    return found


def board(found: LeaderboardAudit, view: View) -> Leaderboard:
    return next(each for each in found.boards if each.view is view)


def rank_of(found: LeaderboardAudit, view: View, player: str) -> float:
    standing = next(s for s in board(found, view).standings if s.player == player)
    assert isinstance(standing.rank, Estimate)
    return standing.rank.value


def test_position_bias_lifts_whom_order_ab_shows_first_and_the_swap_puts_it_back() -> None:
    wide, authors = planted(pairs=800, position=2.0, seed=1, first="m2")
    found = audited(wide, authors)
    assert rank_of(found, View.AB_ONLY, "m2") == 1
    assert rank_of(found, View.BA_ONLY, "m2") == 4
    assert [s.player for s in board(found, View.SWAPPED).standings] == ["m0", "m1", "m2", "m3"]
    assert [s.player for s in board(found, View.SLOT_REMOVED).standings] == ["m0", "m1", "m2", "m3"]
    assert dict(found.first_shown)["m2"] == 1.0
    change = next(c for c in found.changes if c.view is View.AB_ONLY and c.player == "m2")
    assert isinstance(change.difference, Estimate)
    assert change.difference.value == -2
    assert change.difference.interval is not None
    assert change.difference.interval.high < 0


def test_the_slots_advantage_is_recovered() -> None:
    wide, authors = planted(pairs=1500, position=1.2, seed=2)
    slot = board(audited(wide, authors), View.SLOT_REMOVED).slot
    assert isinstance(slot, Estimate)
    assert slot.interval is not None
    # A tie as half a win shrinks it a little.
    assert slot.value == pytest.approx(1.2, abs=0.2)
    assert slot.interval.low < slot.value < slot.interval.high


def test_without_position_bias_the_views_agree() -> None:
    wide, authors = planted(pairs=1500, position=0.0, seed=3)
    found = audited(wide, authors)
    for view in (View.AB_ONLY, View.BA_ONLY, View.TIE_ON_CONFLICT):
        agreement = board(found, view).agreement
        assert isinstance(agreement, Estimate)
        assert agreement.value == 1.0
        assert board(found, view).same_top == 1.0
    assert {c.difference.value for c in found.changes if isinstance(c.difference, Estimate)} == {0.0}


def test_a_view_that_cannot_tell_the_slot_says_so() -> None:
    wide, authors = planted(pairs=200, position=1.0, seed=4)
    two = dict.fromkeys(authors, ("x", "y"))
    found = audited(wide, two)
    refused = board(found, View.SLOT_REMOVED)
    assert isinstance(refused.refused, Refusal)
    assert refused.standings == ()
    assert not [c for c in found.changes if c.view is View.SLOT_REMOVED]


def test_strengths_without_a_finite_size_are_refused_and_ranks_are_not() -> None:
    rows = [
        Verdict(
            pair_id=f"p{i}",
            group=f"g{i}",
            source="s",
            gold=None,
            condition="c",
            readout=Readout.GENERATED,
            order=order,
            repeat=0,
            outcome=Outcome.FIRST if order is Order.AB else Outcome.SECOND,
        )
        for i in range(12)
        for order in Order
    ]
    found = audited(widen(verdict_table(rows)), {f"p{i}": ("x", "y") for i in range(12)})
    best = board(found, View.SWAPPED).standings[0]
    assert best.player == "x"
    assert isinstance(best.strength, Refusal)
    assert isinstance(best.rank, Estimate)


def test_the_order_of_rows_changes_nothing() -> None:
    wide, authors = planted(pairs=60, position=1.0, seed=5)
    table = _table(60)
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=1)
    assert audited(widen(table), authors) == audited(widen(shuffled), authors)
    assert wide.facts.n_groups == 30


def _table(pairs: int) -> pl.DataFrame:
    rng = np.random.default_rng(6)
    return verdict_table(
        Verdict(
            pair_id=f"p{i:04d}",
            group=f"g{i // 2}",
            source="s",
            gold=None,
            condition="c",
            readout=Readout.GENERATED,
            order=order,
            repeat=0,
            outcome=Outcome.FIRST if rng.random() < 0.6 else Outcome.SECOND,
        )
        for i in range(pairs)
        for order in Order
    )


def test_progress_is_told_to_its_end() -> None:
    wide, authors = planted(pairs=40, position=0.0, seed=7)
    told: list[tuple[int, int]] = []
    audit_leaderboard(
        wide.scopes[0],
        ids=list(wide.facts.ids),
        authors=authors,
        clusters=wide.facts.group,
        rng=np.random.default_rng(0),
        model=Model.BRADLEY_TERRY,
        resamples=120,
        progress=lambda done, of: told.append((done, of)),
    )
    assert told == [(50, 120), (100, 120), (120, 120)]


def simple(pairs: list[tuple[str, str, str]]) -> tuple[WideTable, Authors]:
    """(author of A, author of B, verdicts in AB and BA as slots: F first, S second)."""
    outcomes = {"F": Outcome.FIRST, "S": Outcome.SECOND, "t": Outcome.TIE}
    rows = [
        Verdict(
            pair_id=f"p{i:03d}",
            group=f"g{i:03d}",
            source="s",
            gold=None,
            condition="c",
            readout=Readout.GENERATED,
            order=order,
            repeat=0,
            outcome=outcomes[letter],
        )
        for i, (_, _, said) in enumerate(pairs)
        for order, letter in zip(Order, said, strict=True)
    ]
    return widen(verdict_table(rows)), {f"p{i:03d}": (a, b) for i, (a, b, _) in enumerate(pairs)}


def test_a_player_whom_many_resamples_leave_out_is_refused() -> None:
    often = [("x", "y", said) for said in ("FS", "SF", "FS", "FF", "SF") for _ in range(6)]
    found = audited(*simple([*often, ("x", "rare", "FF")]), resamples=200)
    by_player = {standing.player: standing for standing in board(found, View.SWAPPED).standings}
    # One cluster of 31 is in no resample with a chance of (30/31)^31 = .36.
    rare = by_player["rare"]
    assert isinstance(rare.rank, Refusal)
    assert isinstance(rare.strength, Refusal)
    assert rare.rank.reason.startswith("undefined in 3")
    assert isinstance(by_player["x"].points, Estimate)
    assert all(c.test is None for c in found.changes if c.player == "rare")


def test_a_judge_that_always_takes_the_first_slot_has_no_finite_slot() -> None:
    found = audited(*simple([("x", "y", "FF"), ("y", "x", "FF")] * 10))
    removed = board(found, View.SLOT_REMOVED)
    assert isinstance(removed.slot, Refusal)
    assert "no finite size" in removed.slot.reason
    assert all(isinstance(standing.strength, Refusal) for standing in removed.standings)


def test_equals_in_both_views_share_the_first_place() -> None:
    found = audited(*simple([("x", "y", "tt"), ("y", "x", "tt")] * 10))
    assert board(found, View.AB_ONLY).same_top == 1.0
    split = audited(*simple([("x", "y", "FS")] * 6 + [("x", "y", "tS")] * 14))
    # Order AB alone has x first; both orders too.
    assert board(split, View.AB_ONLY).same_top == 1.0


def test_the_test_of_a_moved_rank_is_the_share_of_resamples_that_deny_it() -> None:
    wide, authors = planted(pairs=800, position=2.0, seed=1, first="m2")
    change = next(c for c in audited(wide, authors).changes if c.view is View.AB_ONLY and c.player == "m2")
    assert change.test is not None
    assert change.test.p_value == pytest.approx(2 / 61)  # none of 60 resamples
