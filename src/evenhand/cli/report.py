"""``evenhand report``: read a run again, whatever state it is in, and write its report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import BriefOption, ClusterOption, JsonOption, LevelOption, ResamplesOption

__all__ = ["report_command"]


def report_command(
    run: Annotated[Path, typer.Argument(help="A run's directory, live or imported, finished or not.", metavar="RUN")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to write the report.", show_default="the run's directory"),
    ] = None,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    brief: BriefOption = False,
    as_json: JsonOption = False,
) -> None:
    """Read a run's journal again, audit it, print the findings and write the report (into the run, or --out).

    Works while the audit is still running. Exit codes: 0 done; 2 not a run, or bad usage; 3 the run is damaged or
    can't be read.
    """
    from evenhand.cli.output import print_run
    from evenhand.workflow import open_run

    opened = open_run(run, resamples=resamples, level=level, cluster=cluster)
    written = opened.write_report(out)
    print_run(opened, written, as_json=as_json, brief=brief)
