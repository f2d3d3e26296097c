import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.text import (
    csv_cell,
    figure_text,
    keep_together,
    latex_text,
    markdown_text,
    visible,
    visible_json,
    visible_lines,
    visible_tree,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=200)


@given(ANY_TEXT)
def test_visible_text_is_printable_utf8_on_one_line(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Cn", "Zl", "Zp")]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", shown)


@given(ANY_TEXT)
def test_visible_keeps_what_is_plain_and_is_idempotent(text):
    assert visible(visible(text, limit=None), limit=None) == visible(text, limit=None)
    assert visible("plain é 日本 text") == "plain é 日本 text"


def test_long_text_is_cut_and_says_how_much():
    assert visible("x" * 1_000_000, limit=10) == "xxxxxxxxxx… [+999,990 characters]"


def test_latex_breaks_long_words_and_no_others():
    assert latex_text("sha256:" + "ab" * 32).count(r"\allowbreak{}") == 3
    assert "allowbreak" not in latex_text("a word of usual length " * 8, limit=None)


def test_latex_makes_no_sign_of_two():
    assert latex_text("--repeat ''x'' ,,") == r"-{}-repeat '{}'x'{}' ,{},"


def test_latex_hands_other_scripts_on_and_sets_those_of_t1():
    assert latex_text("Ł. Müller – 判官") == r"Ł. Müller -- \evenhandother{5224 5B98}{判官}"


@pytest.mark.parametrize("start", list("=+-@\t\r"))
def test_csv_formula_is_defused(start):
    assert csv_cell(f"{start}cmd|'/C calc'!A0").startswith("'")


@given(ANY_TEXT)
def test_csv_cell_never_starts_a_formula(text):
    assert csv_cell(text)[:1] not in set("=+-@\t\r")


@given(ANY_TEXT)
def test_latex_has_no_live_command(text):
    escaped = latex_text(text, limit=None)
    for known in ("textbackslash{}", "textasciitilde{}", "textasciicircum{}", "textless{}", "textgreater{}"):
        escaped = escaped.replace(f"\\{known}", "")
    for known in ("textbar{}", "textquotedbl{}", "textasciigrave{}", "ldots{}", "textperiodcentered{}", "allowbreak{}"):
        escaped = escaped.replace(f"\\{known}", "")
    escaped = re.sub(r"\\evenhandother\{[0-9A-F ]+\}\{[^\x00-\x7f]+\}", "", escaped)
    greek = "alpha|beta|gamma|delta|kappa|lambda|mu|rho|sigma|tau|phi|chi|Delta|Sigma"
    escaped = re.sub(rf"\$\\(?:{greek}|surd|rightarrow|leq|geq|approx|neq|infty|pm)\$|\$_[0-9]\$", "", escaped)
    escaped = escaped.replace(r"$-$", "").replace(r"$\times$", "")
    escaped = re.sub(r"\\[{}$&#_%]", "", escaped).replace("{[}", "").replace("{]}", "")
    escaped = escaped.replace("{*}", "").replace("{}", "")
    assert not set(escaped) & set("\\{}$&#_%~^*`")


def test_latex_writes_the_signs_of_statistics_as_commands():
    assert latex_text("β₂ ≤ √μ → Σ") == r"$\beta$$_2$ $\leq$ $\surd$$\mu$ $\rightarrow$ $\Sigma$"
    assert latex_text(r"\beta $_2$") == r"\textbackslash{}beta \$\_2\$"


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<script>", "<"),
        ("[a](https://x.example)", "](http"),
        ("a | b", " | "),
        ("https://x.example", "://"),
        ("www.x.example", "www."),
        ("a@x.example", "@"),
    ],
)
def test_markdown_holds_no_markup_or_link(text, gone):
    assert gone not in markdown_text(text).replace("\\|", "").replace("\\]", "")


def test_markdown_text_cannot_start_a_block():
    assert markdown_text("1. a").startswith("1\\. ")
    assert markdown_text("8.3 % of 0.1.0") == "8.3 % of 0.1.0"
    assert [markdown_text(t)[0] for t in ("- a", "+ a", "# a", "> a", "= a")] == list("\\\\\\&\\")


def test_figure_text_is_short_and_plain():
    assert figure_text("$x$") == "$x$"
    assert len(figure_text("y" * 1_000_000)) == 34


@given(ANY_TEXT)
def test_visible_tree_is_utf8_and_keeps_ascii(text):
    tree = visible_tree({text: [text, 1, None, True]})
    assert isinstance(tree, dict)
    str(tree).encode("utf-8")
    assert visible_tree("a\nb\x1b") == "a\nb\x1b"


def test_a_json_object_is_cleaned_in_keys_and_values():
    assert visible_json({"\u202e": {"a": ["\ud800"]}, "n": 1}) == {"[U+202E]": {"a": ["[U+D800]"]}, "n": 1}


def test_quantities_stay_together():
    assert " " not in keep_together("41.7 % [29.2, 54.9]")
    assert keep_together("a [b, c] %").count(" ") == 3


@given(st.text(max_size=200))
def test_lines_are_kept_and_nothing_else_is_hidden(text):
    shown = visible_lines(text)
    assert shown.count("\n") == text.count("\n")
    assert all(c in "\n\t" or visible(c) == c for c in shown)
    assert visible_lines("x" * 20_000).endswith("… [+10,000 characters]")
