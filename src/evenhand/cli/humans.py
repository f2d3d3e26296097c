"""``evenhand humans``: judges beside people."""

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

__all__ = ["humans_command"]


def humans_command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Directories of runs on the labelled pairs: several judges, or one at several times.", metavar="RUN"
        ),
    ],
    *,
    labels: Annotated[
        Path, typer.Option("--labels", help="Human labels: pair_id, preference (A, B, tie)[, annotator, date].")
    ],
    condition: Annotated[
        str | None, typer.Option(help="Id of the runs' condition.", show_default="the first without changes")
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(help="Whose verdicts.", show_default="generated, where there is", autocompletion=complete_readout),
    ] = None,
    period: Annotated[
        str,
        typer.Option(
            help="day, week or month: how dated labels are gathered.", autocompletion=lambda: ["day", "week", "month"]
        ),
    ] = "month",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="RUN/humans")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the resampling.", min=0)] = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare judges with people: agreement, kappa, Krippendorff's alpha, over time, and win rates from few labels.

    Win rates are prediction-powered: what people would give on all pairs, from their labels of some and the judge's
    verdicts on all. They need labels of a random sample of the pairs.

    Exit codes: 0 done; 2 bad usage or input; 3 could not finish.
    """
    from typing import Literal, cast

    from evenhand.cli.output import command_line
    from evenhand.cli.progress import spinner
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out
    from evenhand.workflow.humans import compare_with_humans

    target = runs[0] / "humans" if out is None else out
    if out is not None:
        check_out(out)
    with spinner("comparing judges with people", quiet=quiet):
        made = compare_with_humans(
            runs,
            labels,
            condition=condition,
            readout=readout,
            period=period,
            seed=seed,
            resamples=resamples,
            level=level,
            cluster=cast("Literal['auto', 'group', 'source']", cluster),
        )
    check_out(target)
    finish_study(
        made.study(),
        directory=target,
        as_json=as_json,
        brief=brief,
        quiet=quiet,
        command=command_line(),
        figures=figure_formats,
    )
