"""Which tokens a label may be spelled with, and when it is whole."""

from evenhand.judges.hf.constrain import Constraint, constraint_of
from evenhand.judges.hf.tokens import TokenTexts
from evenhand.records import LabelSet
from judges.tiny_models import LLAMA3, tokenizer_of


def test_single_tokens_decide_where_every_label_has_one():
    texts = TokenTexts(tokenizer_of(LLAMA3))
    labels = LabelSet.parse("A/B")
    single = [(label, texts.single(text)) for label, text in (("A", "A"), ("A", " A"), ("B", "B"))]
    made = constraint_of(texts, labels, single)
    assert made.spellings == {(token,): label for label, token in single}
    assert made.longest == 1


def test_labels_are_spelled_out_where_one_has_no_single_token():
    texts = TokenTexts(tokenizer_of(LLAMA3))
    labels = LabelSet.parse("A/unmoved")
    made = constraint_of(texts, labels, [("A", texts.single("A"))])
    assert set(made.spellings.values()) == {"A", "unmoved"}
    for ids, label in made.spellings.items():
        assert texts.decode(ids).strip() == label
    assert made.longest > 1


def test_a_label_that_begins_another_may_end_or_go_on():
    made = Constraint(spellings={(1,): "1", (1, 0): "10", (2,): "2"})
    assert made.allowed == (1, 2)
    assert made.may_end is None
    assert made.take(1) is None
    assert made.may_end == "1"
    assert made.allowed == (0,)
    assert made.take(0) == "10"
