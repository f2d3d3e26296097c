"""Random words for every option of every command: one line and an exit code, never a traceback."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator

import pytest
import typer.main

from evenhand.cli import main

VALUES = (
    "",
    "-1",
    "1e999",
    "nan",
    "\ud800",
    "../../x",
    "a" * 3_000,
    "[bold red]x[/nothing]",
    "x\ny",
    "\x1b]0;t\x07",
    "%s{0}",
)
ARGUMENTS = {
    ("audit",): ("-j", "simulated:fair", "-p", "no/such.jsonl"),
    ("simulate", "figures"): ("--pairs", "8", "--runs", "2"),
    ("simulate", "power"): ("flip-rate", "--run", "no-run"),
}
"""What stands before the hostile word. Elsewhere it is runs that don't exist: no server begins, nothing is asked."""
DOWNLOADS = "models"


@functools.cache
def whole_command():
    return typer.main.get_command(main.app)


def needed(words: tuple[str, ...]) -> tuple[str, ...]:
    """As many words as the command asks for, or a little more than that."""
    command = whole_command()
    for word in words:
        command = command.commands[word]
    return tuple("no-run" for one in command.params if one.param_type_name == "argument" and one.required)


def options() -> Iterator[tuple[tuple[str, ...], str]]:
    """Each command with each of its options."""
    group = whole_command()

    def walk(command, words):
        for name, inner in getattr(command, "commands", {}).items():
            if name != DOWNLOADS:
                yield from walk(inner, (*words, name))
        if not getattr(command, "commands", {}):
            for parameter in command.params:
                if parameter.param_type_name == "option" and not parameter.is_flag:
                    yield words, parameter.opts[0]
                elif parameter.param_type_name == "argument":
                    yield words, ""

    yield from walk(group, ())


CASES = sorted(options())


def test_the_options_were_found() -> None:
    assert len(CASES) > 100
    assert (("audit",), "--judge") in CASES
    assert {"serve", "labels", "simulate"} <= {words[0] for words, _ in CASES}


@pytest.mark.parametrize("number", range(len(VALUES)))
def test_hostile_words_end_in_one_line(number, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    # Every eleventh option meets this value, another eleventh the next: all with all take minutes.
    for words, option in itertools.islice(CASES, number, None, len(VALUES)):
        before = ARGUMENTS.get(words) or needed(words)
        given = [*words, *before, option, VALUES[number]] if option else [*words, *before[:-1], VALUES[number]]
        monkeypatch.setattr("sys.argv", ["evenhand", *given])
        with pytest.raises(SystemExit) as end:
            main.run()
        captured = capsys.readouterr()
        assert end.value.code in (0, 1, 2, 3), given
        assert "Traceback" not in captured.out + captured.err, given
        assert "\x1b]" not in captured.out + captured.err, given
        assert end.value.code == 0 or captured.err.strip(), given
