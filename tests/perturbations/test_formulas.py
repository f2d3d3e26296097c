import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.perturbations.formulas import MARKS, mask


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (r"\(a\) and \[b\]", (r"\(a\)", r"\[b\]")),
        ("$$a\nb$$", ("$$a\nb$$",)),
        ("$x$, $y_1$.", ("$x$", "$y_1$")),
        ("$5 and $6, $ a $, $a$5", ()),
        (r"\$a$ and 5 \$", ()),
        (r"\[a \\[2pt] b\]", (r"\[a \\[2pt] b\]",)),  # a backslash of two is a line's end
        (r"\(\frac{a}{b}\)", (r"\(\frac{a}{b}\)",)),
        (r"\[a", ()),
        ("$$\n```\necho $$\n```", ()),
        (r"\(a `b` c\) $a `b` c$ \[`\]", ()),
        ("$$$$", ()),
        (f"$x$ {MARKS[0]}0{MARKS[1]}", ()),
    ],
)
def test_formulas(text, formulas):
    masked = mask(text)
    assert masked.formulas == formulas
    assert masked.unmask(masked.text) == text


def test_display_is_set_apart():
    assert mask(r"\[a\]").has_display
    assert mask("$$a$$").has_display
    assert mask("\\(a\nb\\)").has_display
    assert not mask(r"\(a\) $b$").has_display


@given(st.text(alphabet="$\\()[]a \n1\ue000\ue001", max_size=40))
def test_they_come_back(text):
    masked = mask(text)
    assert masked.unmask(masked.text) == text


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", ["$", "$a", "$$a", "\\[", "\\(a", "\\[\\(", "\\", "$a $"])
def test_five_megabytes(unit):
    text = unit * (5_000_000 // len(unit))
    masked = mask(text)
    assert len("".join(masked.formulas)) <= len(text)
