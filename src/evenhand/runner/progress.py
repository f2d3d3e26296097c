"""Progress of a run: a bar on a terminal, plain lines in a log file, or nothing."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TextIO

from evenhand.records import Completion, FinishReason, Presentation

if TYPE_CHECKING:
    from rich.progress import Progress as RichBar
    from rich.progress import TaskID

__all__ = ["Progress", "RichProgress", "SilentProgress"]


class Progress(Protocol):
    """What :func:`evenhand.runner.execute` tells of its work."""

    def start(self, total: int, done: int) -> None:
        """``total`` presentations are planned, of which ``done`` were finished before."""
        ...

    def advance(self, presentation: Presentation, completion: Completion) -> None:
        """One more is settled: answered, or failed after its last retry. It is in the journal already."""
        ...

    def winding_down(self, in_flight: int) -> None:
        """Nothing more is sent; so many answers are still waited for. May come from another thread."""
        ...

    def finish(self) -> None:
        """The work has ended, in whatever way."""
        ...


class SilentProgress:
    """Says nothing."""

    def start(self, total: int, done: int) -> None:
        """Nothing."""

    def advance(self, presentation: Presentation, completion: Completion) -> None:
        """Nothing."""

    def winding_down(self, in_flight: int) -> None:
        """Nothing."""

    def finish(self) -> None:
        """Nothing."""


class RichProgress:
    """A bar with count, rate, remaining time and errors; where the stream is no terminal, a line now and then.

    Parameters
    ----------
    description
        What stands before the bar.
    stream
        Where to write; standard error by default, so that results on standard output stay clean.
    seconds_between_lines
        How long the plain form waits from line to line.
    clock
        Seconds from any origin.
    """

    def __init__(
        self,
        description: str = "judging",
        *,
        stream: TextIO | None = None,
        seconds_between_lines: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._description = description
        self._stream = sys.stderr if stream is None else stream
        self._every = seconds_between_lines
        self._clock = clock
        self._bar: RichBar | None = None
        self._task: TaskID | None = None
        self._total = self._done = self._settled = self._errors = 0
        self._began = self._last_line = 0.0

    def start(self, total: int, done: int) -> None:
        """Show the bar, or the first line."""
        self._total, self._done, self._settled, self._errors = total, done, 0, 0
        self._began = self._last_line = self._clock()
        if self._stream.isatty():
            self._start_bar()
        else:
            reused = f", {done:,} of them answered before" if done else ""
            self._line(f"{total:,} presentations{reused}")

    def advance(self, presentation: Presentation, completion: Completion) -> None:  # noqa: ARG002 - counts are enough
        """Move the bar, or print a line when it is time for one."""
        self._done += 1
        self._settled += 1
        self._errors += completion.finish_reason is FinishReason.ERROR
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=1, errors=self._errors_text(), rate=self._rate_text())
        elif self._clock() - self._last_line >= self._every:
            self._last_line = self._clock()
            self._line(self._status())

    def winding_down(self, in_flight: int) -> None:
        """Say what is waited for, and how not to."""
        if in_flight > 0:
            answers = "1 answer" if in_flight == 1 else f"{in_flight:,} answers"
            text = f"nothing more is sent; waiting for {answers} in flight (Ctrl-C: don't wait)"
            if self._bar is not None:
                self._bar.console.print(text, markup=False, highlight=False)
            else:
                self._line(text)

    def finish(self) -> None:
        """Take the bar away, or print the last line. Finishing twice is harmless."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
        elif self._total:
            self._line(self._status())
        self._total = 0

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as RichBar

        self._bar = RichBar(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("ETA", markup=False),
            TimeRemainingColumn(),
            TextColumn("{task.fields[errors]}", markup=False),
            console=Console(file=self._stream),
            transient=False,
        )
        self._task = self._bar.add_task(
            self._description, total=self._total, completed=self._done, errors=self._errors_text(), rate=""
        )
        self._bar.start()

    def _status(self) -> str:
        parts = [f"{self._done:,}/{self._total:,}", self._rate_text(), self._eta_text(), self._errors_text()]
        return ", ".join(part for part in parts if part)

    def _rate(self) -> float:
        elapsed = self._clock() - self._began
        return self._settled / elapsed if elapsed > 0 else 0.0

    def _rate_text(self) -> str:
        return f"{self._rate():.2g}/s" if self._rate() < 10 else f"{self._rate():.0f}/s"

    def _eta_text(self) -> str:
        left, rate = self._total - self._done, self._rate()
        if left <= 0 or rate <= 0:
            return ""
        minutes, seconds = divmod(round(left / rate), 60)
        hours, minutes = divmod(minutes, 60)
        return f"ETA {hours}:{minutes:02}:{seconds:02}"

    def _errors_text(self) -> str:
        return f"{self._errors:,} error{'' if self._errors == 1 else 's'}" if self._errors else ""

    def _line(self, text: str) -> None:
        self._stream.write(f"{self._description}: {text}\n")
        self._stream.flush()
