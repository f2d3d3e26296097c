"""Whose decision a sentence states, and of what."""

from __future__ import annotations

import re

import pytest

from evenhand.readouts.context import Surroundings, surroundings
from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.subject import about_the_question, is_subject, opens_a_choice
from evenhand.records import LabelSet

AB = DecisionGrammar.of(LabelSet.parse("A/B"))


def at(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str], Surroundings]:
    match = pattern.search(text)
    assert match is not None
    return match, surroundings(text, *match.span())


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The answer is B.", False),
        ("My answer is B.", False),
        ("My own answer is B.", False),
        ("The correct answer is B.", True),
        ("The most likely answer is B.", True),
        ("Its final answer is B.", True),
        ("The model's answer is B.", True),
        ("Response A says the answer is B.", True),
        ("Assistant A clearly concluded that the answer is B.", True),
        ("Response A is short. The answer is B.", False),
    ],
)
def test_about_the_question(text: str, question: bool) -> None:
    _, around = at(AB.patterns.answer, text)
    assert about_the_question(around, AB) is question


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("A is better.", True),
        ("Overall, A is better.", True),
        ("I think that A is better.", True),
        ("Vitamin A is better.", False),
        ("Plan B is better.", False),
        ("The plan of Response B is better.", False),
        ("Compared to B, A is better.", True),
        ("Response A and Response B is better.", False),
        ("In all this Response B is better.", True),  # a noun of its own names it
        ("The tone in B is better.", False),
    ],
)
def test_is_subject(text: str, subject: bool) -> None:
    match, around = at(AB.patterns.better, text)
    assert is_subject(match, around, AB) is subject


@pytest.mark.parametrize(
    ("text", "opens"),
    [
        ("I'd say A.", True),
        ("B is long. So, overall, I'd say A.", True),
        ("If I had to pick one, I'd say A.", True),
        ("When asked, I'd say A.", True),
        ("If it were shorter, I'd say A.", False),
        ("On tone, I'd say A.", False),
        ("B is fine, but I'd say A.", False),  # the rest of the sentence may limit it: not read, on purpose
    ],
)
def test_opens_a_choice(text: str, opens: bool) -> None:
    _, around = at(AB.patterns.say, text)
    assert opens_a_choice(around) is opens
