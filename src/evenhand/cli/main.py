"""The command ``evenhand``: its commands, and how every error becomes one line and an exit code.

Exit codes: 0 fine, 1 a gate failed, 2 bad usage or input, 3 could not finish (run the command again to go on).
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from evenhand.cli.audit import audit_command
from evenhand.cli.biases import biases_command
from evenhand.cli.compare import compare_command
from evenhand.cli.gate import gate_command
from evenhand.cli.history import history_app
from evenhand.cli.humans import humans_command
from evenhand.cli.imports import import_command
from evenhand.cli.judges import judges_command
from evenhand.cli.labels import labels_app
from evenhand.cli.mitigate import mitigate_command
from evenhand.cli.models import models_app
from evenhand.cli.probe import probe_app
from evenhand.cli.prompts import prompts_command
from evenhand.cli.rank import rank_command
from evenhand.cli.report import report_command
from evenhand.cli.schema import schema_command
from evenhand.cli.serve import serve_command
from evenhand.cli.simulate import simulate_app
from evenhand.cli.streams import abandon_output, flush_output, open_closed_streams, tolerate_narrow_encodings
from evenhand.cli.triage import triage_command

__all__ = ["app", "run"]


class _StoppedError(Exception):
    """Ctrl-C, where Typer would end with 130 and say nothing."""


class _SystemError(Exception):
    """An OSError that nobody expected. Typer would end with 1, "a gate failed", where a pipe's reader went away."""


@contextmanager
def _passed_on() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt as error:
        raise _StoppedError from error
    except OSError as error:
        raise _SystemError from error


class _Commands(TyperGroup):
    """The group of commands; what Typer would handle in its own way is passed on to :func:`run`."""

    def make_context(self, *args: Any, **extra: Any) -> Any:  # noqa: ANN401 - Typer's own signature
        with _passed_on():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - Typer's own signature
        with _passed_on():
            return super().invoke(ctx)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - Typer's own signature
        """The command; its help is wrapped for the terminal, which Typer does for the first paragraph only."""
        command = super().get_command(ctx, cmd_name)
        for each in (command, *getattr(command, "commands", {}).values()):
            if each is not None and each.help:
                each.help = "\n\n".join(" ".join(part.split()) for part in each.help.split("\n\n"))
        return command


app = typer.Typer(
    name="evenhand",
    cls=_Commands,
    help="Audit LLM judges: how far a verdict depends on order and on how it was read, with honest intervals.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("audit")(audit_command)
app.command("import")(import_command)
app.command("report")(report_command)
app.command("judges")(judges_command)
app.add_typer(probe_app, name="probe")
app.add_typer(models_app, name="models")
app.command("prompts")(prompts_command)
app.command("biases")(biases_command)
app.command("rank")(rank_command)
app.command("humans")(humans_command)
app.add_typer(labels_app, name="labels")
app.command("mitigate")(mitigate_command)
app.command("triage")(triage_command)
app.add_typer(simulate_app, name="simulate")
app.command("compare")(compare_command)
app.command("gate")(gate_command)
app.add_typer(history_app, name="history")
app.command("serve")(serve_command)
app.command("schema")(schema_command)


def _print_version(value: bool) -> None:
    if value:
        from evenhand import __version__

        typer.echo(f"evenhand {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def run() -> None:
    """Run the command; an error that Evenhand raises on purpose becomes one line on stderr and an exit code."""
    from evenhand.errors import EvenhandError

    open_closed_streams()
    tolerate_narrow_encodings()
    code = 0
    try:
        try:
            app()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        with _passed_on():
            flush_output()
    except EvenhandError as error:
        code = _told(str(error), error.exit_code)
    except (KeyboardInterrupt, _StoppedError):
        from evenhand.cli.output import command_line

        code = _told(f"interrupted; to go on: {command_line()}", 3)
    except _SystemError as error:
        abandon_output()
        # Where the reader of our output went away (such as `| head`) nothing is wrong.
        if not isinstance(error.__cause__, BrokenPipeError):
            code = _told(f"{error.__cause__}", 3)
    sys.exit(code)


def _told(text: str, code: int) -> int:
    from evenhand.cli.output import error_line

    error_line(text)
    return code
