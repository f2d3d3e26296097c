from hypothesis import given
from hypothesis import strategies as st

from evenhand.report.pair_example import PairExample, ShownVerdict, excerpt_of, passage_of


def test_a_passage_is_cut_and_says_by_how_much():
    passage = passage_of("word " * 10_000, limit=1_000)
    assert (len(passage.text), passage.cut) == (1_000, 49_000)
    lines = passage_of("a\n" * 500)
    assert lines.text.count("\n") == 59
    assert lines.cut == 1_000 - len(lines.text)


def test_a_long_answer_is_a_window_around_its_decision():
    text = f"{'x' * 10_000}[[A]]{'y' * 10_000}"
    excerpt = excerpt_of(text, span=(10_000, 10_005))
    assert excerpt.decisive == "[[A]]"
    assert (set(excerpt.before), set(excerpt.after)) == ({"x"}, {"y"})
    assert excerpt.cut_before + len(excerpt.before) == 10_000
    assert excerpt.cut_after + len(excerpt.after) == 10_000
    assert len(excerpt.before) + len(excerpt.after) < 1_000


def test_without_a_decision_the_end_is_shown():
    excerpt = excerpt_of("a" * 1_000 + "z")
    assert excerpt.before.endswith("z")
    assert (excerpt.decisive, excerpt.after, excerpt.cut_after) == ("", "", 0)
    assert excerpt.cut_before > 0


@given(st.text(max_size=300), st.data())
def test_nothing_is_hidden_and_nothing_lost(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    excerpt = excerpt_of(text, span=(start, end))
    shown = excerpt.before + excerpt.decisive + excerpt.after
    assert not any(ord(c) < 32 and c not in "\n\t" for c in shown)
    assert not {"\u202e", "\u2066", "\x7f", "\ud800"} & set(shown)
    assert (excerpt.cut_before, excerpt.cut_after) == (0, max(len(text) - min(end, start + 200) - 200, 0))
    if text.isprintable() and not excerpt.cut_after:
        assert shown == text


def test_the_verdict_that_the_rule_looked_at_is_found():
    shown = ShownVerdict(readout="generated", ab="first (A)", ba="first (B)")
    pair = PairExample(pair_id="p", condition="c", why="w", readout="generated", verdicts=(shown,))
    assert pair.verdict is shown
    assert PairExample(pair_id="p", condition="c", why="w", readout="logged", verdicts=(shown,)).verdict is None
