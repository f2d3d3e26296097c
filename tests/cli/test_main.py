from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evenhand as package

Run = Callable[..., Any]


def test_help_names_every_command(evenhand: Run) -> None:
    done = evenhand("--help")
    assert done.code == 0
    for command in ("audit", "import", "report", "models", "prompts", "schema"):
        assert command in done.out


def test_every_paragraph_of_a_help_is_wrapped_for_the_terminal(evenhand: Run) -> None:
    for words, text in (
        (("gate",), "the data are too few to tell: that stops the run"),
        (("history", "show"), "A chart needs six baseline runs"),
    ):
        told = evenhand(*words, "--help").out.partition("Arguments")[0]
        assert text in told, "no line ends in the middle, as the docstring's lines do"


def test_version(evenhand: Run) -> None:
    assert evenhand("--version").out.strip() == f"evenhand {package.__version__}"


def test_nothing_at_all_shows_the_help(evenhand: Run) -> None:
    done = evenhand()
    assert done.code == 2
    assert "audit" in done.out + done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["audit", "--judge", "nobody:x"], "unknown judge 'nobody'"),
        (["audit", "--judge", "smollm2"], "expected KIND:MODEL"),
        (["audit", "--judge", "simulated:position=lots"], "position"),
        (["audit", "--judge", "simulated:position=1", "--pairs", "no/such/file.jsonl"], "no/such/file.jsonl"),
        (["audit", "--judge", "simulated:position=1", "--labels", "A"], "expected FIRST/SECOND"),
        (["audit", "--judge", "simulated:position=1", "--readout", "vibes"], "readout 'vibes'"),
        (["audit", "--judge", "simulated:position=1", "--prompt", "nope"], "unknown prompt 'nope'"),
        (["audit", "--judge", "simulated:position=1", "--max-tokens", "9", "--retry-tokens", "5"], "--retry-tokens"),
        (["import", "llmbar"], "expected FORMAT PATH"),
        (["import", "llmbar", "no-such.json"], "no-such.json"),
        (["import", "nothing", "x.json"], "unknown log 'nothing'"),
        (["import", "table", "x.json", "--set", "model"], "expected NAME=VALUE"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(evenhand: Run, words: list[str], message: str) -> None:
    done = evenhand(*words)
    assert done.code == 2
    assert message in done.err
    assert done.err.startswith("evenhand: ")
    assert done.err.count("\n") == 1
    assert done.out == ""


def test_an_unknown_option_is_exit_code_2(evenhand: Run) -> None:
    assert evenhand("audit", "--no-such-option").code == 2


def test_what_is_no_run_is_exit_code_3(evenhand: Run, tmp_path: Path) -> None:
    done = evenhand("report", tmp_path)
    assert done.code == 3
    assert str(tmp_path) in done.err


def test_a_hostile_path_is_shown_and_not_obeyed(evenhand: Run) -> None:
    done = evenhand("report", "\x1b]0;owned\x07")
    assert done.code == 3
    assert "\x1b" not in done.err


def test_ctrl_c_anywhere_is_one_line_and_exit_code_3(
    evenhand: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupt(*words: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("evenhand.workflow.open_run", interrupt)
    done = evenhand("report", tmp_path)
    assert done.code == 3
    assert done.err == f"evenhand: interrupted; to go on: evenhand report {tmp_path}\n"


def test_an_error_of_the_system_is_one_line_and_exit_code_3(
    evenhand: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fail(*words: object, **options: object) -> None:
        raise FileNotFoundError(2, "No such file or directory", "gone")

    monkeypatch.setattr("evenhand.workflow.open_run", fail)
    done = evenhand("report", tmp_path)
    assert done.code == 3
    assert done.err == "evenhand: [Errno 2] No such file or directory: 'gone'\n"
