import pytest

from evenhand.perturbations.authority import AUTHORITY_SENTENCES, claim_authority


@pytest.mark.parametrize("level", AUTHORITY_SENTENCES)
def test_the_sentence_ends_the_response(level):
    assert claim_authority("Seven is.\n", level) == f"Seven is.\n\n{AUTHORITY_SENTENCES[level]}"


def test_both_can_stand_in_one_response_and_neither_twice():
    cited = claim_authority("Seven.", "citation")
    both = claim_authority(cited, "credential")
    assert both.startswith(cited)
    assert claim_authority(both, "citation").reason == "the response already holds this citation"


def test_none_goes_into_open_code():
    assert "not closed" in claim_authority("```\nx", "citation").reason
