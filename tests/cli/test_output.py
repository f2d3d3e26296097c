"""What goes to the terminal: clean lines on stderr, clean JSON on stdout."""

import json

import pytest

from evenhand.cli.output import command_line, error_line, note_line, print_json

HOSTILE = "a\x1b[2Jb\x07c\u202ed\ud800e"
"""An escape sequence, a bell, a right-to-left override and a lone surrogate, as file names may have them."""


def test_the_command_can_be_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/usr/bin/evenhand", "report", "a run; rm x"])
    assert command_line() == "evenhand report 'a run; rm x'"


@pytest.mark.parametrize("write", [error_line, note_line])
def test_control_characters_are_shown_and_not_obeyed(write, capsys: pytest.CaptureFixture[str]) -> None:
    write(HOSTILE)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.endswith("\n")
    assert not set("\x1b\x07\u202e\ud800") & set(captured.err)
    assert all(letter in captured.err for letter in "abcde")


def test_an_error_names_the_command_and_stays_short(capsys: pytest.CaptureFixture[str]) -> None:
    error_line("x" * 100_000)
    line = capsys.readouterr().err
    assert line.startswith("evenhand: xxx")
    assert len(line) < 2100


def test_json_is_ascii_and_has_no_nan(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"é": [1.5, None, HOSTILE]})
    out = capsys.readouterr().out
    assert out.isascii()
    assert json.loads(out) == {"é": [1.5, None, HOSTILE]}
    with pytest.raises(ValueError, match="JSON"):
        print_json({"rate": float("nan")})
