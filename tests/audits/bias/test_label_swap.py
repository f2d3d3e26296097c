import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.audits.bias.label_swap import LONGEST, by_response, likeness, words_of
from evenhand.records import LabelSet, Order

AB = LabelSet.parse("A/B")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Response A is better than Response B.", "Response ⟦A⟧ is better than Response ⟦B⟧."),
        ("[[A]]", "[[⟦A⟧]]"),
        ("A good text. A is clear.", "A good text. ⟦A⟧ is clear."),
        ("The First response, not the second one.", "The ⟦A⟧ response, not the ⟦B⟧ one."),
        ("First, it is short. Second, it is right.", "First, it is short. Second, it is right."),
        ("A's style and ABBA", "⟦A⟧'s style and ABBA"),
        ("(A) or (B)?", "(⟦A⟧) or (⟦B⟧)?"),
    ],
)
def test_labels_become_responses_and_articles_stay(text, expected):
    assert by_response(text, AB, Order.AB) == expected


def test_other_labels():
    labels = LabelSet.parse("Output (a)/Output (b)")
    assert by_response("Output (a) is right, Output (b) isn't.", labels, Order.BA) == "⟦B⟧ is right, ⟦A⟧ isn't."
    numbers = LabelSet.parse("1/2")
    assert by_response("Assistant 1 lists 12 items, 2 doesn't.", numbers, Order.AB) == (
        "Assistant ⟦A⟧ lists 12 items, ⟦B⟧ doesn't."
    )


REASON = "Response {} answers the question that was asked and gives the figure, Response {} rambles and gives none."


def test_the_same_said_of_the_same_responses():
    found = likeness(REASON.format("A", "B"), REASON.format("B", "A"), AB)
    assert found.by_response == 1.0
    assert 0.85 < found.by_slot < 1.0


def test_the_same_said_of_the_same_slots():
    found = likeness(REASON.format("A", "B"), REASON.format("A", "B"), AB)
    assert found.by_slot == 1.0
    assert 0.85 < found.by_response < 1.0


def test_same_words_in_another_order_are_not_alike():
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    assert likeness(" ".join(words), " ".join(reversed(words)), AB).by_slot < 0.2


@given(ab=st.text(max_size=300), ba=st.text(max_size=300))
def test_likeness_is_a_share_and_no_text_breaks_it(ab, ba):
    one, other = likeness(ab, ba, AB), likeness(ba, ab, AB)
    assert 0 <= one.by_response <= 1
    assert one.by_slot == pytest.approx(other.by_slot)
    assert likeness(ab, ab, AB).by_slot == 1.0


@given(
    words=st.lists(
        st.sampled_from(["A", "B", "is", "and", "Response A", "is the first response", "B's", "(A)", "AB", "."])
    )
)
def test_exchanging_labels_is_exchanging_orders(words):
    text = " ".join(words)
    exchanged = " ".join(_exchanged(word) for word in words)
    assert by_response(exchanged, AB, Order.BA) == by_response(text, AB, Order.AB)


def _exchanged(word):
    if word == "AB":
        return word
    return word.replace("first", "second") if "first" in word else word.translate(str.maketrans("AB", "BA"))


def test_long_texts_are_cut():
    assert len(words_of("x " * LONGEST)) == LONGEST // 2
    assert likeness("same " * 2000 + "one", "same " * 2000 + "other", AB).by_slot == 1.0
