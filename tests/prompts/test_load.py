from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import ConfigError
from evenhand.prompts import DEFAULT_PROMPT, available_prompts, load_prompt, prompt_file
from evenhand.readouts import DecisionGrammar, parse_decision
from evenhand.records import Order, Pair

GOOD = """
name = "mine"
description = "One line."
source = "Own wording."
labels = "X/Y"
budgets = [10, 20]
user = "{instruction} {first} {second} {label_first} {label_second}"
"""


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
    assert parse_decision(text, DecisionGrammar.of(prompt.labels)).outcome is None


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
