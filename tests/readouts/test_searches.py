"""Every search of a grammar finds exactly what its pattern finds by itself, whatever the labels and nouns."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.readouts.grammar import DecisionGrammar
from evenhand.readouts.patterns import Patterns
from evenhand.readouts.search import Anywhere, AtEnd, Searchable, With
from evenhand.readouts.searches import Searches
from evenhand.records import LabelSet
from readouts.wordings import Wordings, wordings_of

GRAMMARS = {
    "plain": DecisionGrammar.of(LabelSet.parse("A/B")),
    "arena": DecisionGrammar(labels=LabelSet.parse("A/B/C"), comparison=True),
    "parentheses": DecisionGrammar(labels=LabelSet.parse("a/b"), parenthesised=True),
    "any case": DecisionGrammar(labels=LabelSet.parse("sSk/Ki"), case_insensitive=True),
    "words": DecisionGrammar(labels=LabelSet.parse("Response 1/Response 2/tie"), nouns=("Story", "one [x]")),
    "signs": DecisionGrammar(labels=LabelSet(first="[A]", second="+"), comparison=True),
}

PIECES = [
    *("{1}", "{2}", " {1} ", " {2}", "({1})", '"{2}"', "[{1}]", "{1}'s answer", "{2}'s own summary"),
    *("the ", "The Response ", "response output ", "Story ", "one [x] ", "['(", '"] ', ")", "\\", "[[", "]]", "[\\["),
    *(" is better", " is clearly the better answer of the two", " wins", ", clearly,wins", " beats ", " by far"),
    *(
        " is worse than ",
        " isn't as good as ",
        " loses to ",
        " was outperformed by ",
        " is my pick",
        " would be my vote",
    ),
    *("The verdict is ", "WINNER: ", "judgement = ", "preferred answer: ", "the Story that is better is ", "vote - "),
    *("the explanation and answer which seems the best: ", "the answer is ", "best Response: ", "final answer "),
    *("\\boxed{", "}", "\\boxed{\\text{", "<verdict>", "</verdict>", "<answer>\n", "\n</answer>", ">", ">>", "="),
    *("I choose ", "we'd pick ", "I'd say it's ", "I, rather, select ", "going with ", "the edge goes to ", "i "),
    *(
        "I find ",
        "consider ",
        "rate that ",
        "deem ",
        " to be superior",
        "it's a tie",
        "call it a draw",
        "tie",
        " as draw",
    ),
    *(
        "both are equally good",
        "neither is better",
        "they are tied",
        " and {2} are of the same quality",
        " or ",
        " and ",
    ),
    *(" clearly states ", " chose ", "'s text says ", ". ", "\n", " ", ", ", ": ", "\u017f", "\u0131t\u017f", "\u212a"),
    *("w\u0131nner i\u017f ", "ver\u0130dict", "THE CONCLUS\u0130ON IS ", "\u017fay ", " i\u017f the be\u017ft"),
]

MENTIONS = ["{1}", "{2}", "Response {1}", "the response output {2}", "Story ({1})", "({2})", '"{1}"', "one [x] {1}"]
OPENINGS = [
    *("The verdict is ", "WINNER: ", "judgement = ", "preferred answer: ", "the Story that is better is ", "vote - "),
    *("decision: ", "conclusion is ", "selection: ", "my pick is ", "chosen one: ", "choice: ", "final answer: "),
    *("the explanation and answer which seems the best: ", "superior one is ", "stronger one is ", "the answer is "),
    *(
        "best one: ",
        "I choose ",
        "we'd pick ",
        "I'd select ",
        "i, favour ",
        "going with ",
        "the nod goes to ",
        "[[",
        "\\[[",
    ),
    *("I'd say it's ", "I find ", "consider ", "\\boxed{", "<verdict>", "w\u0131nner: "),
]
ENDINGS = [
    *(
        ".",
        "\n",
        "]]",
        "}",
        "</verdict>",
        " is better.",
        ", clearly,wins.",
        " beats {2}.",
        " is worse than {2}.",
        " loses to {1}.",
    ),
    *(" isn't as good as {2}.", " is my pick.", " to be superior.", " i\u017f the be\u017ft."),
]
sentences = st.tuples(st.sampled_from(["", *OPENINGS]), st.sampled_from(MENTIONS), st.sampled_from(ENDINGS)).map(
    "".join
)
scripts = st.lists(sentences | st.sampled_from(PIECES), max_size=8).map("".join)
EVERY_SENTENCE = "".join(f"{opening}{mention}.\n" for opening in OPENINGS for mention in MENTIONS) + "".join(
    f"{mention}{ending}\n" for mention in MENTIONS for ending in ENDINGS
)


def test_there_is_a_search_for_each_pattern_that_can_match_in_many_places() -> None:
    at_one_place = {"bare_line", "marker", "lead", "bold_end", "value"}
    assert {field.name for field in fields(Searches)} == {field.name for field in fields(Patterns)} - at_one_place


@pytest.mark.parametrize("name", GRAMMARS)
@settings(max_examples=100, deadline=None)
@given(script=scripts)
@example(script=EVERY_SENTENCE)
def test_a_search_finds_what_its_pattern_finds(name: str, script: str) -> None:
    grammar = GRAMMARS[name]
    text = script.replace("{1}", grammar.labels.first).replace("{2}", grammar.labels.second)
    for field in fields(Searches):
        pattern, search = getattr(grammar.patterns, field.name), getattr(grammar.searches, field.name)
        if search is None:
            assert pattern is None
        else:
            assert found(search, text) == there(pattern, search, text), field.name


def found(search: Any, text: str) -> list[Any]:
    """What a search finds; of one that only says whether, in which lines."""
    if isinstance(search, With | AtEnd):
        return [search.search(line) is not None for line in text.split("\n")]
    return [(match.span(), match.groupdict()) for match in search.matches(Searchable(text))]


def there(pattern: re.Pattern[str], search: Any, text: str) -> list[Any]:
    """What the pattern finds by itself, told in the same way."""
    if isinstance(search, With | AtEnd):
        return [pattern.search(line) is not None for line in text.split("\n")]
    return [(match.span(), match.groupdict()) for match in pattern.finditer(text)]


SEARCHES = [field.name for field in fields(Searches)]


@cache
def wordings(name: str) -> Wordings:
    return wordings_of(getattr(GRAMMARS["arena"].patterns, name), rng=random.Random(1))  # noqa: S311 - texts, not secrets


@pytest.mark.parametrize("name", SEARCHES)
def test_every_alternative_of_a_pattern_can_match(name: str) -> None:
    assert wordings(name).unmatched == ()


@pytest.mark.parametrize("name", SEARCHES)
def test_no_wording_of_a_pattern_is_unknown_to_its_search(name: str) -> None:
    pattern, search = getattr(GRAMMARS["arena"].patterns, name), getattr(GRAMMARS["arena"].searches, name)
    texts = wordings(name).texts
    assert len(texts) > 10
    unknown = [text for text in texts if found(search, text) != there(pattern, search, text)]
    assert unknown == [], "a wording was added to patterns.py: searches.py needs its words"


@pytest.mark.parametrize("name", SEARCHES)
def test_no_word_of_a_search_is_one_that_its_pattern_does_not_need(name: str) -> None:
    pattern, search = getattr(GRAMMARS["arena"].patterns, name), getattr(GRAMMARS["arena"].searches, name)
    expected = {text: there(pattern, search, text) for text in wordings(name).texts}
    idle = [
        word for word, less in without_a_word(search) if all(found(less, text) == expected[text] for text in expected)
    ]
    assert idle == [], "searches.py has words that no wording of patterns.py needs"


def without_a_word(search: Any) -> Iterator[tuple[str, Any]]:
    """Each word of a search, and the search without it."""
    if isinstance(search, Anywhere):
        for number, way in enumerate(search.ways):
            for place, words in enumerate(way):
                for word, fewer in one_less(words):
                    changed = (*way[:place], fewer, *way[place + 1 :])
                    yield word, replace(search, ways=(*search.ways[:number], changed, *search.ways[number + 1 :]))
        if search.otherwise is not None:
            yield from ((word, replace(search, otherwise=less)) for word, less in without_a_word(search.otherwise))
    else:
        for name in {"words", "inner", "needs"} & {field.name for field in fields(search)}:
            for word, fewer in one_less(getattr(search, name)):
                yield word, replace(search, **{name: fewer})


def one_less(words: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each word, and the words with one that no text has in its place: none at all would mean that none is needed."""
    return ((word, tuple("\x00" if each == word else each for each in words)) for word in words)
