from evenhand.readouts import NOUNS, parse_decision
from evenhand.records import Condition, GrammarHint, LabelSet, Outcome
from evenhand.workflow.grammar import grammar_of

LABELS = LabelSet.parse("a/b")


def condition(hint: GrammarHint | None) -> Condition:
    return Condition(id="c", prompt="p", prompt_hash="0", labels=LABELS, grammar=hint)


def test_without_a_hint_the_labels_are_bare() -> None:
    assert parse_decision("a", grammar_of(condition(None))).outcome is Outcome.FIRST


def test_a_hint_says_how_labels_are_written() -> None:
    grammar = grammar_of(condition(GrammarHint(labels=LABELS, nouns=("Exhibit",), parenthesised=True)))
    assert grammar.nouns == ("Exhibit", *NOUNS)
    assert parse_decision("Exhibit (b) is better.", grammar).outcome is Outcome.SECOND
    assert parse_decision("a", grammar).outcome is None
