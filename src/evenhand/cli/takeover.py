"""Saying that a directory already holds another run, before its plan and report are replaced."""

from __future__ import annotations

from pathlib import Path

__all__ = ["note_another_run"]


def note_another_run(
    directory: Path | None, *, judge: str | None, data: str, conditions: tuple[str, ...] | None = None
) -> None:
    """One line on stderr where ``directory`` holds a run of another judge, of other data or under other conditions.

    It is allowed (the answers stay in the journal, and the former command brings its figures back without asking
    anything again), but a mistyped ``--out`` shouldn't pass in silence. What can't be read is left to the command
    itself, which says why.

    Parameters
    ----------
    directory
        ``--out`` as given.
    judge, data
        Specs as the run's manifest has them; None where a log names its judge only when read.
    conditions
        Their ids; None where they are not known before the run.
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
    same = found.data == data and judge in (None, found.judge)
    if same and conditions in (None, found.conditions):
        return
    if same:
        note_line(
            f"{directory} holds a run under {_named(found.conditions)}: its answers are kept, its plan and report are "
            f"replaced by those of this run under {_named(conditions or ())}"
        )
        return
    note_line(
        f"{directory} holds a run of {found.judge} on {found.data}: its answers are kept, "
        "its plan and report are replaced by this run's"
    )


def _named(conditions: tuple[str, ...]) -> str:
    more = f" and {len(conditions) - 2} more" if len(conditions) > 3 else ""
    return "; ".join(conditions[: 2 if more else 3]) + more
