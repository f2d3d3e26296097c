"""Verdicts and labels side by side."""

import numpy as np
import pytest

from audits.humans.label_tables import labelled
from audits.tables import verdicts
from evenhand.analysis.scope import ABSENT
from evenhand.analysis.wide import widen
from evenhand.audits.humans.labelled import LabelledPairs, gather
from evenhand.datasets.labels import Label
from evenhand.records import Preference, verdict_table

A, B, TIE = 0, 1, 2


def test_both_orders_agree_conflict_or_are_missing() -> None:
    pairs = labelled("AA|A", "AB|A", "tA|A", "A-|A", "--|A", "tt|A")
    assert pairs.verdict.tolist() == [A, TIE, TIE, ABSENT, ABSENT, TIE]


def test_one_order_is_the_verdict_where_no_other_was_asked() -> None:
    shown = labelled("A-|A", "-B|A", "--|A", asked="single")
    assert (shown.verdict_name, shown.verdict.tolist()) == ("the order shown", [A, B, ABSENT])
    assert shown.judge_points[:2].tolist() == [1.0, 0.0]


def test_order_ba_of_chosen_pairs_does_not_enter() -> None:
    chosen = labelled("AB|A", "A-|A", "BA|A", asked="AB")
    assert (chosen.verdict_name, chosen.verdict.tolist()) == ("order AB", [A, A, B])
    assert chosen.judge_points.tolist() == [1.0, 1.0, 0.0]


def test_points_of_the_judge_are_over_the_orders_that_have_a_verdict() -> None:
    points = labelled("AA|A", "AB|A", "tB|A", "A-|A", "--|A").judge_points
    assert points[:4].tolist() == [1.0, 0.5, 0.25, 1.0]
    assert np.isnan(points[4])


def test_consensus_is_the_majority_and_a_draw_is_a_tie() -> None:
    pairs = labelled("AA|AAB", "AA|AB-", "AA|--B", "AA|---", "AA|tAA")
    assert pairs.consensus.tolist() == [A, TIE, B, ABSENT, A]
    assert pairs.human_points[:3].tolist() == [2 / 3, 0.5, 0.0]
    assert np.isnan(pairs.human_points[3])


def test_the_others_are_without_the_one() -> None:
    pairs = labelled("AA|AAB", "AA|A--")
    assert pairs.without("h2").tolist() == [A, A]
    assert pairs.without("h0").tolist() == [ABSENT, ABSENT]  # A and B: the others are a draw
    assert pairs.by("h2").tolist() == [B, ABSENT]


def test_who_labelled_most_comes_first() -> None:
    assert labelled("AA|-B", "AA|AB").annotators == ("h1", "h0")


def relabelled(*said: tuple[str | None, Preference, str | None]) -> LabelledPairs:
    """One pair, with labels of (annotator, preference, date) in the file's order."""
    labels = [
        Label(pair_id="p0", preference=preference, annotator=who, date=date, row=row)
        for row, (who, preference, date) in enumerate(said)
    ]
    wide = widen(verdict_table(verdicts({"p0": "FS"})))
    return gather(
        wide.scopes[0], judge="j", ids=["p0"], clusters=wide.facts.group, labels=labels, authors={"p0": ("x", "y")}
    )


def test_the_last_of_an_annotators_labels_counts() -> None:
    pairs = relabelled(("h", Preference.B, "2026-02-01"), ("h", Preference.A, "2026-01-01"))
    assert pairs.by("h").tolist() == [B]
    assert (pairs.ab.tolist(), pairs.ba.tolist()) == ([A], [A])
    assert pairs.authors == (("x", "y"),)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("20261130", "2026-12-01"),  # as texts, the other way round
        ("2026-11-30T23:30:00-05:00", "2026-12-01T04:45:00+00:00"),
        ("2026-11-30T10:00:00", "2026-11-30T10:00:01+00:00"),
        (None, "2020-01-01"),
        ("2026-11-30", "2026-11-30T00:00:00"),  # the same time: the file's order
    ],
)
def test_the_last_label_is_the_last_in_time_however_it_is_written(earlier: str | None, later: str) -> None:
    pairs = relabelled(("h", Preference.A, earlier), ("h", Preference.B, later))
    assert pairs.by("h").tolist() == [B]


def test_who_labels_a_pair_again_is_not_two_people() -> None:
    pairs = relabelled(
        ("h", Preference.A, "2026-01-01"),
        ("h", Preference.A, "2026-02-01"),
        ("h", Preference.B, "2026-03-01"),
        ("k", Preference.B, None),
    )
    assert pairs.consensus.tolist() == [B]
    assert pairs.human_points.tolist() == [0.0]
    assert pairs.without("k").tolist() == [B]
