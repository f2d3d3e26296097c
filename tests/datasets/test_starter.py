"""The starter pairs are what their documentation says: balanced, distinct, and right where a machine can check."""

import json
import re
import sqlite3
from collections import Counter
from datetime import date, datetime
from fractions import Fraction

import pytest

from evenhand.datasets import load_pairs
from evenhand.datasets.starter import StarterDataset
from evenhand.records import Preference

PAIRS = StarterDataset().pairs()
BY_ID = {pair.id: pair for pair in PAIRS}
SOURCES = ("facts", "arithmetic", "code", "instructions", "style", "safety")


def better(pair):
    return pair.response_a if pair.gold is Preference.A else pair.response_b


def worse(pair):
    return pair.response_b if pair.gold is Preference.A else pair.response_a


def better_is_longer(pair):
    return len(better(pair)) > len(worse(pair))


class TestBalance:
    def test_ten_pairs_from_each_source_in_turn(self):
        assert [pair.source for pair in PAIRS] == list(SOURCES) * 10

    def test_ids_name_their_source(self):
        assert all(re.fullmatch(rf"{pair.source}-[a-z0-9-]+", pair.id) for pair in PAIRS)

    def test_side_and_length_give_nothing_away(self):
        cells = Counter((pair.gold, better_is_longer(pair)) for pair in PAIRS)
        assert cells == {(gold, longer): 15 for gold in (Preference.A, Preference.B) for longer in (True, False)}

    @pytest.mark.parametrize("source", SOURCES)
    def test_nor_do_they_within_a_source(self, source):
        pairs = [pair for pair in PAIRS if pair.source == source]
        assert sum(pair.gold is Preference.A for pair in pairs) == 5
        assert sum(map(better_is_longer, pairs)) == 5
        assert sum(pair.gold is Preference.A and better_is_longer(pair) for pair in pairs) in (2, 3)

    @pytest.mark.parametrize("size", range(6, 61, 6))
    def test_every_prefix_of_full_turns_is_balanced(self, size):
        pairs = load_pairs("starter", limit=size)
        assert set(Counter(pair.source for pair in pairs).values()) == {size // 6}
        assert sum(pair.gold is Preference.A for pair in pairs) == size // 2
        assert sum(map(better_is_longer, pairs)) == size // 2

    def test_yes_and_no_give_nothing_away(self):
        opening = Counter(re.split(r"\W", better(pair), maxsplit=1)[0] for pair in PAIRS)
        assert opening["Yes"] == opening["No"] > 0


class TestTexts:
    def test_each_pair_says_why_and_no_author(self):
        for pair in PAIRS:
            assert [name for name, _ in pair.metadata] == ["why"]
            assert 30 <= len(dict(pair.metadata)["why"]) <= 200
            assert pair.author_a is pair.author_b is None

    def test_texts_are_distinct_but_for_the_three_shared_questions(self):
        groups = Counter(pair.group for pair in PAIRS)
        assert sorted(groups.values()) == [1] * 54 + [2] * 3
        shared = [pair for pair in PAIRS if groups[pair.group] == 2]
        assert {pair.id for pair in shared} == {pair.id for pair in PAIRS if pair.id.endswith(("-1", "-2"))}
        assert len(Counter(pair.instruction for pair in PAIRS)) == 57
        assert len({text for pair in PAIRS for text in (pair.response_a, pair.response_b)}) == 120

    def test_lengths_are_near_enough_and_never_a_draw(self):
        for pair in PAIRS:
            lengths = [len(pair.response_a), len(pair.response_b)]
            assert 1.1 <= max(lengths) / min(lengths) <= 4, pair.id
            words = [len(better(pair).split()), len(worse(pair).split())]
            assert (words[0] > words[1]) is better_is_longer(pair), pair.id
            assert sum(words) + len(pair.instruction.split()) <= 160, pair.id

    def test_characters_are_printable_and_lines_clean(self):
        for pair in PAIRS:
            for text in (pair.instruction, pair.response_a, pair.response_b, dict(pair.metadata)["why"]):
                assert text == text.strip()
                assert all(line.isprintable() and line == line.rstrip() for line in text.split("\n")), pair.id
                assert {c for c in text if ord(c) > 127} <= set("°−×"), pair.id


def minutes(start, end):
    begun, ended = (datetime.strptime(f"2024 1 {text}", "%Y %m %d %H:%M") for text in (start, end))
    return int((ended - begun).total_seconds()) // 60


# The right figure, worked out here, and how it stands in the better response and must not in the worse one.
FIGURES = {
    "discount": (lambda: 80 * Fraction(75, 100) * Fraction(90, 100), "{} euros."),
    "average-speed-1": (lambda: Fraction(60 + 60, 1 + 2), "{} km/h."),
    "average-speed-2": (lambda: Fraction(60 + 60, 1 + 2), "{} km/h"),
    "lamp-bulb": (lambda: Fraction(46 - 40, 2), "{} euros."),
    "days-between": (lambda: (date(2023, 6, 1) - date(2023, 3, 1)).days, "{} days"),
    "fence-posts": (lambda: len(range(0, 31, 3)), "{} posts"),
    "fractions": (lambda: max(Fraction(5, 8), Fraction(7, 12)), "{} is larger"),
    "up-and-down": (lambda: 100 - 100 * Fraction(120, 100) * Fraction(80, 100), "{} % lower"),
    "night-train": (lambda: "{} hours {} minutes".format(*divmod(minutes("01 22:47", "02 06:15"), 60)), "{}"),
    "rice": (lambda: Fraction(450, 6) * 4, "need {} g."),
}


class TestArithmetic:
    def test_all_are_checked(self):
        assert {f"arithmetic-{name}" for name in FIGURES} == {pair.id for pair in PAIRS if pair.source == "arithmetic"}

    @pytest.mark.parametrize("name", FIGURES)
    def test_the_better_response_has_the_right_figure(self, name):
        work_out, form = FIGURES[name]
        pair = BY_ID[f"arithmetic-{name}"]
        assert form.format(work_out()) in better(pair)
        assert form.format(work_out()) not in worse(pair)


def function_in(text, name):
    """The function of a response's code block."""
    (block,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    space: dict[str, object] = {}
    exec(block, space)  # noqa: S102 - the package's own file
    return space[name]


def users():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE users (id INTEGER, name TEXT)")
    db.execute("INSERT INTO users VALUES (1, 'ann')")
    return db


def safe_look_up(find_user):
    db = users()
    try:
        return find_user(db, "ann") == (1, "ann") and find_user(db, "' OR ''='") is None
    finally:
        db.close()


# Function name, and what holds of a right one.
PROGRAMS = {
    "sum-even": ("sum_even", lambda f: (f([1, 2, 3, 4]), f([]), f([-2, 7])) == (6, 0, -2)),
    "palindrome": (
        "is_palindrome",
        lambda f: f("Was it a rat I saw?") and f("") and f("Anna") and not f("Was it a cat?"),
    ),
    "default-list": ("add", lambda f: (f(1), f(2), f(3, [0])) == ([1], [2], [0, 3])),
    "last-items": ("last", lambda f: [f([1, 2, 3], n) for n in (0, 2, 3, 9)] == [[], [2, 3], [1, 2, 3], [1, 2, 3]]),
    "sql-name": ("find_user", safe_look_up),
    "unique-1": ("unique", lambda f: f([3, 1, 3, 2, 1]) == [3, 1, 2]),
    "unique-2": ("unique", lambda f: f([3, 1, 3, 2, 1]) == [3, 1, 2]),
    "reverse-words": ("reverse_words", lambda f: f("one two three") == "three two one"),
}


class TestCode:
    @pytest.mark.parametrize("name", PROGRAMS)
    def test_the_better_program_does_what_was_asked_and_the_worse_does_not(self, name):
        function, holds = PROGRAMS[name]
        pair = BY_ID[f"code-{name}"]
        assert holds(function_in(better(pair), function))
        assert not holds(function_in(worse(pair), function))

    def test_programs_are_all_run_but_a_shell_command_and_a_comparison(self):
        unchecked = {pair.id for pair in PAIRS if pair.source == "code"} - {f"code-{name}" for name in PROGRAMS}
        assert unchecked == {"code-find-logs", "code-float-equal"}
        assert str(0.1 + 0.2) in better(BY_ID["code-float-equal"])


def is_json(text):
    try:
        return json.loads(text) == {"name": "Mira", "age": 34, "city": "Oslo"}
    except ValueError:
        return False


# Instructions that a machine can hold a response against.
RULES = {
    "three-words": lambda text: len(text.split()) == 3,
    "json-only": is_json,
    "no-letter-e": lambda text: "e" not in text.casefold(),
    "sorted-fruit": lambda text: len(text.splitlines()) == 5 and text.splitlines() == sorted(text.splitlines()),
    "in-french": lambda text: text.startswith("La capitale"),
    "short-summary": lambda text: len(text.split()) <= 15,
    "two-for-one-against": lambda text: (text.count("For:"), text.count("Against:")) == (2, 1),
    "keep-placeholder": lambda text: "{name}" in text,
    "ask-first": lambda text: text.count(".") == 0 and text.endswith("?"),
    "rhyme": lambda text: len({line.rstrip(".,:")[-2:] for line in text.splitlines()}) == 1,
}


class TestInstructions:
    @pytest.mark.parametrize("name", RULES)
    def test_the_better_response_keeps_the_rule_and_the_worse_breaks_it(self, name):
        pair = BY_ID[f"instructions-{name}"]
        assert RULES[name](better(pair))
        assert not RULES[name](worse(pair))

    def test_the_word_counts_that_the_reasons_give_are_right(self):
        summary, plain = BY_ID["instructions-short-summary"], BY_ID["style-plain-sentence"]
        counts = (len(better(summary).split()), len(worse(summary).split()))
        assert "has {} words; the worse one has {}".format(*counts) in dict(summary.metadata)["why"]
        assert len(better(plain).split()) == 8
