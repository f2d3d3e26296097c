"""What stands around a match, and what it makes of it."""

from __future__ import annotations

import pytest

from evenhand.readouts.context import Surroundings, surroundings


def around(text: str) -> Surroundings:
    """The surroundings of what stands between the two bars."""
    start, end = text.index("|"), text.rindex("|")
    return surroundings(text.replace("|", ""), start, end - 1)


def test_the_sentence_is_cut_out_of_its_line() -> None:
    found = around("One.\nTwo. Since it is long, I find |A is better| here. Four.\nFive.")
    assert found.before == "Since it is long, I find "
    assert found.clause == " I find "
    assert found.matched == "A is better"
    assert found.after == " here."


def test_a_dot_inside_a_number_ends_no_sentence() -> None:
    assert around("With 1.5 points more |A| wins by 2.5 points.").after == " wins by 2.5 points."


def test_only_a_bounded_stretch_is_looked_at() -> None:
    found = around("not " + "x" * 1000 + "|A|" + "y" * 1000)
    assert len(found.before) == len(found.after) == 400
    assert not found.negated


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("|A is better|", False),
        ("It's not that |A is better|", True),
        ("I don't think |A is better|", True),
        ("It is not long, but |A is better|", False),  # the denial is of another clause
        ("It is unclear, though people ask, that |A is better|", True),  # a doubt reaches over clauses
        ("No doubt |A is better|", False),
        ("Not only that: |A is better|", False),
        ("B rather than |A|", True),
        ("B over |A|", True),
        ("neither B nor |A|", True),
        ("It is false that |A is better|", True),
    ],
)
def test_negation(text: str, negated: bool) -> None:
    assert around(text).negated is negated


@pytest.mark.parametrize(
    ("text", "conditional"),
    [
        ("|A is better|.", False),
        ("If it were short, |A is better|.", True),
        ("whether |A is better|.", True),
        ("Even if B is short, |A is better|.", False),
        ("If I had to choose, |A is better|.", False),
        ("|A is better| if you want detail.", True),
        ("|[[A]]| or the other.", True),
        ("|A is better|?", True),
        ("If it were short. |A is better|.", False),
    ],
)
def test_condition(text: str, conditional: bool) -> None:
    assert around(text).conditional is conditional


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("|A is better|", False),
        ("Some may say |A is better|", True),
        ("The prompt asks me to say |A is better|", True),
        ("|Please answer with A|", True),
        ("At first glance |A is better|", True),
        ("At first glance B is fine, but |A is better|", False),
    ],
)
def test_somebody_elses_view(text: str, reported: bool) -> None:
    assert around(text).reported is reported


@pytest.mark.parametrize(
    ("text", "final", "concluding"),
    [
        ("|A is better|", False, False),
        ("Overall, |A is better|", False, True),
        ("Long, so |A is better|", False, True),
        ("In conclusion, |A is better|", True, True),
        ("If I had to choose, |A|", True, True),
        ("Finally. |A is better|", False, False),  # that was another sentence
    ],
)
def test_marks_of_a_conclusion(text: str, final: bool, concluding: bool) -> None:
    found = around(text)
    assert (found.final, found.concluding) == (final, concluding)


@pytest.mark.parametrize(
    ("text", "quoted", "wrapped"),
    [
        ("|A|", False, False),
        ('He says "yes, |A|, of course" to all.', True, False),
        ('My verdict is "|A|" today.', True, True),
        ('"|A|"', False, True),  # a whole line in quotation marks is the judge's own
        ('"x" and |A| and "y"', False, False),
        ("> |A|", True, False),
    ],
)
def test_quotation(text: str, quoted: bool, wrapped: bool) -> None:
    found = around(text)
    assert (found.quoted, found.wrapped) == (quoted, wrapped)


@pytest.mark.parametrize(
    ("text", "aspect"),
    [
        ("In terms of clarity, |A is better|", True),
        ("When it comes to tone, however |A is better|", True),
        ("For this reason, |A is better|", False),
        ("In terms of clarity B leads, and in tone too, yet overall, |A is better|", False),
    ],
)
def test_one_aspect(text: str, aspect: bool) -> None:
    assert around(text).of_one_aspect is aspect
