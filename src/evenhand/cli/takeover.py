"""Saying that a directory held another run, once its plan is replaced: a command that refuses replaces nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

__all__ = ["another_run", "note_of_another_run"]


def note_of_another_run(
    directory: Path | None,
    *,
    judge: str | None,
    data: str,
    conditions: tuple[str, ...] | None = None,
    biases: tuple[str, ...] | None = None,
) -> Callable[[], None] | None:
    """What notes on stderr that :func:`another_run` is replaced, for ``planned`` of the workflow; None without one."""
    from evenhand.cli.output import note_line

    text = another_run(directory, judge=judge, data=data, conditions=conditions, biases=biases)
    return None if text is None else partial(note_line, text)


def another_run(
    directory: Path | None,
    *,
    judge: str | None,
    data: str,
    conditions: tuple[str, ...] | None = None,
    biases: tuple[str, ...] | None = None,
) -> str | None:
    """A line where ``directory`` holds a run of another judge, data or conditions, or of more biases; else None.

    It is allowed (the answers stay in the journal, and the former command brings its figures back without asking
    anything again; a log that was imported as columns can be imported again), but a mistyped ``--out`` shouldn't pass
    in silence. What can't be read is left to the command itself, which says why.

    Parameters
    ----------
    directory
        ``--out`` as given.
    judge, data
        Specs as the run's manifest has them; None where a log names its judge only when read.
    conditions
        Ids of those that show the pairs as they are; None where they are not known before the run.
    biases
        Bias audits that this run asks for; None where it can't ask for any.
    """
    from evenhand.errors import EvenhandError
    from evenhand.store import describe, is_run

    if directory is None or not is_run(directory):
        return None
    try:
        found = describe(directory)
    except EvenhandError:
        return None
    same = found.data == data and judge in (None, found.judge)
    if same and conditions in (None, found.conditions):
        return _without_biases(directory, tuple(name for name in found.biases if name not in (biases or ())))
    if same:
        return (
            f"{directory} holds a run under {_named(found.conditions)}: its answers are kept, its plan and report are "
            f"replaced by those of this run under {_named(conditions or ())}"
        )
    what = (
        "its verdicts, plan and report are replaced by this run's; importing the log again brings them back"
        if found.columnar
        else "its answers are kept, its plan and report are replaced by this run's"
    )
    return f"{directory} holds a run of {found.judge} on {found.data}: {what}"


def _without_biases(directory: Path, dropped: tuple[str, ...]) -> str | None:
    if not dropped:
        return None
    names = ", ".join(dropped)
    return (
        f"{directory} holds a run with the bias audits {names}: their answers are kept, and --bias {','.join(dropped)} "
        "brings their figures back; this run's plan and report are without them"
    )


def _named(conditions: tuple[str, ...]) -> str:
    more = f" and {len(conditions) - 2} more" if len(conditions) > 3 else ""
    return "; ".join(conditions[: 2 if more else 3]) + more
