import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.perturbations.base import NotApplicable
from evenhand.perturbations.register import NEGATIONS, PRONOUNS, contract


@pytest.mark.parametrize(("full", "short"), NEGATIONS.items())
def test_every_negation_in_both_cases(full, short):
    assert contract(f"They {full} go.") == f"They {short} go."
    assert contract(f"{full[0].upper()}{full[1:]} go.") == f"{short[0].upper()}{short[1:]} go."


@pytest.mark.parametrize(("full", "short"), PRONOUNS.items())
def test_every_pronoun_before_an_article(full, short):
    assert contract(f"so {full} the rest.") == f"so {short} the rest."


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It is now lower than it is there.", "It's now lower than it is there."),
        ("It is not so.", "It isn't so."),
        ("You will see.", "You'll see."),
        ("if you will have it", "if you'll have it"),
        ("`I do not` do not and ``a ` do not`` cannot", "`I do not` don't and ``a ` do not`` can't"),
        ("an open ` do not", "an open ` don't"),
        ("Do not:\n```\nif a is not b:\n```\nIt cannot.", "Don't:\n```\nif a is not b:\n```\nIt can't."),
        ("` is\nnot`, it does not", "` is\nnot`, it doesn't"),
    ],
)
def test_contractions(before, after):
    assert contract(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "so much for what it is",
        "It is.",
        "It is and will stay.",
        "It is, I think, so.",
        "as good as it is in May",
        "do NOT, DO NOT",
        "is not-for-profit",
        "redo not",
        "my-do not",
        "It's, don't, can't",
        "Das ist nicht so.",
    ],
)
def test_what_stays_as_it_is(text):
    assert contract(text).reason == "the response has no word pair to contract"


@given(
    st.lists(st.sampled_from([*NEGATIONS, *PRONOUNS, "It is", "a", "the", "`", "so.", "\n", "```\n", "not"])).map(
        " ".join
    )
)
def test_only_those_pairs_change_and_only_once(text):
    shorter = contract(text)
    if isinstance(shorter, NotApplicable):
        return
    assert len(shorter) < len(text)
    assert shorter.count("`") == text.count("`")
    assert isinstance(contract(shorter), NotApplicable)
