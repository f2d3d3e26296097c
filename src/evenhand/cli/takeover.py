"""Saying that a directory already holds another run, before its plan and report are replaced."""

from __future__ import annotations

from pathlib import Path

__all__ = ["note_another_run"]


def note_another_run(directory: Path | None, *, judge: str | None, data: str) -> None:
    """One line on stderr where ``directory`` holds a run of another judge or of other data.

    It is allowed (the answers stay in the journal, and the former command brings its figures back without asking
    anything again), but a mistyped ``--out`` shouldn't pass in silence. What can't be read is left to the command
    itself, which says why.

    Parameters
    ----------
    directory
        ``--out`` as given.
    judge, data
        Specs as the run's manifest has them; None where a log names its judge only when read.
    """
    from evenhand.cli.output import note_line
    from evenhand.errors import EvenhandError
    from evenhand.store import describe, is_run

    if directory is None or not is_run(directory):
        return
    try:
        found = describe(directory)
    except EvenhandError:
        return
    if found.data == data and judge in (None, found.judge):
        return
    note_line(
        f"{directory} holds a run of {found.judge} on {found.data}: its answers are kept, "
        "its plan and report are replaced by this run's"
    )
