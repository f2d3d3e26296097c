"""People's agreement on pairs that flip, counted by hand."""

import numpy as np
import pytest

from audits.humans.label_tables import labelled, sampler
from evenhand.audits.humans.by_flip import FlipSplit, agreement_by_flip
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.stats import Estimate, Refusal

HARD = [*["AB|AA"] * 6, *["AB|AB"] * 9, *["BA|BA"] * 3]
EASY = [*["AA|AA"] * 20, *["BB|BA"] * 2, *["BB|BB"] * 8, *["AA|B-"] * 4]
NEITHER = [*["tt|AA"] * 3, *["At|AA"] * 2, *["A-|AB"] * 4]


def split(*rows: str) -> FlipSplit:
    pairs = labelled(*rows)
    found = agreement_by_flip(pairs, sampler(pairs))
    assert found is not None
    return found


def value(found: Estimate | Refusal) -> float:
    assert isinstance(found, Estimate), found
    return found.value


def test_people_agree_less_on_pairs_that_flip() -> None:
    found = split(*HARD, *EASY, *NEITHER, *["AB|--"] * 7)
    assert (found.flips, found.steady, found.neither) == (18, 34, 9)
    assert value(found.people_on_flips) == pytest.approx(6 / 18)
    assert value(found.people_on_steady) == pytest.approx(28 / 30)
    assert value(found.difference) == pytest.approx(6 / 18 - 28 / 30)
    assert isinstance(found.difference, Estimate)
    assert found.difference.interval is not None
    assert found.difference.interval.high < 0


def test_the_judge_is_held_beside_people_where_it_does_not_flip() -> None:
    found = split(*HARD, *EASY)
    # AA|AA and BB|BB are matched; BB|BA is a draw of two, a tie; AA|B- is contradicted.
    assert value(found.judge_on_steady) == pytest.approx(28 / 34)


def test_ties_and_missing_verdicts_are_no_flips() -> None:
    found = split(*EASY, *NEITHER)
    assert (found.flips, found.neither) == (0, 9)
    assert isinstance(found.people_on_flips, Refusal)
    assert isinstance(found.difference, Refusal)
    assert found.difference.reason == ("needs at least 10 pairs of either kind with labels of two annotators, has 0")
    assert isinstance(found.judge_on_steady, Estimate)


@pytest.mark.parametrize(
    ("clusters", "said"),
    [
        ([i % 4 for i in range(40)], "needs at least 5 clusters, has 2 of pairs that flip"),
        ([i if i % 2 else 0 for i in range(40)], "needs at least 5 clusters, has 1 of pairs decided alike"),
    ],
)
def test_pairs_enough_in_too_few_clusters_are_not_called_too_few_pairs(clusters: list[int], said: str) -> None:
    pairs = labelled(*["AA|AA", "AB|AA"] * 20, clusters=clusters)
    found = agreement_by_flip(pairs, sampler(pairs))
    assert found is not None
    assert isinstance(found.difference, Refusal)
    assert found.difference.reason == said


def test_few_pairs_without_a_flip_are_refused() -> None:
    found = split(*HARD, *["AA|AA"] * 9)
    assert isinstance(found.judge_on_steady, Refusal)
    assert found.judge_on_steady.reason == "needs at least 10 labelled pairs that do not flip, has 9"


def test_exchanging_the_responses_or_the_orders_changes_nothing() -> None:
    rows = [*HARD, *EASY, *NEITHER]
    turned = str.maketrans("AB", "BA")
    other = [row.translate(turned) for row in rows]
    swapped = [f"{row[1]}{row[0]}{row[2:]}" for row in rows]
    assert split(*rows) == split(*other)
    assert split(*rows) == split(*swapped)


@pytest.mark.parametrize("asked", ["single", "AB"])
def test_nobody_knows_which_pairs_flip_where_one_order_was_asked(asked: str) -> None:
    pairs: LabelledPairs = labelled(*HARD, asked=asked)  # type: ignore[arg-type]
    assert agreement_by_flip(pairs, sampler(pairs)) is None


def test_the_interval_is_over_clusters() -> None:
    rows = [*HARD, *EASY]
    alone = labelled(*rows)
    alike = labelled(*rows, *rows, *rows, clusters=list(np.tile(np.arange(len(rows)), 3)))
    once, thrice = (agreement_by_flip(pairs, sampler(pairs)) for pairs in (alone, alike))
    assert once is not None
    assert thrice is not None
    widths = [
        found.difference.interval.high - found.difference.interval.low
        for found in (once, thrice)
        if isinstance(found.difference, Estimate) and found.difference.interval is not None
    ]
    # The same question three times over tells nothing new.
    assert widths[1] > 0.85 * widths[0]
