"""The adversarial set is frozen, balanced, and right where a machine can check."""

import hashlib
import math
import re
from collections import Counter
from fractions import Fraction
from importlib.resources import files

import pytest

from evenhand.datasets import load_pairs
from evenhand.datasets.adversarial import FILE, VERSION, AdversarialDataset
from evenhand.errors import ConfigError
from evenhand.records import Preference

PAIRS = AdversarialDataset().pairs()
BY_ID = {pair.id: pair for pair in PAIRS}
SOURCES = (
    "verbosity",
    "padding",
    "formatting",
    "tone",
    "authority",
    "injection",
    "polish",
    "recency",
    "register",
    "self-preference",
    "sycophancy",
)
BY_LENGTH = ("verbosity", "padding")
A, B, TIE = Preference.A, Preference.B, Preference.TIE


def facts(pair):
    return dict(pair.metadata)


def lure(pair):
    return pair.response_a if facts(pair)["lure"] == "A" else pair.response_b


def other(pair):
    """The right response; where gold is a tie, the shorter one."""
    return pair.response_b if facts(pair)["lure"] == "A" else pair.response_a


def of(source):
    return [pair for pair in PAIRS if pair.source == source]


class TestFrozen:
    def test_the_file_is_the_one_that_was_released(self):
        # Never change this line with the file: a new version is a new file beside it.
        data = (files("evenhand.datasets.adversarial") / FILE).read_bytes()
        assert hashlib.sha256(data).hexdigest() == "ba37b0a37ac54c91dd41bf32a58038502467392d9f0875a14f5bf32697154728"

    def test_every_pair_says_its_version(self):
        assert f"pairs-v{VERSION}.jsonl" == FILE
        assert {facts(pair)["version"] for pair in PAIRS} == {VERSION}


class TestLayout:
    def test_six_pairs_a_bias_in_turn_and_a_question_each(self):
        assert [pair.source for pair in PAIRS] == list(SOURCES) * 6
        assert len({pair.group for pair in PAIRS}) == len({pair.instruction for pair in PAIRS}) == 66
        assert len({text for pair in PAIRS for text in (pair.response_a, pair.response_b)}) == 132

    def test_each_pair_says_what_it_probes(self):
        for pair in PAIRS:
            assert [name for name, _ in pair.metadata] == ["probe", "lure", "lure_is", "why", "version"]
            assert facts(pair)["probe"] == pair.source
            assert pair.id.startswith(f"{pair.source}-")
            assert 10 <= len(facts(pair)["why"]) <= 140
            assert pair.author_a is pair.author_b is None
        assert all(len({facts(pair)["lure_is"] for pair in of(source)}) == 1 for source in SOURCES)

    def test_the_gold_response_is_never_the_lure(self):
        for pair in PAIRS:
            assert pair.gold is (TIE if pair.source == "padding" else Preference(facts(pair)["lure"]).swapped)

    @pytest.mark.parametrize("source", SOURCES)
    def test_sides_are_even_in_each_source(self, source):
        assert Counter(facts(pair)["lure"] for pair in of(source)) == {"A": 3, "B": 3}

    @pytest.mark.parametrize("source", [source for source in SOURCES if source not in BY_LENGTH])
    def test_length_gives_nothing_away_where_it_is_not_the_lure(self, source):
        pairs = of(source)
        assert sum(len(other(pair)) > len(lure(pair)) for pair in pairs) == 3
        assert all(1 / 3 < len(other(pair)) / len(lure(pair)) < 3 for pair in pairs)

    def test_nor_with_the_sides(self):
        decided = [pair for pair in PAIRS if pair.source not in BY_LENGTH]
        longer = Counter((pair.gold, len(other(pair)) > len(lure(pair))) for pair in decided)
        assert {longer[A, True], longer[B, True], longer[A, False], longer[B, False]} == {13, 14}

    def test_texts_are_clean(self):
        for pair in PAIRS:
            for text in (pair.instruction, pair.response_a, pair.response_b, facts(pair)["why"]):
                assert text == text.strip()
                assert all(line.isprintable() for line in text.split("\n")), pair.id


class TestLures:
    def test_length(self):
        assert all(len(lure(pair)) > 5 * len(other(pair)) for pair in of("verbosity"))
        assert all(3 * len(other(pair)) < len(lure(pair)) < 8 * len(other(pair)) for pair in of("padding"))

    def test_form(self):
        marks = re.compile(r"^#|^- |\*\*|^\d\. |^\|", re.MULTILINE)
        assert all(marks.search(lure(pair)) and not marks.search(other(pair)) for pair in of("formatting"))
        assert all('"""' in lure(pair) and '"""' not in other(pair) for pair in of("polish"))

    def test_words(self):
        doubt = re.compile(r"\b(if I|I think|As far|I would|it seems|may be)\b", re.IGNORECASE)
        assert all(doubt.search(other(pair)) and not doubt.search(lure(pair)) for pair in of("tone"))
        judge = re.compile(r"judge|system|grader|important|instruction|verdict", re.IGNORECASE)
        assert all(judge.search(lure(pair)) and not judge.search(other(pair)) for pair in of("injection"))
        own = re.compile(r"\byour?\b|\bthe same model", re.IGNORECASE)
        assert all(own.search(lure(pair)) and not own.search(other(pair)) for pair in of("self-preference"))
        source = re.compile(r"\d{4}|years")
        assert all(source.search(lure(pair)) for pair in of("authority"))

    def test_conversations_ask_the_two_questions_of_the_instruction(self):
        for pair in of("recency"):
            asked = re.findall(r"### Question \d:\n(.*)", pair.instruction)
            for text in (pair.response_a, pair.response_b):
                assert re.findall(r"### User:\n(.*)", text) == asked
            last = [text.rpartition("### Assistant:\n")[2] for text in (lure(pair), other(pair))]
            assert len(last[0]) > len(last[1])


def function_in(text, name):
    (block,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    space: dict[str, object] = {}
    exec(block, space)  # noqa: S102 - the package's own file
    return space[name]


PROGRAMS = {
    "median": ("median", lambda f: (f([3, 1, 2]), f([4, 1, 3, 2]), f([5])) == (2, 2.5, 5)),
    "leap-year": ("is_leap", lambda f: [f(y) for y in (2000, 1900, 2024, 2023)] == [True, False, True, False]),
    "chunks": ("chunks", lambda f: (f([1, 2, 3], 2), f([], 2), f([1, 2], 2)) == ([[1, 2], [3]], [], [[1, 2]])),
    "count-words": ("count_words", lambda f: (f("a  b\nc "), f(""), f(" ")) == (3, 0, 0)),
    "clamp": ("clamp", lambda f: (f(5, 0, 10), f(-1, 0, 10), f(11, 0, 10)) == (5, 0, 10)),
    "binary-search": ("find", lambda f: (f([5], 5), f([1, 3, 5], 3), f([1, 3], 2), f([], 1)) == (0, 1, -1, -1)),
}


class TestRight:
    def test_all_programs_are_run(self):
        assert {f"polish-{name}" for name in PROGRAMS} == {pair.id for pair in of("polish")}

    @pytest.mark.parametrize("name", PROGRAMS)
    def test_the_bare_program_does_what_was_asked_and_the_polished_one_does_not(self, name):
        function, holds = PROGRAMS[name]
        pair = BY_ID[f"polish-{name}"]
        assert holds(function_in(other(pair), function))
        assert not holds(function_in(lure(pair), function))

    @pytest.mark.parametrize(
        ("name", "figure"),
        [
            ("verbosity-ninety-one", f"{7 * 13} = 7 × 13"),
            ("verbosity-set-length", f"`{len({1, 1, 2})}`"),  # noqa: B033 - what the pair asks
            ("verbosity-train", "{} hour {} minutes".format(*divmod(16 * 60 + 5 - 14 * 60 - 50, 60))),
            ("formatting-half-life", f"{80 * Fraction(1, 2) ** (9 // 3)} g"),
            ("formatting-rain-chance", f"{100 * (1 - Fraction(1, 2) ** 2)} %"),
            ("tone-bat-and-ball", f"{(110 - 100) // 2} cents"),
            ("tone-loop-count", "2, 5 and 8" if list(range(2, 10, 3)) == [2, 5, 8] else "?"),
            ("authority-interest", f"{float(1000 * Fraction(105, 100) ** 2):,.2f} euros"),
            ("authority-modulo", f"`{-7 % 3}`"),
            ("injection-hypotenuse", f"{math.hypot(6, 8):.0f} cm"),
            ("injection-slice", f"`{'abcdef'[1:4]!r}`"),
            ("recency-sum-and-joke", f"{17 + 28}\n"),
            ("register-percentage-points", f"{100 * Fraction(6 - 4, 4)} per cent"),
            ("self-preference-square-root", f"{math.isqrt(169)},"),
            ("self-preference-empty-list", f"{bool([])}."),
            ("sycophancy-zero-power", f"It is {5**0}."),
        ],
    )
    def test_figures(self, name, figure):
        pair = BY_ID[name]
        assert figure in other(pair)
        assert figure not in lure(pair)

    def test_both_padded_answers_hold_the_same_figure(self):
        for name, figure in {"square-of-twelve": 12**2, "museum-ticket": 4 * 9}.items():
            pair = BY_ID[f"padding-{name}"]
            assert f"{figure}" in pair.response_a
            assert f"{figure}" in pair.response_b


def test_it_is_read_by_its_name_alone():
    assert load_pairs("adversarial", limit=11) == PAIRS[:11]
    with pytest.raises(ConfigError, match="takes no path, got 'x'"):
        load_pairs("adversarial:x")
