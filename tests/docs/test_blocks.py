"""Blocks that can't be run here (a key, a GPU, gigabytes) are held against what they speak to, as far as that goes.

``sh`` blocks: every ``evenhand`` line is parsed by the command itself, so that no page names an option that is gone.
``python`` blocks are compiled and their ``evenhand`` names looked up; ``json``, ``toml``, ``yaml``, ``csv`` are read.
"""

from __future__ import annotations

import ast
import csv
import importlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import typer.main
import yaml

from evenhand.cli.main import app

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[^\n`]*)\n(?P<code>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
KNOWN = {"sh", "python", "json", "jsonl", "toml", "yaml", "csv", "text", "console", "latex", "html", ""}
PLACEHOLDER = re.compile(r"…|\.\.\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    page: str
    line: int
    language: str
    code: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks() -> Iterator[Block]:
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        text = path.read_text(encoding="utf-8")
        for found in FENCE.finditer(text):
            yield Block(
                page=path.relative_to(ROOT).as_posix(),
                line=text[: found.start()].count("\n") + 1,
                language=found["language"].strip(),
                code=re.sub(rf"^{found['indent']}", "", found["code"], flags=re.MULTILINE),
            )


def of(*languages: str) -> list[Block]:
    return [block for block in blocks() if block.language in languages]


def test_every_block_says_what_it_is_in_a_language_that_is_checked() -> None:
    odd = [f"{block}: {block.language!r}" for block in blocks() if block.language.removesuffix(" run") not in KNOWN]
    assert odd == []


@pytest.mark.parametrize("block", of("sh", "sh run", "console"), ids=str)
def test_commands_are_ones_that_exist(block: Block) -> None:
    for line in commands(block.code):
        words = shlex.split(PLACEHOLDER.sub("x", line), comments=True)
        if "evenhand" not in words[:1]:
            continue
        words = words[1 : next((n for n, word in enumerate(words) if word in ("|", ">", "&&", ";")), None)]
        problem = parsed(words)
        assert problem is None, f"{block}: {line}\n{problem}"


def commands(code: str) -> Iterator[str]:
    for line in code.replace("\\\n", " ").splitlines():
        line = line.strip().removeprefix("$ ")
        line = re.sub(r"^([A-Z_]+=\S+ )+", "", line)
        if line.startswith("evenhand"):
            yield line


def parsed(words: list[str]) -> str | None:
    """Why the command would refuse the words; None where it would go on."""
    command, path = typer.main.get_command(app), ["evenhand"]
    while getattr(command, "commands", None):
        if not words or words[0].startswith("-"):
            return None  # options of the whole command, such as --version
        inner = command.commands.get(words[0])
        if inner is None:
            return f"no command {words[0]!r}"
        command, path, words = inner, [*path, words[0]], words[1:]
    try:
        command.make_context(" ".join(path), list(words))
    except SystemExit as end:  # --help and the like
        return None if end.code in (0, None) else f"exit {end.code}"
    except Exception as error:  # whatever Typer refuses with
        text = str(getattr(error, "message", error)) or type(error).__name__
        return None if "does not exist" in text or type(error).__name__ == "Exit" else f"{type(error).__name__}: {text}"
    return None


def test_a_wrong_option_would_be_found() -> None:
    assert parsed(["audit", "--judge", "simulated:fair", "--no-such-option"]) is not None
    assert parsed(["no-such-command"]) is not None
    assert parsed(["audit", "--judge", "simulated:fair", "--limit", "many"]) is not None
    assert parsed(["audit", "--judge", "simulated:fair", "--limit", "5"]) is None


@pytest.mark.parametrize("block", of("python", "python run"), ids=str)
def test_python_is_python_and_its_imports_exist(block: Block) -> None:
    for node in ast.walk(ast.parse(block.code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "evenhand":
            module = importlib.import_module(node.module or "")
            for name in node.names:
                assert hasattr(module, name.name) or importlib.import_module(f"{node.module}.{name.name}"), block
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "evenhand":
            assert hasattr(importlib.import_module("evenhand"), node.attr), f"{block}: evenhand.{node.attr}"


@pytest.mark.parametrize("block", of("json", "jsonl", "toml", "yaml", "csv"), ids=str)
def test_documents_can_be_read(block: Block) -> None:
    match block.language:
        case "json" | "jsonl":
            try:
                json.loads(block.code)
            except json.JSONDecodeError:
                for line in filter(str.strip, block.code.splitlines()):
                    json.loads(line)
        case "toml":
            tomllib.loads(block.code)
        case "yaml":
            yaml.safe_load(block.code)
        case _:
            assert len({len(row) for row in csv.reader(block.code.splitlines())}) == 1
