import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evenhand.datasets import load_pairs
from evenhand.perturbations.base import NotApplicable
from evenhand.perturbations.format import FORMAT, LONGEST, dress
from evenhand.perturbations.formulas import mask
from evenhand.perturbations.markup import dress_of, words_of

LEVELS = [level.name for level in FORMAT.levels]
DRESSED = [level for level in LEVELS if level != "plain"]
STARTER = [text for pair in load_pairs("starter") for text in (pair.response_a, pair.response_b)]
MARKS = [
    "# ",
    "- ",
    "1. ",
    "> ",
    "*",
    "**",
    "_",
    "`",
    "\n",
    "\n\n",
    "---\n",
    "===\n",
    "    ",
    "\\",
    "[a](b)",
    "&lt;",
    "|",
    " ",
]
TEXTS = st.lists(
    st.sampled_from([*MARKS, "It is. ", "so", "Yes. No", "é", "\r\n"]) | st.text(max_size=3), max_size=14
).map("".join)


@pytest.mark.parametrize("text", [text for text in STARTER if "```" not in text])
def test_starter_responses_keep_their_words_on_every_level(text):
    assert dress(text, "plain").reason == "the response is already plain"
    for level in DRESSED:
        dressed = dress(text, level)
        if isinstance(dressed, NotApplicable):
            assert (level, dressed.reason) == ("bullets", "the response already has this form")
            assert text.startswith("1. ")
            continue
        assert words_of(dressed) == words_of(text)


@settings(deadline=None)  # the parser's import may fall into an example
@given(text=TEXTS, level=st.sampled_from(LEVELS))
@example(text="# *$*$", level="plain")  # found by Hypothesis
def test_words_and_their_order_never_change(text, level):
    dressed = dress(text, level)
    if isinstance(dressed, NotApplicable):
        return
    assert words_of(dressed) == words_of(text)
    if level == "plain":
        assert dress_of(mask(dressed).text).marks == ()  # a formula's own asterisk is no emphasis
        assert dress_of(mask(text).text).marks != ()
    else:
        assert dress_of(text).marks == ()


@settings(deadline=None)  # the parser's import may fall into an example
@given(TEXTS)
def test_each_response_is_either_plain_or_not(text):
    to_plain, to_code = dress(text, "plain"), dress(text, "code")
    assert isinstance(to_plain, NotApplicable) or isinstance(to_code, NotApplicable)


@pytest.mark.parametrize("level", ["bullets", "markdown"])
def test_what_is_put_on_can_be_taken_off(level):
    text = "It is a prime. Nobody doubts it.\n\nSo it will do."
    assert words_of(dress(dress(text, level), "plain")) == words_of(text)
    assert dress_of(dress(dress(text, level), "plain")).marks == ()


def test_formulas_stay_whole():
    formula = r"\(\mathbf{x}_{1} * \mathbf{x}_{2}. B\)"
    assert dress(f"**So** {formula} holds.", "plain") == f"So {formula} holds."
    assert dress(f"So {formula} holds. It does.", "bullets") == f"- So {formula} holds.\n- It does."
    assert dress("# A\n\n\\[\na_1 *b* c\n\\]", "plain") == "A\n\n\\[\na_1 *b* c\n\\]"


def test_dress_under_dress_is_taken_off_too():
    assert dress("> # **a**", "plain") == "a"
    assert dress("# # a", "plain") == "a"


@pytest.mark.parametrize(
    ("text", "level", "reason"),
    [
        ("a\n```\nb\n```", "plain", "code block or a table"),
        ("a\n```\nb\n```", "bullets", "code block or a table"),
        ("- a", "markdown", "not plain to begin with"),
        ("a", "plain", "already plain"),
        ("a\x00b", "code", "control character"),
        ("\\[\nx = 1\n\\]\nSo.", "bullets", "formula that is set apart"),
        ("a" * (LONGEST + 1), "code", "more than 200,000"),
        ("> " * 30 + "a", "plain", "change a word"),  # deeper than the parser goes: it would drop the word
    ],
)
def test_what_is_left_out_and_why(text, level, reason):
    assert reason in dress(text, level).reason


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", ["*_", "` ``", "a\n", "[", "> "])
def test_the_longest_hostile_texts_end(unit):
    text = (unit * LONGEST)[:LONGEST]
    dressed = dress(text, "code")
    assert isinstance(dressed, NotApplicable) or words_of(dressed) == words_of(text)
