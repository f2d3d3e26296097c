"""``evenhand biases``: what finished runs show of length, endorsement, tone, form, authorship and their like."""

from __future__ import annotations

import shutil
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    BriefOption,
    ClusterOption,
    FiguresOption,
    JsonOption,
    LevelOption,
    ResamplesOption,
    complete_bias,
    complete_readout,
)

if TYPE_CHECKING:
    from evenhand.workflow.bias_list import ListedAudit

__all__ = ["biases_command"]


def _complete(incomplete: str) -> list[str]:
    """Every audit of one run, and the one of several."""
    from evenhand.audits.bias.registry import SELF_PREFERENCE

    before, comma, last = incomplete.rpartition(",")
    more = [f"{before}{comma}{SELF_PREFERENCE}"] if SELF_PREFERENCE.startswith(last) else []
    return [*complete_bias(incomplete), *more]


def biases_command(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Directories of runs, live or imported; of several judges on the same pairs.", metavar="RUN"
        ),
    ] = None,
    *,
    bias: Annotated[
        list[str] | None,
        typer.Option(
            "--bias",
            metavar="NAMES",
            help="Audits, with commas or more than once; all for every one.",
            show_default="those that the runs have something for",
            autocompletion=_complete,
        ),
    ] = None,
    list_them: Annotated[
        bool, typer.Option("--list", help="List the audits with what each asks and needs; look at no run.")
    ] = False,
    readout: Annotated[
        str | None,
        typer.Option(
            "--readout",
            help="Look at this readout only.",
            show_default="all of each run",
            autocompletion=complete_readout,
        ),
    ] = None,
    families: Annotated[
        Path | None,
        typer.Option(
            "--families",
            help="Which family each judge and author is of, for self-preference: FILE.json or FILE.csv.",
            show_default="by how the names begin",
        ),
    ] = None,
    tolerance: Annotated[
        float,
        typer.Option(help="An effect is next to nothing where its whole interval lies within this share of verdicts."),
    ] = 0.05,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="RUN/biases")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of the resampling.", min=0, show_default="each run's own")] = None,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
) -> None:
    """Say which biases finished runs show, which they rule out, which stay open, and which they have no data for.

    Every run, imported logs too, is asked about verbosity and rationales; a run that evenhand audit --bias made also
    about what it changed; several judges on the same pairs about self-preference. Nothing is asked of a judge.

    Exit codes: 0 done; 2 bad usage or input; 3 not a run, damaged or can't be read.
    """
    from evenhand.cli.bias_options import bias_parts
    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out
    from evenhand.errors import ConfigError
    from evenhand.workflow.bias_list import listed_audits

    if list_them:
        _print_list(listed_audits(), as_json=as_json)
        return
    if not runs:
        raise ConfigError("no run: name the directory of at least one (evenhand biases --list lists the audits)")
    from evenhand.workflow.biases import FOLDER, biases

    target = runs[0] / FOLDER if out is None else out
    if out is not None:
        check_out(out)
    made = biases(
        runs,
        bias_parts(bias),
        readout=readout,
        families=families,
        tolerance=tolerance,
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
    )
    if families is not None and made.across is None:
        note_line("--families had no effect: self-preference was not looked at")
    check_out(target)
    finish_study(
        made.study(), directory=target, as_json=as_json, brief=brief, command=command_line(), figures=figure_formats
    )


def _print_list(audits: tuple[ListedAudit, ...], *, as_json: bool) -> None:
    from evenhand.cli.output import print_json

    if as_json:
        from dataclasses import asdict

        print_json({"audits": [asdict(audit) for audit in audits]})
        return
    width = max(40, min(shutil.get_terminal_size().columns, 100))
    for audit in audits:
        lines = (f"needs: {audit.needs}", f"asks beside the control: {audit.asks}")
        typer.echo(textwrap.fill(f"{audit.name}: {audit.question}", width, subsequent_indent="    "))
        for line in lines:
            typer.echo(textwrap.fill(line, width, initial_indent="  ", subsequent_indent="    "))
