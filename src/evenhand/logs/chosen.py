"""A log is of one judge: choose among those that a file names, and list them where nobody chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from evenhand.errors import DataError
from evenhand.logs.documents import short

__all__ = ["choose", "listed"]

_SHOWN = 12

T = TypeVar("T")


def listed(names: Iterable[str]) -> str:
    """Name at most a dozen, and count the rest.

    Examples
    --------
    >>> listed(["a", "b"])
    "'a', 'b'"
    """
    found = list(names)
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(map(short, found[:_SHOWN])) + more


def choose(
    rows: Sequence[T], field: str, wanted: str | None, *, name_of: Callable[[T], str | None], path: Path
) -> list[T]:
    """Keep the rows of one name.

    Rows without a name stay. Where no row has one, ``wanted`` only gives a name, and every row stays.

    Parameters
    ----------
    field
        What is chosen by, as the option is called: ``judge``, ``model``, ….
    wanted
        The option's value.

    Raises
    ------
    DataError
        There are several and none was chosen, or the one chosen is not there; the message lists them.

    Examples
    --------
    >>> choose(["a1", "a2", "b1"], "judge", "b", name_of=lambda row: row[0], path=Path("log.jsonl"))
    ['b1']
    """
    names = list(dict.fromkeys(name for row in rows if (name := name_of(row)) is not None))
    if not names or (wanted is None and len(names) == 1):
        return list(rows)
    if wanted is None:
        raise DataError(
            f"has verdicts by {len(names)} values of {field}: {listed(names)}",
            path=path,
            remedy=f"choose one: --set {field}={names[0]}",
        )
    if wanted not in names:
        raise DataError(f"has no {field} {short(wanted)}: it has {listed(names)}", path=path)
    return [row for row in rows if name_of(row) in (wanted, None)]
