from collections.abc import Callable
from pathlib import Path
from typing import Any

from evenhand.prompts import available_prompts, load_prompt

Run = Callable[..., Any]


def test_the_list_gives_each_prompt_its_source(evenhand: Run) -> None:
    done = evenhand("prompts")
    assert done.code == 0
    assert "single-character" in done.out
    assert done.out.count("source: ") == len(available_prompts())


def test_a_printed_prompt_is_a_file_to_start_from(evenhand: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(evenhand("prompts", "brief-reasoning").out, encoding="utf-8")
    assert load_prompt(mine).hash == load_prompt("brief-reasoning").hash


def test_an_unknown_prompt(evenhand: Run) -> None:
    assert evenhand("prompts", "nope").code == 2


def test_a_file_is_checked(evenhand: Run, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(evenhand("prompts", "single-character").out, encoding="utf-8")
    done = evenhand("prompts", mine)
    assert done.code == 0
    assert load_prompt("single-character").hash in done.out
    mine.write_text("user = 1", encoding="utf-8")
    assert evenhand("prompts", mine).code == 2
