"""What the study of leaderboards says, on runs with and without position bias."""

from pathlib import Path

import pytest

from evenhand.analysis.study import Study
from evenhand.workflow.rank import rank_authors
from report.studies.tied import anchors_of
from workflow.ranked_runs import ranked_run


def study(directory: Path, position: float, *, resamples: int = 400) -> Study:
    return rank_authors(ranked_run(directory / "run", position=position), resamples=resamples).study()


@pytest.fixture(scope="module")
def biased(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return study(tmp_path_factory.mktemp("biased"), 1.5)


def test_moved_ranks_are_the_verdict_and_each_sentence_carries_its_number(biased: Study) -> None:
    head = biased.headline
    assert head.status == "bad"
    assert head.verdict.startswith("One order alone moves ")
    assert head.lead == "4 authors ranked on 120 pairs, all with a verdict in both orders."
    assert any("AB only ranks gamma 2 ranks higher than both orders do" in sentence for sentence in head.meaning)
    assert any("both orders in these shares of the resamples" in sentence for sentence in head.meaning)


def test_every_view_has_its_rows_and_the_slot_its_figure(biased: Study) -> None:
    standings = biased.table("standings")
    assert standings is not None
    assert [row[1] for row in standings.rows[::4]] == [
        "AB only",
        "BA only",
        "both orders",
        "conflicts as ties",
        "AB only, slot removed",
    ]
    assert all(row[7] is None for row in standings.rows if row[1] == "AB only, slot removed")
    shown = biased.table("shown-first")
    assert shown is not None
    assert [row[2] for row in shown.rows if row[1] == "gamma"] == [1.0]


def test_a_judge_without_position_bias_moves_nothing_beyond_its_interval(tmp_path: Path) -> None:
    head = study(tmp_path, 0.0).headline
    assert head.status in ("described", "undecided")


def test_too_few_resamples_to_tell_are_said(tmp_path: Path) -> None:
    # Eight changes: the least p of 100 resamples, 2/101, is .16 once adjusted.
    head = study(tmp_path, 1.5, resamples=100).headline
    assert head.status == "undecided"
    assert head.verdict.endswith("none beyond chance")
    assert head.next_steps[1] == "Ask for 320 resamples: 100 can't show that one of 8 ranks moved beyond chance."


def test_every_sentence_rests_on_the_table_that_has_its_figures(biased: Study) -> None:
    found = anchors_of(biased)
    assert {anchor for text, anchor in found.items() if " ranks " in text} == {"table-standings"}
    tops = {anchor for text, anchor in found.items() if "the first place is that of both orders" in text}
    assert tops == {"table-agreement"}
