"""What a terminal shows while a command works: a bar where steps are counted, and a spinner where they aren't."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evenhand.workflow.probe_fit import FitProgress

__all__ = ["fit_progress", "spinner"]


@contextmanager
def fit_progress(*, quiet: bool) -> Iterator[FitProgress | None]:
    """A bar on standard error that says what is being fitted; nothing where it is no terminal."""
    from sys import stderr

    if quiet or not stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("fitting", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=what or "done", completed=done, total=total)

        yield tell


@contextmanager
def spinner(what: str, *, quiet: bool = False) -> Iterator[None]:
    """A spinner on standard error with what is being done and for how long; nothing where it is no terminal."""
    from sys import stderr

    if quiet or not stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(what, total=None)
        yield
