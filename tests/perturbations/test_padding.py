import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.datasets import load_pairs
from evenhand.perturbations.base import NotApplicable
from evenhand.perturbations.padding import LEAD_INS, LONGEST_FACTOR, PADDING, SHORTEST_FACTOR, pad

RESPONSES = [text for pair in load_pairs("starter") for text in (pair.response_a, pair.response_b)]
LEADS = re.compile("|".join(map(re.escape, LEAD_INS)))


def test_the_response_comes_first_and_untouched():
    response = "Use a set.\n\n```python\nseen = set()\n```\nIt keeps each item once. So it is quick."
    padded = pad(response)
    assert padded == f"{response}\n\nTo restate: Use a set. In other words: It keeps each item once."
    assert padded.count("seen = set()") == 1


@pytest.mark.parametrize("response", RESPONSES)
def test_starter_responses_say_nothing_new(response):
    padded = pad(response)
    if isinstance(padded, NotApplicable):
        assert "```" in response
        return
    assert padded.startswith(f"{response}\n\nTo restate: ")
    added = padded[len(response) :]
    sentences = [part.strip() for part in LEADS.split(added)[1:]]
    assert all(sentence in response for sentence in sentences)
    factor = len(padded) / len(response)
    if len(sentences) > 1:
        assert factor <= LONGEST_FACTOR + 2 / len(response)
    # Long enough unless no sentence fits any more.
    shortest = min(len(sentence) for sentence in sentences) + max(map(len, LEAD_INS)) + 2
    assert factor >= SHORTEST_FACTOR or factor + shortest / len(response) > LONGEST_FACTOR


def test_most_starter_responses_come_out_one_and_a_half_to_two_times_as_long():
    factors = [len(padded) / len(text) for text in RESPONSES if isinstance(padded := pad(text), str)]
    assert len(factors) == 115
    assert sum(SHORTEST_FACTOR <= factor <= LONGEST_FACTOR for factor in factors) >= 85
    assert max(factors) < 3


@given(
    st.lists(
        st.sampled_from(["Yes.", "It is so.", "A longer sentence stands here, as one may."]), min_size=4, max_size=40
    )
)
def test_several_sentences_reach_the_length(sentences):
    response = " ".join(sentences)
    padded = pad(response)
    if len(response) > 100:
        assert SHORTEST_FACTOR <= len(padded) / len(response) <= LONGEST_FACTOR


def test_short_sentences_are_gone_round_again():
    long = "This one is so long that it would go far beyond the length of a response with all in it that we have."
    assert pad(f"No. {long}").count(" No.") > 1


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ("```\nls\n```", "no sentence"),
        ("| a | b |\n|---|---|", "no sentence"),
        ("---\n***", "no sentence"),
        ("So:\n```\nls", "not closed"),
    ],
)
def test_where_there_is_nothing_to_repeat(response, reason):
    assert reason in pad(response).reason


def test_formulas_are_repeated_whole():
    response = "So \\(a. B\\) holds.\n\\[\na = 1\n\\]\nThus it is."
    assert pad(response) == f"{response}\n\nTo restate: So \\(a. B\\) holds."
    assert pad("\\[\na = 1\n\\]").endswith("To restate: \\[\na = 1\n\\]")


def test_list_marks_are_not_repeated():
    assert pad("1. Stir well\n2. Rest now") == "1. Stir well\n2. Rest now\n\nTo restate: Stir well"


def test_lead_ins_differ_and_end_in_a_colon():
    assert len(set(LEAD_INS)) == len(LEAD_INS)
    assert all(lead.endswith(":") for lead in LEAD_INS)
    assert [level.exact for level in PADDING.levels] == [True, False]
