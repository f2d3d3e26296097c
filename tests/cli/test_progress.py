import io
import sys

import pytest

from evenhand.cli.progress import fit_progress, spinner


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    with fit_progress(quiet=True) as none:
        assert none is None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with fit_progress(quiet=False) as none:
        assert none is None
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with fit_progress(quiet=False) as tell:
        assert tell is not None
        tell("margin", 1, 5)
        tell("", 5, 5)
    assert "done" in screen.getvalue()


def test_a_spinner_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    for screen, quiet, shown in ((Screen(), False, True), (Screen(), True, False), (io.StringIO(), False, False)):
        monkeypatch.setattr(sys, "stderr", screen)
        with spinner("comparing [the] runs", quiet=quiet):
            pass
        assert ("comparing [the] runs" in screen.getvalue()) is shown


def test_an_error_passes_through_the_spinner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Screen())
    with pytest.raises(ValueError, match="inside"), spinner("work"):
        raise ValueError("inside")
