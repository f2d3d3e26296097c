"""What goes to the terminal: results to stdout, everything else to stderr."""

from __future__ import annotations

import json
import shlex
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from evenhand.report.write import WrittenReport
    from evenhand.workflow import AuditRun

__all__ = ["command_line", "error_line", "note_line", "print_json", "print_run", "terminal"]


def command_line() -> str:
    """The call as a shell would take it again."""
    return shlex.join(["evenhand", *sys.argv[1:]])


def error_line(text: str) -> None:
    """One line on stderr; control characters of hostile file names and data are shown, not obeyed."""
    from evenhand.report.text import visible

    sys.stderr.write(f"evenhand: {visible(text, limit=2000)}\n")


def note_line(text: str) -> None:
    """A remark on stderr, so that stdout stays clean for ``--json`` and pipes."""
    from evenhand.report.text import visible

    sys.stderr.write(f"{visible(text, limit=2000)}\n")


def print_json(value: dict[str, Any] | list[dict[str, Any]]) -> None:
    """A JSON document on stdout, or a list of them."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False) + "\n")


def print_run(run: AuditRun, written: WrittenReport, *, as_json: bool, brief: bool = False) -> None:
    """The findings: as JSON, or as tables with the path of the report at the end."""
    if as_json:
        print_json(run.to_json())
        return
    from evenhand.report.terminal import print_report
    from evenhand.report.text import visible

    console = terminal()
    print_report(written.view, console, brief=brief)
    studies = [(name, study) for name, study in (("Biases", run.bias_study()), ("Humans", run.human_study())) if study]
    for _, study in studies:
        from evenhand.report.study.terminal import print_study

        print_study(study, console, brief=True)
    console.print()
    console.print(f"Report: {visible(str(written.html), limit=None)}", soft_wrap=True, highlight=False, markup=False)
    console.print(
        f"Card:   {visible(str(written.card_markdown), limit=None)}", soft_wrap=True, highlight=False, markup=False
    )
    for name, study in studies:
        path = written.html.with_name(f"{study.kind}.html")
        console.print(f"{name}: {visible(str(path), limit=None)}", soft_wrap=True, highlight=False, markup=False)
    for name, fact in run.facts():
        console.print(visible(f"{name}: {fact}", limit=None), soft_wrap=True, highlight=False, markup=False)


def terminal() -> Console:
    """Rich's console, but for two things: a reader who went away is an error to handle, and 0 columns are no width."""
    from rich.console import Console

    class Terminal(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    console = Terminal()
    return console if console.width > 0 else Terminal(width=80)
