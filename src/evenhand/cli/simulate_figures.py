"""``evenhand simulate figures``: four pictures of what bias does, simulated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from evenhand.cli.options import BriefOption, FiguresOption, JsonOption, LevelOption, QuietOption
from evenhand.cli.progress import fit_progress
from evenhand.cli.targets import check_out

__all__ = ["figures_command"]


def figures_command(
    *,
    pairs: Annotated[int, typer.Option(help="Pairs of one run.", min=20)] = 500,
    runs: Annotated[int, typer.Option(help="Runs of each point; intervals are over runs.", min=5)] = 40,
    noise: Annotated[float, typer.Option(help="Spread of the judge's noise, in log-odds.")] = 0.5,
    length_sd: Annotated[float, typer.Option(help="Spread of the log length ratio.", min=0.0)] = 0.5,
    length_quality: Annotated[
        float, typer.Option(help="Correlation of length and quality: what length control is up against.")
    ] = 0.0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the report goes.")] = Path("simulation"),
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.", min=0)] = 0,
    level: LevelOption = 0.95,
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Simulate swap consistency, accuracy, length distortion and mitigation against the strength of bias.

    The spread of true quality is 1: a strength of 1 moves the judge as far as a quality difference that a third of the
    pairs exceed. Every point is simulated and, where that has an exact value, calculated.

    Exit codes: 0 done; 2 bad usage; 3 could not finish.
    """
    from evenhand.cli.output import command_line
    from evenhand.cli.study_output import finish_study
    from evenhand.judges.simulated_figures import FigureSettings
    from evenhand.judges.simulated_study import StudyParameters
    from evenhand.report.studies.simulation import simulation_study
    from evenhand.workflow.simulate_figures import simulate_figures

    check_out(out)
    world = StudyParameters(noise=noise, length_sd=length_sd, length_quality=length_quality)
    settings = FigureSettings(pairs=pairs, runs=runs, seed=seed, level=level, world=world)
    with fit_progress(quiet=quiet) as progress:
        figures = simulate_figures(settings, progress=progress)
    finish_study(
        simulation_study(figures),
        directory=out,
        as_json=as_json,
        brief=brief,
        command=command_line(),
        figures=figure_formats,
    )
