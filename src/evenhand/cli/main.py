"""The command ``evenhand``: its commands, and how every error becomes one line and an exit code.

Exit codes: 0 fine, 1 a gate failed, 2 bad usage or input, 3 could not finish (run the command again to go on).
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from evenhand.cli.audit import audit_command
from evenhand.cli.imports import import_command
from evenhand.cli.models import models_app
from evenhand.cli.prompts import prompts_command
from evenhand.cli.report import report_command
from evenhand.cli.schema import schema_command

__all__ = ["app", "run"]

app = typer.Typer(
    name="evenhand",
    help="Audit LLM judges: how far a verdict depends on order and on how it was read, with honest intervals.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("audit")(audit_command)
app.command("import")(import_command)
app.command("report")(report_command)
app.add_typer(models_app, name="models")
app.command("prompts")(prompts_command)
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

    try:
        app()
    except EvenhandError as error:
        from evenhand.cli.output import error_line

        error_line(str(error))
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        from evenhand.cli.output import error_line

        error_line("interrupted; run the same command again to go on")
        sys.exit(3)
    except BrokenPipeError:
        # The reader of our output went away (such as `| head`): nothing is wrong, and nothing more can be said.
        sys.stderr.close()
        sys.exit(0)
