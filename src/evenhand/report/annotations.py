r"""Workflow commands of GitHub Actions: remarks on a check's page, and the job's summary.

Everything that a run's texts put there is escaped: a line break would end the command and begin another one.

References
----------
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands; escaping as in ``command.ts`` of
https://github.com/actions/toolkit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from evenhand.report.text import visible

__all__ = ["Annotation", "append_summary", "in_github_actions"]

_LONGEST = 4000  # GitHub shows 4 KB of a message
_LARGEST_SUMMARY = 1 << 20  # GitHub refuses a larger step summary


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    r"""One remark.

    Examples
    --------
    >>> Annotation(level="error", title="flip_rate<=0.15", message="30 %\n::warning::no").command
    '::error title=flip_rate<=0.15::30 %25 ::warning::no'
    """

    level: Literal["error", "warning", "notice"]
    title: str
    message: str

    @property
    def command(self) -> str:
        """The line to print."""
        return f"::{self.level} title={_property(self.title)}::{_data(self.message)}"


def _data(text: str) -> str:
    # visible() leaves no control character; the escapes are for whatever it may let through one day.
    shown = visible(text, limit=_LONGEST)
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text[:255]).replace(":", "%3A").replace(",", "%2C")


def in_github_actions(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this runs as a step of GitHub Actions.

    Examples
    --------
    >>> in_github_actions({"GITHUB_ACTIONS": "true"}), in_github_actions({})
    (True, False)
    """
    return environment.get("GITHUB_ACTIONS") == "true"


def append_summary(markdown: str, *, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Append Markdown to the job's summary; None where there is none, or it can't take so much.

    A summary that can't be written must not fail a gate that has decided: it returns None.
    """
    name = environment.get("GITHUB_STEP_SUMMARY")
    data = markdown.encode("utf-8", "backslashreplace")
    if not name or len(data) > _LARGEST_SUMMARY:
        return None
    path = Path(name)
    try:
        with path.open("ab") as file:
            file.write(data + b"\n")
    except OSError:
        return None
    return path
