import io

import pytest

from evenhand.runner.progress import RichProgress, SilentProgress
from store.examples import ANSWER, FAILURE, presentations

(QUESTION, _) = presentations(1)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_log_file_gets_plain_lines_now_and_then():
    clock, stream = Clock(), io.StringIO()
    progress = RichProgress("judging", stream=stream, seconds_between_lines=10, clock=clock)
    progress.start(1200, 200)
    for _ in range(24):
        clock.now += 1
        progress.advance(QUESTION, ANSWER)
    clock.now += 1
    progress.advance(QUESTION, FAILURE)
    progress.finish()
    progress.finish()
    assert stream.getvalue().splitlines() == [
        "judging: 1,200 presentations, 200 of them answered before",
        "judging: 210/1,200, 1/s, ETA 0:16:30",
        "judging: 220/1,200, 1/s, ETA 0:16:20",
        "judging: 225/1,200, 1/s, ETA 0:16:15, 1 error",
    ]


@pytest.mark.parametrize("answers", [0, 2])
def test_the_plain_form_stands_a_clock_that_does_not_move(answers):
    stream = io.StringIO()
    progress = RichProgress(stream=stream, clock=Clock())
    progress.start(2, 0)
    for _ in range(answers):
        progress.advance(QUESTION, FAILURE)
    progress.finish()
    assert stream.getvalue().splitlines()[0] == "judging: 2 presentations"
    assert stream.getvalue().splitlines()[-1].startswith(f"judging: {answers}/2")


def test_a_terminal_gets_a_bar_with_counts_and_errors(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    stream = Terminal()
    progress = RichProgress("judging [bold]", stream=stream)
    progress.start(4, 1)
    progress.advance(QUESTION, ANSWER)
    progress.advance(QUESTION, FAILURE)
    progress.advance(QUESTION, FAILURE)
    progress.finish()
    progress.finish()
    shown = stream.getvalue()
    assert "4/4" in shown
    assert "2 errors" in shown
    assert "judging [bold]" in shown  # texts are no markup


def test_standard_error_is_the_default_stream(capsys):
    progress = RichProgress()
    progress.start(1, 0)
    progress.finish()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "1 presentations" in captured.err


def test_silence(capsys):
    progress = SilentProgress()
    progress.start(1, 0)
    progress.advance(QUESTION, ANSWER)
    progress.finish()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("flying", "said"), [(0, ""), (1, "waiting for 1 answer "), (1200, "waiting for 1,200 answers ")]
)
def test_winding_down_says_what_is_waited_for(flying, said):
    stream = io.StringIO()
    bar = RichProgress(stream=stream)
    bar.winding_down(flying)
    assert said in stream.getvalue()
    assert bool(stream.getvalue()) is bool(flying)
