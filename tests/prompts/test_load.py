from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import ConfigError
from evenhand.prompts import DEFAULT_PROMPT, PromptTemplate, available_prompts, load_prompt, prompt_file
from evenhand.readouts import DecisionGrammar, DecisionWatcher, read_generated
from evenhand.readouts.scores import decide
from evenhand.records import Completion, FinishReason, LabelSet, Order, Pair, TextStatus

GOOD = """
name = "mine"
description = "One line."
source = "Own wording."
labels = "X/Y"
budgets = [10, 20]
user = "{instruction} {first} {second} {label_first} {label_second}"
"""


def grammar_of(name: str, labels: str | None = None) -> DecisionGrammar:
    prompt = load_prompt(name)
    chosen = prompt.labels if labels is None else LabelSet.parse(labels)
    return DecisionGrammar.from_hint(chosen, prompt.grammar(chosen))


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", available_prompts())
def test_every_prompt_in_the_library_loads_under_its_own_name_with_a_source(name: str) -> None:
    prompt = load_prompt(name)
    assert prompt.name == name
    assert len(prompt.source) > 20
    assert prompt.render(Pair(id="1", instruction="i", response_a="a", response_b="b"), Order.AB, prompt.labels)


@pytest.mark.parametrize("name", available_prompts())
@pytest.mark.parametrize("order", list(Order))
def test_a_judge_that_echoes_the_prompt_gives_no_verdict(name: str, order: Order) -> None:
    prompt = load_prompt(name)
    pair = Pair(id="1", instruction="Name a colour.", response_a="Red.", response_b="Green, a fine colour.")
    text = "\n".join(message.content for message in prompt.render(pair, order, prompt.labels))
    assert decide(text, grammar_of(name)).outcome is None


RUBRIC = "1. Correctness: {b} is better.\n2. Fulfilment: {b}\n3. Usefulness: {b} wins\n4. Clarity: equal, both fine\n"
REASONED = "Response {b} shows its work; {a} does not say why.\n85\n{b}"


@pytest.mark.parametrize("labels", ["A/B", "1/2", "Red/Blue"])
@pytest.mark.parametrize(
    ("name", "answer", "outcome", "status"),
    [
        ("single-character", "{b}", "second", TextStatus.READ),
        ("brief-reasoning", REASONED, "second", TextStatus.OPEN),
        ("brief-reasoning", "Response {b} shows its work.\n85\n", "unparsed", TextStatus.OPEN),
        ("score-each", "Response {a}: 7\nResponse {b}: 8\n", "second", TextStatus.READ),
        ("score-each", "Response {a}: 7\nResponse {b}: 7\n", "tie", TextStatus.READ),
        ("score-each", "Response {a}: 7\nResponse {b}: 8", "second", TextStatus.OPEN),
        ("score-each", "{a}", "unparsed", TextStatus.OPEN),
        ("rubric", RUBRIC + "\n[[{a}]]", "first", TextStatus.READ),
        ("rubric", RUBRIC + "\n**Verdict:** [[{a}]]", "first", TextStatus.READ),
        ("rubric", RUBRIC, "unparsed", TextStatus.OPEN),
        ("rubric", RUBRIC + "\n[[{a}]]\n[[{b}]]", "unparsed", TextStatus.OPEN),
    ],
)
def test_the_answers_that_a_prompt_asks_for_are_read(
    name: str, answer: str, outcome: str, status: TextStatus, labels: str
) -> None:
    grammar = grammar_of(name, labels)
    text = answer.format(a=grammar.labels.first, b=grammar.labels.second)
    reading = read_generated(Completion(text=text, finish_reason=FinishReason.STOP), grammar.labels, grammar=grammar)
    assert reading is not None
    assert reading.outcome == outcome
    assert DecisionWatcher(grammar=grammar).status(text) is status


def test_the_default_is_in_the_library() -> None:
    assert DEFAULT_PROMPT in available_prompts()
    assert load_prompt("mt-bench-like").offers_tie


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    text = prompt_file("single-character")
    plain, windows = tmp_path / "plain.toml", tmp_path / "windows.toml"
    plain.write_bytes(text.encode())
    windows.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert replace(load_prompt(windows), origin="") == replace(load_prompt(plain), origin="")


@pytest.mark.parametrize("as_text", [True, False])
def test_a_file_of_the_users(tmp_path: Path, as_text: bool) -> None:
    path = write(tmp_path, GOOD)
    prompt = load_prompt(str(path) if as_text else path)
    assert (prompt.name, prompt.labels.name, prompt.budgets, prompt.system) == ("mine", "X/Y", (10, 20), None)


def test_how_the_decision_is_read_and_how_the_turn_begins(tmp_path: Path) -> None:
    plain = load_prompt(write(tmp_path, GOOD))
    assert (plain.decision, plain.scale, plain.prefill) == ("label", None, None)
    scores = load_prompt(write(tmp_path, GOOD + 'decision = "scores"\nscale = [0, 5]\nprefill = " So: {x} "'))
    assert (scores.decision, scores.scale, scores.prefill) == ("scores", (0, 5), "So: {x}")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{first}", "", r"mine.toml, field 'user': missing placeholder \{first\}"),
        ("{first}", "{first} {third}", r"field 'user': unknown placeholder '\{third\}'"),
        ("{first}", "{first} {", r"field 'user': single '\{' in line 1"),
        ('name = "mine"', "", "field 'name': missing"),
        ('name = "mine"', "name = 3", "field 'name': expected a text, got 3"),
        ('source = "Own wording."', "", "field 'source': missing"),
        ('"X/Y"', '"X"', "field 'labels': labels 'X': expected FIRST/SECOND"),
        ('"X/Y"', '"X/Y/Z"', "field 'labels': labels 'X/Y/Z' have a tie label"),
        ("[10, 20]", "[20, 10]", "field 'budgets': must ascend"),
        ("[10, 20]", "[0]", "field 'budgets': expected a whole number of at least 1, got 0"),
        ("[10, 20]", "10", "field 'budgets': expected a list"),
        ("budgets", "budget", "field 'budget': unknown"),
        ("budgets", 'decision = "vote"\nbudgets', "field 'decision': expected label, declared, scores, got 'vote'"),
        ("budgets", "decision = 1\nbudgets", "field 'decision': expected label, declared, scores, got 1"),
        ("budgets", 'decision = "scores"\nbudgets', "field 'scale': missing"),
        ("budgets", "scale = [1, 10]\nbudgets", "field 'scale': only for decision"),
        ("budgets", 'decision = "scores"\nscale = [10, 1]\nbudgets', r"field 'scale': expected .* got \[10, 1\]"),
        ("budgets", 'decision = "scores"\nscale = [1, true]\nbudgets', "field 'scale': expected"),
        ("budgets", 'decision = "scores"\nscale = "1-10"\nbudgets', "field 'scale': expected"),
        ("budgets", "prefill = 3\nbudgets", "field 'prefill': expected a text, got 3"),
        ("name =", "name", "not valid TOML"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError, match=message):
        load_prompt(write(tmp_path, GOOD.replace(old, new, 1)))


def test_unknown_names_and_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"unknown prompt 'single-charcter'; did you mean 'single-character'\?"):
        load_prompt("single-charcter")
    with pytest.raises(ConfigError, match="No such file"):
        load_prompt(tmp_path / "none.toml")
    path = tmp_path / "latin.toml"
    path.write_bytes(b'name = "\xe9"')
    with pytest.raises(ConfigError, match="not UTF-8"):
        load_prompt(path)


def test_the_reference_names_every_prompt_and_field() -> None:
    page = Path(__file__).parents[2] / "docs" / "reference" / "prompts.md"
    code = set(page.read_text(encoding="utf-8").split("`")[1::2])
    assert set(available_prompts()) <= code
    assert {field for field in PromptTemplate.__dataclass_fields__ if field != "origin"} <= code
