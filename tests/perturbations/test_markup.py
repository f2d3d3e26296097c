import pytest

from evenhand.perturbations.markup import as_bullets, as_code_block, as_headed, dress_of, words_of


@pytest.mark.parametrize(
    ("text", "marks", "bare"),
    [
        ("## A\nb", ("headings",), "A\n\nb"),
        ("A\n===\nb", ("headings",), "A\n\nb"),
        ("a:\n- b\n- c\n\nd", ("bullets",), "a:\nb\nc\n\nd"),
        ("> a\n> b", ("quotations",), "a\nb"),
        ("a\n\n---\n\nb", ("rules",), "a\n\nb"),
        ("a **b** *c* __d__ _e_", ("bold", "emphasis"), "a b c d e"),
        ("- a\n  - b\n\nc", ("bullets",), "a\nb\n\nc"),
        ("1. **a**\n2. b", ("bold",), "1. a\n2. b"),
        ("`**a**` **b**", ("bold",), "`**a**` b"),
        (r"\[x_1 = \frac{a}{b}\] \*c\* *d*", ("emphasis",), r"\[x_1 = \frac{a}{b}\] \*c\* d"),
    ],
)
def test_dress_is_named_and_taken_off(text, marks, bare):
    dress = dress_of(text)
    assert (dress.marks, dress.solid, dress.bare) == (marks, (), bare)


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "1. a\n2. b",
        "3) a",
        "see [x](http://y.z/ä?b) and <http://y.z>",
        "![x](y)",
        "&amp; <b>c</b>",
        "<div>\nx\n</div>",
        "a * b * c, snake_case_name, 2*3",
        "[x]: http://y.z",
        "-5 degrees\n#tag",
        "`x`",
    ],
)
def test_a_plain_text_has_no_marks_and_stays(text):
    dress = dress_of(text)
    assert (dress.marks, dress.solid, dress.bare) == ((), (), text)


@pytest.mark.parametrize(
    ("text", "solid"),
    [
        ("a\n```\nb\n```", ("code",)),
        ("a\n\n    b", ("code",)),
        ("def f():\n    return 1", ("code",)),
        ("if x:\n\treturn 1", ("code",)),
        ("| a | b |\n|---|---|\n| c | d |", ("table",)),
    ],
)
def test_code_and_tables_are_more_than_dress(text, solid):
    assert dress_of(text).solid == solid


def test_bullets():
    assert as_bullets("One. Two.\n\n1. Three. Four.\nFive") == "- One.\n- Two.\n1. Three. Four.\n- Five"


@pytest.mark.parametrize(
    ("text", "headed"),
    [
        ("One.", "**One.**"),
        ("One. Two.", "## One.\n\n**Two.**"),
        ("One.\n\nTwo. Three.", "## One.\n\n**Two.** Three."),
        ("One. Two. Three.\nFour.\n\n\nFive", "## One.\n\n**Two.** Three.\nFour.\n\n**Five**"),
        ("1. One. Two\n2. Three", "1. **One.** Two\n2. Three"),
    ],
)
def test_headings_and_bold(text, headed):
    assert as_headed(text) == headed
    assert dress_of(headed).marks


def test_a_fence_is_longer_than_any_in_the_text():
    assert as_code_block("a ```` b").startswith("`````\n")


def test_words():
    assert words_of("# It's **2_b**-c, é") == ["It", "s", "2", "b", "c", "é"]
