import re
from itertools import pairwise

from evenhand.report.probes.disclosure import disclosure_markdown
from evenhand.report.probes.view import build_probe_view
from report.probes.examples import TOO_RARE, refused


def test_it_says_what_was_predicted_on_what_with_which_figures(view):
    text = disclosure_markdown(view)
    for part in (
        "# Predicting flips: Qwen/Qwen3-1.7B",
        "Usable: 579 of 620 pairs",
        "| flip rate | 31.4 % {left}27.6, 35.4{right} |",
        "three-line",
        "bfloat16",
        "0.664",
        "\\[0.601, 0.723\\]",
        "Nested cross-validation: 5 outer and 3 inner folds",
        "evenhand probe fit runs/qwen",
        "**Table 1. How well flips are predicted.**",
        "not shown to be better. (Table 2)",
        "What to do next:",
        "## Reproduce and cite",
    ):
        assert part.format(left="\\[", right="\\]") in text, part


def test_a_refusing_rule_stands_in_words(report):
    text = disclosure_markdown(build_probe_view(refused(report, TOO_RARE)))
    assert ": the flip rate is 0.021: nothing discriminative is reported outside of 0.05 to 0.95." in text
    assert "ranks flips better" not in text


def test_tables_have_equal_rows(view):
    lines = disclosure_markdown(view).splitlines()
    for above, line in pairwise(lines):
        if above.startswith("|") and line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", above)) == len(re.findall(r"(?<!\\)\|", line)), line


def test_hostile_text_becomes_no_markup(hostile_view):
    text = disclosure_markdown(hostile_view)
    assert "<script" not in text
    assert "<img" not in text
    assert "](" not in text.replace("\\](", "").replace("\\]\\(", "")
    assert "\x1b" not in text
    assert not re.search("[\u202a-\u202e\ud800-\udfff]", text)
