"""``evenhand report``: read a run again, whatever state it is in, and write its report; several are compared."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import (
    BriefOption,
    ClusterOption,
    FiguresOption,
    JsonOption,
    LevelOption,
    QuietOption,
    ResamplesOption,
    complete_readout,
)

__all__ = ["report_command"]


def report_command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="A run's directory, live or imported, finished or not; or those of several judges on the same pairs.",
            metavar="RUN",
        ),
    ],
    *,
    condition: Annotated[
        str | None,
        typer.Option(
            "--condition", help="Of several runs: what stands for each judge.", show_default="the first that all have"
        ),
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            "--readout",
            help="Of several runs: what stands for each judge.",
            show_default="what the judge wrote, where all have it",
            autocompletion=complete_readout,
        ),
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(
            "--labels",
            help="Human labels to hold the judge beside: a label file, or what `evenhand serve` wrote.",
            show_default="those in RUN, where there are any",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Where to write the report.", show_default="the run's directory; of several, RUN/judges"
        ),
    ] = None,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figures: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Read a run's journal again, audit it, print the findings and write the report (into the run, or --out).

    Works while the audit is still running. Where people labelled its pairs, the report holds the judge beside them,
    with the figures of `evenhand humans`. Of several runs, one report puts their judges side by side: each one's
    figures, every two of them on the pairs that they share, and how far they agree.

    Exit codes: 0 done; 2 bad usage; 3 not a run, damaged or can't be read, or no two runs share enough pairs to be
    compared.
    """
    from evenhand.report.figure_files import formats_of

    formats = formats_of(figures)
    if len(runs) == 1:
        _one(
            runs[0],
            out=out,
            resamples=resamples,
            level=level,
            cluster=cluster,
            figures=formats,
            brief=brief,
            as_json=as_json,
            labels=labels,
        )
        given = [name for name, value in (("--condition", condition), ("--readout", readout)) if value is not None]
        if given:
            from evenhand.cli.output import note_line

            note_line(f"{' and '.join(given)} had no effect: the report of one run shows all of it")
        return
    if labels is not None:
        from evenhand.errors import ConfigError

        raise ConfigError("--labels is of one run's report: of several, evenhand humans RUN RUN … --labels FILE")
    _several(
        runs,
        condition=condition,
        readout=readout,
        out=out,
        resamples=resamples,
        level=level,
        cluster=cluster,
        figures=formats,
        brief=brief,
        as_json=as_json,
        quiet=quiet,
    )


def _one(
    run: Path,
    *,
    out: Path | None,
    resamples: int,
    level: float,
    cluster: str,
    figures: tuple[str, ...],
    brief: bool,
    as_json: bool,
    labels: Path | None,
) -> None:
    from evenhand.cli.output import print_run
    from evenhand.workflow import open_run

    opened = open_run(run, resamples=resamples, level=level, cluster=cluster, labels=labels)
    written = opened.write_report(out, figures=figures)
    print_run(opened, written, as_json=as_json, brief=brief)


def _several(
    runs: list[Path],
    *,
    condition: str | None,
    readout: str | None,
    out: Path | None,
    resamples: int,
    level: float,
    cluster: str,
    figures: tuple[str, ...],
    brief: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.progress import spinner
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out
    from evenhand.workflow.judges import FOLDER, report_runs

    target = runs[0] / FOLDER if out is None else out
    if out is not None:
        check_out(out)
    with spinner(f"comparing {len(runs)} runs", quiet=quiet):
        made = report_runs(
            runs, condition=condition, readout=readout, resamples=resamples, level=level, cluster=cluster
        )
        study = made.study()
    check_out(target)
    finish_study(
        study, directory=target, as_json=as_json, brief=brief, quiet=quiet, command=command_line(), figures=figures
    )
    if not made.compared:
        note_line("nothing to compare: no two runs have figures for enough shared pairs")
        raise typer.Exit(3)
