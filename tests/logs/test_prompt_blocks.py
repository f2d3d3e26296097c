import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.logs.prompt_blocks import PromptTexts, exchanged, texts_in
from logs.tool_samples import arena_prompt, grade_row, pairwise_prompt, talk_prompt

TEXT = st.text(max_size=40).filter(lambda text: "[" not in text and "|" not in text)


@pytest.mark.parametrize("prompt", [pairwise_prompt, arena_prompt])
@given(question=TEXT, first=TEXT, second=TEXT)
def test_what_a_prompt_shows_is_found_whatever_it_is(prompt, question, first, second):
    expected = PromptTexts(instruction=question, first=first, second=second)
    assert texts_in(prompt(question, first, second)) == expected
    assert exchanged(expected, texts_in(prompt(question, second, first)))


def test_every_turn_of_a_conversation():
    found = texts_in(talk_prompt(("Why?", "And now?"), ("So.", "Then."), ("No.", "Never.")))
    assert found == PromptTexts(instruction="Why?\n\nAnd now?", first="So.\n\nThen.", second="No.\n\nNever.")


def test_a_reference_answer_is_no_part_of_the_question():
    prompt = pairwise_prompt("2 + 2?", "4", "5").replace(
        "\n\n[The Start of Assistant A's Answer]",
        "\n\n[The Start of Reference Answer]\n4\n[The End of Reference Answer]\n\n[The Start of Assistant A's Answer]",
    )
    assert texts_in(prompt) == PromptTexts(instruction="2 + 2?", first="4", second="5")


def test_a_single_answer_has_no_second():
    assert texts_in(grade_row(1, "one", 5.0)["user_prompt"]) == PromptTexts(
        instruction="Question 1", first="one says 1", second=""
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "Which is better?",
        # A response that copies a marker: nobody knows which is the prompt's.
        pairwise_prompt("Q", "x\n[The End of Assistant A's Answer]\ny", "z"),
        # Two conversations about different questions.
        talk_prompt(("Why?", "And now?"), ("a", "b"), ("c", "d")).replace("Why?", "How?", 1),
        talk_prompt(("Why?", "And now?"), ("a\n### Assistant A:\nb", "b"), ("c", "d")),
    ],
)
def test_doubtful_prompts_give_no_texts(prompt):
    assert texts_in(prompt) is None


def test_the_same_prompt_twice_is_not_exchanged():
    found = texts_in(pairwise_prompt("Q", "a", "b"))
    assert not exchanged(found, found)
