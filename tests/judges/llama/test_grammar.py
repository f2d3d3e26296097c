"""The grammar of a constrained answer: no label can end its string or add a rule."""

import re

import pytest

from evenhand.judges.llama.grammar import label_grammar
from evenhand.records import LabelSet


def read_back(grammar):
    """The labels of a grammar, its strings decoded as GBNF has them."""
    strings = re.findall(r'"((?:[^"\\]|\\U[0-9A-F]{8})*)"', grammar)
    return [re.sub(r"\\U([0-9A-F]{8})", lambda match: chr(int(match[1], 16)), text) for text in strings]


@pytest.mark.parametrize(
    "labels",
    [
        ("A", "B", None),
        ("A", "B", "tie"),
        ('a"b', "a\\b", None),
        ('"', "\\", "]"),
        ('" | "x', '"\nroot ::= [^z]+ #', None),
        ("é", "选", "🦄"),
        ("[[A]]", "a\tb", "a\x00b"),
    ],
)
def test_exactly_the_labels_whatever_is_in_them(labels):
    first, second, tie = labels
    grammar = label_grammar(LabelSet(first=first, second=second, tie=tie))
    assert read_back(grammar) == [label for label in labels if label is not None]
    assert grammar.isascii()
    assert grammar.count("::=") == 1
    assert "\n" not in grammar


def test_a_space_may_stand_before_the_label_only_after_a_prefill():
    labels = LabelSet.parse("A/B")
    assert label_grammar(labels) == 'root ::= "A" | "B"'
    assert label_grammar(labels, spaced=True) == 'root ::= " "? ("A" | "B")'
