"""``evenhand serve``: look at runs pair by pair in a browser, and label pairs blind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import QuietOption

if TYPE_CHECKING:
    from evenhand.web.index_build import Progress

__all__ = ["serve_command"]


def serve_command(
    runs: Annotated[
        list[Path], typer.Argument(help="Directories of runs, live or imported, finished or not.", metavar="RUN…")
    ],
    *,
    port: Annotated[
        int, typer.Option("--port", "-p", help="Port to listen on.", min=0, max=65535, show_default="a free one")
    ] = 0,
    host: Annotated[str, typer.Option(help="127.0.0.1 or ::1; nothing that other machines reach.")] = "127.0.0.1",
    open_browser: Annotated[bool, typer.Option("--open/--no-browser", help="Open the page in the browser.")] = False,
    cache: Annotated[
        Path | None,
        typer.Option(help="Where the pages' index of a run is kept.", show_default="the user's cache"),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Where labels of people are kept.", show_default="RUN/labels.sqlite of the first run"),
    ] = None,
    label_only: Annotated[
        bool, typer.Option("--label-only", help="Offer blind labelling alone: no page shows a verdict.")
    ] = False,
    overlap: Annotated[
        float, typer.Option(help="Share of the pairs that every annotator labels.", min=0.0, max=1.0)
    ] = 0.2,
    repeats: Annotated[
        float,
        typer.Option(help="Share of an annotator's pairs shown again, in the other order.", min=0.0, max=0.5),
    ] = 0.05,
    label_order: Annotated[
        str,
        typer.Option(
            help="random, or informative: pairs on which judges flip or disagree first.",
            autocompletion=lambda: ["random", "informative"],
        ),
    ] = "random",
    label_seed: Annotated[
        int | None,
        typer.Option(help="Of the choice of pairs to label.", min=0, show_default="drawn; kept with the labels"),
    ] = None,
    access_log: Annotated[
        bool, typer.Option("--access-log", help="Print a line for each request on stderr, without its query.")
    ] = False,
    quiet: QuietOption = False,
) -> None:
    """Browse runs in a web browser on this machine: both orders of a pair side by side, with filters and differences.

    Also offers blind labelling by people. Prints a link that works once; the next one is printed when it was used.
    The first time, an index of each run is made in the user's cache; runs themselves are only read.

    Exit codes: 0 ended by Ctrl-C; 2 bad usage; 3 the port can't be used, or a run or the labels can't be read.
    """
    from evenhand.errors import ConfigError, install_hint

    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise ConfigError(f"evenhand serve needs a web server ({error}): {install_hint('web')}") from error
    from evenhand.cli.output import note_line
    from evenhand.report.text import visible
    from evenhand.store.label_store import LabelStore
    from evenhand.web.app import PARTS, create_app
    from evenhand.web.served import open_runs
    from evenhand.web.server import address_of, bound, serve
    from evenhand.web.sessions import fresh_token
    from evenhand.workflow.labelling_settings import LabelSettings

    settings = LabelSettings(overlap=overlap, repeats=repeats, order=label_order, seed=label_seed)
    if labels is not None:
        LabelStore(labels, seed=label_seed)  # what can't hold labels is told here, not to who labels first
    with bound(host, port) as listening:
        with _index_progress(quiet=quiet) as progress:
            opened = open_runs(runs, cache=cache, progress=progress)
        token = fresh_token()
        app = create_app(
            opened,
            token=token,
            port=listening.getsockname()[1],
            labels=labels,
            labelling=settings,
            parts=("label",) if label_only else PARTS,
            announce=lambda following: note_line(f"Another browser: {address_of(listening, following)}"),
            log=note_line if access_log else None,
        )
        link = address_of(listening, token)
        names = ", ".join(visible(run.name) for run in opened)
        typer.echo(f"Serving {names}\n{link}\nThe link works once. Ctrl-C ends.")
        if open_browser:
            _show(link)
        with suppress(KeyboardInterrupt):  # the way to end it
            serve(app, listening)


def _show(link: str) -> None:
    import webbrowser

    from evenhand.cli.output import note_line

    if not webbrowser.open(link):
        note_line("No browser could be opened: follow the link yourself.")


@contextmanager
def _index_progress(*, quiet: bool) -> Iterator[Progress | None]:
    """A bar on standard error while an index is made; nothing where it is no terminal."""
    from sys import stderr

    if quiet or not stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("indexing", total=None)

        def tell(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield tell
