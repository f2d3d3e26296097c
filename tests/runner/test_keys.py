import pytest

from evenhand.judges.base import Generate
from evenhand.records import JudgeIdentity, LabelSet, LabelTokens, Message, Order, Sampling
from evenhand.runner.keys import presentation_key

JUDGE = {"spec": "kind:x", "model": "x", "revision": "sha256:1", "engine": "e 1", "settings": (("a", "1"), ("b", "2"))}
QUESTION = {
    "pair_id": "p1",
    "order": Order.AB,
    "judge": JudgeIdentity(**JUDGE),
    "messages": (Message(role="system", content="s"), Message(role="user", content="u")),
    "labels": LabelSet.parse("A/B"),
    "label_tokens": (LabelTokens(label="A", variant="A", token_id=1),),
    "sampling": Sampling(),
    "first_token": True,
    "generate": Generate.ALWAYS,
    "repeat": 0,
    "prompt_hash": "1",
}


def key(**changes):
    return presentation_key(**{**QUESTION, **changes})


CHANGES = {
    "pair id": {"pair_id": "p2"},
    "order": {"order": Order.BA},
    "model": {"judge": JudgeIdentity(**{**JUDGE, "model": "y"})},
    "revision": {"judge": JudgeIdentity(**{**JUDGE, "revision": "sha256:2"})},
    "no revision": {"judge": JudgeIdentity(**{**JUDGE, "revision": None})},
    "engine": {"judge": JudgeIdentity(**{**JUDGE, "engine": "e 2"})},
    "setting": {"judge": JudgeIdentity(**{**JUDGE, "settings": (("a", "1"), ("b", "3"))})},
    "fewer settings": {"judge": JudgeIdentity(**{**JUDGE, "settings": (("a", "1"),)})},
    "role": {"messages": (Message(role="user", content="s"), Message(role="user", content="u"))},
    "content": {"messages": (Message(role="system", content="s"), Message(role="user", content="v"))},
    "where a message ends": {"messages": (Message(role="system", content="su"), Message(role="user", content=""))},
    "labels": {"labels": LabelSet.parse("X/Y")},
    "labels' order": {"labels": LabelSet.parse("B/A")},
    "a tie": {"labels": LabelSet.parse("A/B/C")},
    "case": {"labels": LabelSet(first="A", second="B", case_sensitive=True)},
    "token id": {"label_tokens": (LabelTokens(label="A", variant="A", token_id=2),)},
    "no token": {"label_tokens": (LabelTokens(label="A", variant="A", token_id=None),)},
    "variant": {"label_tokens": (LabelTokens(label="A", variant=" A", token_id=1),)},
    "temperature": {"sampling": Sampling(temperature=0.5)},
    "budgets": {"sampling": Sampling(budgets=(500,))},
    "first token": {"first_token": False},
    "generate": {"generate": Generate.UNLESS_LED},
    "repeat": {"repeat": 1},
    "prompt": {"prompt_hash": "2"},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_each_component_changes_the_key(change):
    assert key(**change) != key()


def test_all_changes_differ_among_themselves():
    assert len({key(**change) for change in CHANGES.values()}) == len(CHANGES)


@pytest.mark.parametrize(
    "change",
    [
        {"judge": JudgeIdentity(**{**JUDGE, "spec": "alias:x"})},
        {"judge": JudgeIdentity(**{**JUDGE, "settings": (("b", "2"), ("a", "1"))})},
        {"sampling": Sampling(temperature=0)},
        {"messages": list(QUESTION["messages"])},
        {"generate": "always"},
    ],
    ids=["spec", "order of settings", "integer zero", "list", "plain text"],
)
def test_what_cannot_change_an_answer_does_not_change_the_key(change):
    assert key(**change) == key()


def test_the_recipe_is_pinned():
    # If this changes, raise KEY_VERSION: old answers must not be taken for new questions, nor be lost unawares.
    assert key() == "b9af1c76f8f9f89aa49b58df55931423f6aac2184e08e3b0a12460c763e12609"


def test_hostile_texts_have_keys():
    assert len(key(pair_id="\ud800\x00", messages=[Message(role="user", content="\udfff" * 1000)])) == 64


def test_changes_of_a_pair_are_part_of_the_key_and_their_absence_is_not():
    changed = key(changes=("tone=hedged:A",))
    assert len({key(), changed, key(changes=("tone=hedged:B",)), key(changes=("tone=hedged:A", "x"))}) == 4
    assert key(changes=()) == key()  # so the keys of runs without changes are what they were
