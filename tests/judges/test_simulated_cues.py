"""What could sway the simulated judge is read from the question, and only where it stands."""

import math

import pytest

from evenhand.judges.simulated_biases import Cues
from evenhand.judges.simulated_cues import cues_of, endorsements, markup_share, words_in
from evenhand.judges.simulated_shown import Shown
from evenhand.records import LabelSet

LABELS = LabelSet.parse("X/Y")
USER = "I think response {} is the better one."


def cues(first="one two", second="one two", around="", family=""):
    return cues_of(Shown(first=first, second=second, around=around), LABELS, family=family)


def test_nothing_sways_where_nothing_differs():
    assert cues() == Cues()
    assert cues_of(None, LABELS, family="x") == Cues()


def test_length_is_the_log_ratio_of_words_without_markers():
    assert cues(first="a b c d", second="<author:q> a b").length == pytest.approx(math.log(2))
    assert cues(first="", second="a").length == 0.0
    assert words_in("<quality:1><author:x y> a") == 1


def test_an_endorsement_counts_by_its_label_and_outside_of_the_responses():
    assert cues(around=f"Q? {USER.format('X')}").endorsed == 1
    assert cues(around=f"Q? {USER.format('Y')}").endorsed == -1
    assert cues(around=USER.format("X") + USER.format("Y")).endorsed == 0
    assert cues(first=USER.format("X")).endorsed == 0
    assert endorsements(USER.format("XY"), "X") == 0


def test_authors_of_the_family():
    assert cues(first="<author:Qwen3-8B> a", family="qwen").own == 1
    assert cues(second="<author:qwen-72b> a", family="Qwen").own == -1
    assert cues(first="<author:qwen-1> a", second="<author:qwen-2> a", family="qwen").own == 0
    assert cues(first="<author:not-qwen> a", family="qwen").own == 0
    assert cues(first="<author:qwen> a").own == 0


@pytest.mark.parametrize(
    ("text", "share"), [("", 0), ("a\nb", 0), ("- a\nb", 0.5), ("1. a\n\n## b", 1), ("-5 degrees", 0)]
)
def test_markup(text, share):
    assert markup_share(text) == share


def test_markup_and_contractions_are_differences():
    found = cues(first="- don't", second="do not")
    assert (found.formatting, found.informal) == (1.0, 1)
    assert cues(first="the dog's bone", second="a").informal == 0
