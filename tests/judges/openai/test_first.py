"""First-token records from what endpoints return, well or badly."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.judges.openai.first import position_of, read_first
from evenhand.records import LabelSet, Outcome
from judges.openai.faulty import entry, top

LABELS = LabelSet.parse("A/B")


def read(position, text="A", *, bound=False, labels=LABELS):
    return read_first(position_of({"logprobs": {"content": [position]}}), text=text, labels=labels, bound=bound)


def listed(*entries, **written):
    return {**entries[0], **written, "top_logprobs": list(entries)}


def by_text(first):
    return {token.text: token for _, tokens in first.labels for token in tokens}


def test_what_was_not_returned_is_censored_and_bounded():
    found = read(top(A=0.6, _B=0.2, The=0.1))
    assert found.note is None
    first = found.first
    assert not first.whole_vocabulary
    assert [token.text for token in first.top] == ["A", " B", "The"]
    assert first.argmax == first.top[0]
    tokens = by_text(first)
    assert tokens["A"].logprob == pytest.approx(math.log(0.6))
    assert tokens[" B"].logprob == pytest.approx(math.log(0.2))
    assert [outcome for outcome, _ in first.labels] == [Outcome.FIRST, Outcome.SECOND]
    # The smallest that was returned, .1, equals what the others leave of 1.
    for missing in (tokens[" A"], tokens["B"]):
        assert missing.logprob is None
        assert missing.below == pytest.approx(math.log(0.1), abs=0.01)


def test_the_bound_is_what_the_others_leave_of_1_where_that_is_less():
    tokens = by_text(read(top(A=0.7, The=0.29)).first)
    assert tokens["B"].below == pytest.approx(math.log(0.01 + 1e-4))
    # A sum above 1 by rounding leaves the slack, never less.
    assert by_text(read(top(A=0.99999, The=0.00002)).first)["B"].below == pytest.approx(math.log(0.00002))
    assert by_text(read(top(A=0.8, The=0.2001)).first)["B"].below == pytest.approx(math.log(1e-4))


@given(
    st.lists(st.floats(1e-6, 1), min_size=3, max_size=12),
    st.integers(1, 12),
    st.permutations(["A", " A", "B", " B", "The", "x", "y", "z", "1", "2", "3", "4"]),
)
def test_a_censored_label_never_has_more_than_its_bound(weights, k, names):
    total = math.fsum(weights)
    whole = sorted(((w / total, name) for w, name in zip(weights, names, strict=False)), reverse=True)
    shown = [entry(name, math.log(p)) for p, name in whole[:k]]
    first = read(listed(*shown), text=whole[0][1]).first
    truth = {name: p for p, name in whole}
    for name, token in by_text(first).items():
        if token.logprob is None:
            assert truth.get(name, 0.0) <= math.exp(token.below) * (1 + 1e-9)
        else:
            assert math.exp(token.logprob) == pytest.approx(truth[name])
    assert all(token.logprob is None or token.logprob <= first.argmax.logprob for token in by_text(first).values())


def test_several_tokens_of_the_same_text_are_summed_for_labels_and_kept_apart_in_the_record():
    first = read(listed(entry("The", -1.0), entry("A", math.log(0.2)), entry("A", math.log(0.1))), "The end").first
    assert by_text(first)["A"].logprob == pytest.approx(math.log(0.3))
    assert [token.text for token in first.top] == ["The", "A", "A"]


def test_tokens_are_read_by_their_bytes():
    half = {"token": "\\xf0\\x9f", "bytes": [0xF0, 0x9F], "logprob": -0.5}
    found = read(listed(half, {"token": "A", "bytes": None, "logprob": -1.0}), "🦄 A")
    assert found.first.argmax.text == "\ufffd"
    assert by_text(found.first)["A"].logprob == -1.0
    assert read(listed(half), "").first is not None or read(listed(half), "").note
    assert read(listed(half), "\ufffd").first is not None


@pytest.mark.parametrize("text", ["A", "A: yes", " A", "\nA is"])
def test_white_space_before_the_text_may_be_stripped(text):
    assert read(top(_A=0.9, B=0.1), text).first.argmax.text == " A"
    assert read(top(A=0.9, B=0.1), text).first.argmax.text == "A"


def test_the_end_of_the_turn_is_the_first_token_of_no_text():
    end = {"token": "<|im_end|>", "bytes": None, "logprob": -0.1}
    assert read(listed(end, entry("A", -3.0)), "").first.argmax.text == "<|im_end|>"
    assert read(listed({"token": "", "bytes": [], "logprob": -0.1}), "").first is not None
    assert read(listed(end), "A").first is None


@pytest.mark.parametrize("text", ["", "B", "Well, A", "a"])
def test_log_probabilities_of_something_else_are_not_used(text):
    found = read(top(A=0.9, B=0.1), text)
    assert found.first is None
    assert found.note.startswith("the log probabilities are not of the text's beginning")


@pytest.mark.parametrize(
    ("choice", "note"),
    [
        ({}, "returned no log probabilities"),
        ({"logprobs": None}, "returned no log probabilities"),
        ({"logprobs": {"content": None}}, "returned no log probabilities"),
        ({"logprobs": {"content": []}}, "returned no log probabilities"),
        ({"logprobs": [1]}, "returned no log probabilities"),
        ({"logprobs": {"content": ["A"]}}, "can't be read"),
        ({"logprobs": {"content": [{"token": 3, "logprob": -1}]}}, "can't be read"),
        ({"logprobs": {"content": [{"token": "A", "logprob": -1, "top_logprobs": "A"}]}}, "can't be read"),
        ({"logprobs": {"content": [listed(entry("A", None))]}}, "that are none"),
        ({"logprobs": {"content": [listed(entry("A", math.nan))]}}, "that are none"),
        ({"logprobs": {"content": [listed(entry("A", -1.0), entry("B", True))]}}, "that are none"),
        ({"logprobs": {"content": [listed(entry("A", 0.9))]}}, "that are none"),
        ({"logprobs": {"content": [listed(entry("token_id:49", -0.1))]}}, "by id"),
    ],
)
def test_no_distribution(choice, note):
    found = read_first(position_of(choice), text="A", labels=LABELS)
    assert found.first is None
    assert note in found.note


def test_rounding_above_0_and_the_stand_in_for_unlikely():
    first = read(listed(entry("A", 3e-7), entry("B", -9999.0), entry("C", -math.inf))).first
    assert first.argmax.logprob == 0.0
    assert [token.text for token in first.top] == ["A"]
    assert by_text(first)["B"].logprob is None
    assert by_text(first)["B"].below == pytest.approx(math.log(1e-4), abs=0.01)


def test_only_the_written_token_is_an_argmax_with_bounds():
    for top_logprobs in ([], None):
        found = read({**entry("A", math.log(0.75)), "top_logprobs": top_logprobs})
        assert found.first.argmax.text == "A"
        assert by_text(found.first)["B"].below == pytest.approx(math.log(0.25), abs=1e-3)
        assert "written token's" in found.note
        assert read({**entry("A", -1.0), "top_logprobs": top_logprobs}, bound=True).first is None


def test_what_was_written_should_be_the_likeliest():
    entries = [entry("The", -0.3), entry("A", -1.5)]
    found = read({**entry("A", -1.5), "top_logprobs": entries})
    assert found.first.argmax.text == "The"
    assert "not the likeliest" in found.note
    outside = read({**entry("A", -9.0), "top_logprobs": entries[:1]})
    assert outside.first is None
    assert "not among those returned" in outside.note


def test_under_a_constraint_what_was_written_need_not_be_likely():
    found = read({**entry("A", -7.0), "top_logprobs": [entry("The", -1.0), entry("I", -2.0)]}, bound=True)
    assert found.note is None
    assert found.first.argmax.text == "The"
    # The record is the same as without the constraint.
    assert by_text(found.first)["A"].logprob is None
    assert by_text(found.first)["B"].below == -2.0


def test_the_middle_of_a_character_is_no_first_position():
    unicorn = entry(" 🦄", -0.05, id=222)
    middle = [
        {"token": "\ufffd", "bytes": [132], "logprob": -0.05},
        {"token": "\ufffd", "bytes": [133], "logprob": -4.7},
    ]
    for bound in (False, True):
        found = read({**unicorn, "top_logprobs": middle}, "🦄🦄", bound=bound)
        assert found.first is None
        assert "middle of a character" in found.note


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=3) | st.integers(-5, 300),
        lambda children: (
            st.lists(children, max_size=3)
            | st.dictionaries(
                st.sampled_from(["logprobs", "content", "token", "logprob", "bytes", "top_logprobs"]),
                children,
                max_size=6,
            )
        ),
        max_leaves=12,
    )
)
def test_whatever_comes_there_is_a_record_or_a_reason(anything):
    for choice in ({"logprobs": anything}, {"logprobs": {"content": [anything]}}, {"logprobs": {"content": anything}}):
        found = read_first(position_of(choice), text="A", labels=LABELS)
        assert found.first is not None or found.note


def test_a_whole_number_too_large_for_a_float_is_no_log_probability():
    found = read({**entry("A", -0.2), "top_logprobs": [entry("A", -0.2), entry("B", -(10**400))]})
    assert found.first is None
    assert "are none" in found.note


def test_probabilities_of_more_than_one_together_are_none():
    found = read({**entry("A", 0.0), "top_logprobs": [entry("A", 0.0), entry("B", 0.0)]})
    assert found.first is None
    assert "add up to more than 1" in found.note
    # Two digits, each rounded up.
    assert read({**entry("A", -0.69), "top_logprobs": [entry("A", -0.69), entry("B", -0.69)]}).first is not None


@pytest.mark.parametrize("bound", [False, True])
def test_what_is_listed_only_because_it_was_written_bounds_nothing(bound):
    # vLLM: the written token first, then as many of the likeliest as there is room for.
    listed = [entry("A", -7.0), entry("The", -1.0), entry("I", -2.0)]
    found = by_text(read({**entry("A", -7.0), "top_logprobs": listed}, bound=bound).first)
    assert found["A"].logprob == -7.0
    assert found["B"].below == -2.0
