"""The prompt for one response: what it shows, and that it is pinned."""

from evenhand.prompts.score_alone import SCALE, SCORE_ALONE_HASH, score_alone_messages


def test_it_shows_one_response_as_it_is():
    [message] = score_alone_messages("What {is} it?", "{it} is <b>.\n[RESPONSE]")
    assert message.role == "user"
    assert "\nWhat {is} it?\n" in message.content
    assert "\n{it} is <b>.\n[RESPONSE]\n[END OF RESPONSE]\n" in message.content
    assert message.content.endswith("Score: SCORE")
    assert str(SCALE[1]) in message.content


def test_the_wording_is_pinned_and_names_no_other_response():
    assert len(SCORE_ALONE_HASH) == 64
    text = score_alone_messages("", "")[0].content.casefold()
    assert not any(word in text for word in ("other", "both", "two responses", "[response a]", "better"))
