"""``evenhand history``: figures of many runs in one file, and a control chart that tells a drift from noise."""

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

__all__ = ["history_add_command", "history_app", "history_show_command"]

history_app = typer.Typer(
    name="history", help="Figures of many runs, and a control chart of them.", no_args_is_help=True
)


def _complete_measure(incomplete: str) -> list[str]:
    from evenhand.audits.drift.measures import DRIFT_MEASURES

    return [name for name in DRIFT_MEASURES if name.startswith(incomplete)]


@history_app.command("add")
def history_add_command(
    file: Annotated[
        Path, typer.Argument(help="The history file (JSON Lines); made where it is missing.", metavar="FILE")
    ],
    run: Annotated[Path, typer.Argument(help="A run's directory, live or imported.", metavar="RUN")],
    *,
    baseline: Annotated[bool, typer.Option("--baseline", help="Mark the run as one of a judge in control.")] = False,
    note: Annotated[str, typer.Option(help="A remark that the chart shows.", show_default="none")] = "",
    replace: Annotated[bool, typer.Option("--replace", help="Put it in the place of the same run's line.")] = False,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    quiet: QuietOption = False,
) -> None:
    """Append a run's figures to a history file: each with its standard error, observations and clusters.

    The same run is refused a second time, unless --replace. Several jobs may add at once.

    Exit codes: 0 added; 2 the run is there already, the file can't be read, or bad usage; 3 the run can't be read or
    the file not written.
    """
    from typing import Literal, cast

    from evenhand.cli.output import note_line
    from evenhand.cli.progress import spinner
    from evenhand.workflow.history import add_to_history

    with spinner("measuring the run", quiet=quiet):
        entry = add_to_history(
            file,
            run,
            baseline=baseline,
            note=note,
            replace=replace,
            resamples=resamples,
            level=level,
            cluster=cast("Literal['auto', 'group', 'source']", cluster),
        )
    measured = sum(figure.value is not None for figure in entry.figures)
    note_line(f"added the run of {entry.created} to {file}: {measured} figures")


@history_app.command("show")
def history_show_command(
    file: Annotated[Path, typer.Argument(help="The history file.", metavar="FILE")],
    *,
    measure: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            help="Chart this measure; more than once.",
            show_default="flips, compliance, verdicts, position bias, accuracy",
            autocompletion=_complete_measure,
        ),
    ] = None,
    condition: Annotated[
        str | None, typer.Option("--condition", help="Of this condition.", show_default="the newest run's")
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            "--readout", help="Of this readout.", show_default="the newest run's", autocompletion=complete_readout
        ),
    ] = None,
    baseline: Annotated[
        int | None,
        typer.Option(
            "--baseline", help="Take the first so many runs to be in control.", show_default="those marked, or 8", min=1
        ),
    ] = None,
    false_alarm: Annotated[
        float, typer.Option(help="Chance of a judge in control to be beyond a limit, per point.", min=1e-6, max=0.5)
    ] = 0.0027,
    fail_on_signal: Annotated[
        bool, typer.Option("--fail-on-signal", help="Exit 1 where the newest run is beyond a limit.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="FILE without its ending")
    ] = None,
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Chart the figures: is the newest run within the range in which the baseline runs vary.

    A point beyond its limits is a sudden change; a moving average beyond its own is a small, lasting one. A chart needs
    six baseline runs with the figure.

    Exit codes: 0 shown; 1 with --fail-on-signal: the newest run is beyond a limit, or lacks a charted figure; 2 bad
    usage or a line that can't be read.
    """
    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.progress import spinner
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out
    from evenhand.workflow.history import show_history

    with spinner("charting the figures", quiet=quiet):
        history = show_history(
            file,
            measures=measure or (),
            condition=condition,
            readout=readout,
            baseline=baseline,
            false_alarm=false_alarm,
        )
    directory = out or (file.with_suffix("") if file.suffix else file.with_name(f"{file.name}-charts"))
    check_out(directory)
    finish_study(
        history.study(),
        directory=directory,
        as_json=as_json,
        brief=brief,
        quiet=quiet,
        command=command_line(),
        figures=figure_formats,
    )
    if fail_on_signal and history.signals:
        note_line(f"the newest run signals on {len(history.signals)} charts")
        raise typer.Exit(1)
