"""``evenhand import``: bring a verdict log that others wrote into the run format, or say what a file supports."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    BriefOption,
    ClusterOption,
    JsonOption,
    LevelOption,
    OutOption,
    ResamplesOption,
    SeedOption,
    complete_log_format,
)

if TYPE_CHECKING:
    from evenhand.logs import Inspection

__all__ = ["import_command"]

_SHOWN_PROBLEMS = 20
_PROBLEM_LIMIT = 400  # characters of one: what would mend it stands at its end


def import_command(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="[FORMAT] PATH",
            help="The log's format, such as arena_hard, inspect or table, then the file; with --inspect the file alone "
            "will do, and a wrong format lists all.",
            autocompletion=complete_log_format,
        ),
    ],
    *,
    inspect: Annotated[
        bool, typer.Option("--inspect", help="Say what the file supports and what is missing; import nothing.")
    ] = False,
    options: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="An option of the format, such as model=gpt-4 or round=first."
        ),
    ] = None,
    mapping: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="WHAT=COLUMN",
            help="Where a column stands in a table or a tool's records, such as pair_id=inputs.id, "
            "order=metadata.order, "
            "swapped=…, text=…, outcome=… (the slot), preference=… (the identity). Repeatable.",
        ),
    ] = None,
    out: OutOption = None,
    seed: SeedOption = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    brief: BriefOption = False,
    as_json: JsonOption = False,
) -> None:
    """Import a verdict log and audit it: raw text is read again by our parser, the log's own reading kept beside it.

    Exit codes: 0 done; 2 the file can't be imported, or bad usage.
    """
    from evenhand.errors import ConfigError

    if len(arguments) > 2 or (len(arguments) == 1 and not inspect):
        raise ConfigError("import: expected FORMAT PATH, such as `evenhand import llmbar result.json`")
    path = Path(arguments[-1])
    name = arguments[0] if len(arguments) == 2 else None
    if mapping:
        name = _mapped_format(name, path)
    if inspect:
        from evenhand.logs import inspect as inspect_log

        found = inspect_log(path, format=name, **_options(options or [], mapping or []))
        from evenhand.cli.streams import reader_may_leave

        with reader_may_leave():
            _print_inspection(found, path, given=_given(options or [], mapping or []), as_json=as_json)
        if not found.importable:
            raise typer.Exit(2)
        return
    from evenhand.cli.output import command_line, print_run
    from evenhand.cli.takeover import note_of_another_run
    from evenhand.workflow import import_log

    name = name or arguments[0]
    planned = note_of_another_run(out, judge=None, data=f"{name}:{path.name}")
    run = import_log(
        name,
        path,
        out=out,
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
        command=command_line(),
        planned=planned,
        **_options(options or [], mapping or []),
    )
    print_run(run, run.write_report(), as_json=as_json, brief=brief)


def _options(texts: list[str], mapping: list[str]) -> dict[str, str]:
    from evenhand.errors import ConfigError

    pairs = [text.partition("=") for text in texts]
    for name, equals, _ in pairs:
        if not equals or not name:
            raise ConfigError(f"--set {name!r}: expected NAME=VALUE, such as model=gpt-4")
    found = {name: value for name, _, value in pairs}
    return {**found, "map": ",".join(mapping)} if mapping else found


def _mapped_format(name: str | None, path: Path) -> str | None:
    """The format that reads a file by --map, guessed where none is named; None where none can be guessed.

    Raises
    ------
    ConfigError
        The format has columns of its own.
    """
    from evenhand.cli.output import note_line
    from evenhand.errors import DataError
    from evenhand.logs.inspection import guess_format
    from evenhand.logs.mapped_format import mapped_format

    known = name
    if known is None:
        try:
            known = guess_format(path)
        except DataError:
            return None  # the inspection says what is wrong
    if known is None:
        return None
    taken = mapped_format(known)
    if taken != known:
        note_line(f"a {known} whose columns are mapped is read as {taken}")
    return taken


def _given(options: list[str], mapping: list[str]) -> str:
    """The options as they were given, for a command that repeats them."""
    words = [*(("--set", text) for text in options), *(("--map", text) for text in mapping)]
    return "".join(f" {flag} {shlex.quote(text)}" for flag, text in words)


def _print_inspection(found: Inspection, path: Path, *, given: str, as_json: bool) -> None:
    from evenhand.cli.output import print_json
    from evenhand.report.text import visible

    if as_json:
        print_json({"path": str(path), "importable": found.importable, **asdict(found)})
        return
    typer.echo(f"{visible(str(path))}: format {found.format or 'unknown'}, {found.rows:,} rows")
    for capability in found.supports:
        typer.echo(
            f"  {'yes' if capability.supported else 'no ':3}  {visible(capability.name)}: {visible(capability.why)}"
        )
    for problem in found.problems[:_SHOWN_PROBLEMS]:
        place = ", ".join(
            part
            for part in (
                f"row {problem.row}" if problem.row is not None else "",
                f"field {visible(problem.field)!r}" if problem.field is not None else "",
            )
            if part
        )
        typer.echo(f"  problem{f' at {place}' if place else ''}: {visible(problem.problem, limit=_PROBLEM_LIMIT)}")
    if len(found.problems) > _SHOWN_PROBLEMS:
        typer.echo(f"  and {len(found.problems) - _SHOWN_PROBLEMS:,} more problems (--json lists all)")
    if found.format in (None, "table") and found.rows == 0 and path.is_file():
        typer.echo("a table of your own: columns pair_id, order and text (evenhand import table FILE), or any names")
        typer.echo("(evenhand import table FILE --map pair_id=… --map order=… --map text=…)")
    if found.importable:
        file = shlex.quote(visible(str(path), limit=None))
        typer.echo(f"to import: evenhand import {found.format} {file}{visible(given, limit=None)}")
