"""``evenhand simulate power``: how many pairs an audit needs, and what so many show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast

import typer

from evenhand.cli.options import BriefOption, FiguresOption, JsonOption, LevelOption, QuietOption
from evenhand.cli.progress import fit_progress
from evenhand.cli.targets import check_out

__all__ = ["power_command"]

_QUESTIONS = ("flip-rate", "beyond-repeats", "shift", "accuracy", "win-rate")
_BIASES = ("verbosity", "sycophancy", "authority", "injection", "tone", "formatting")


def power_command(
    question: Annotated[
        str,
        typer.Argument(
            help="flip-rate (the width of its interval), beyond-repeats (flips against repeats), shift (a bias' net "
            "shift), accuracy (two judges) or win-rate (two systems).",
            autocompletion=lambda: list(_QUESTIONS),
            metavar="QUESTION",
        ),
    ],
    *,
    effect: Annotated[
        float,
        typer.Option(
            help="Smallest effect worth finding, as a share: .05 is five points; of flip-rate, the half width."
        ),
    ] = 0.05,
    power: Annotated[float, typer.Option(help="Chance to find it.")] = 0.8,
    pairs: Annotated[
        int | None, typer.Option(help="Say what this many pairs show, too.", min=1, show_default="those needed")
    ] = None,
    flip_rate: Annotated[
        float | None, typer.Option(help="The judge's flip rate.", show_default="the pilot's, else .2")
    ] = None,
    repeat_rate: Annotated[
        float | None,
        typer.Option(help="How often a repeat changes the verdict.", show_default="the pilot's, else half the flips"),
    ] = None,
    discordance: Annotated[
        float | None,
        typer.Option(help="Of accuracy: share of pairs on which exactly one judge is right.", show_default=".3"),
    ] = None,
    bias: Annotated[
        str, typer.Option(help=f"Of shift: {', '.join(_BIASES)}.", autocompletion=lambda: list(_BIASES))
    ] = "sycophancy",
    pairs_per_question: Annotated[
        float | None, typer.Option(help="Pairs that share a question.", show_default="the pilot's, else 1")
    ] = None,
    icc: Annotated[
        float | None,
        typer.Option(help="Correlation of outcomes within a question.", show_default="the pilot's, else 0"),
    ] = None,
    tests: Annotated[int, typer.Option(help="Tests that share the level.", min=1)] = 1,
    run: Annotated[
        Path | None, typer.Option("--run", help="A pilot run to take rates and clusters from.", show_default="none")
    ] = None,
    simulate: Annotated[
        int, typer.Option(help="Audits to simulate at that size, with the effect and without.", min=0)
    ] = 0,
    out: Annotated[Path, typer.Option("--out", "-o", help="Where the report goes.")] = Path("power"),
    seed: Annotated[int, typer.Option(help="Of everything that is drawn.", min=0)] = 0,
    level: LevelOption = 0.95,
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Say how many pairs an audit needs, and the smallest effect that so many can find.

    By formula, at once. With --simulate the audit itself is run on simulated verdicts of that size: how often it finds
    the effect, and how often it finds one where there is none.

    Exit codes: 0 done; 2 bad usage or input, or an effect that no judge can have; 3 could not finish.
    """
    from evenhand.cli.output import command_line
    from evenhand.cli.study_output import finish_study
    from evenhand.report.studies.power import power_study
    from evenhand.report.studies.power_plan import PlanQuestion
    from evenhand.workflow.simulate_power import simulate_power
    from evenhand.workflow.simulate_settings import PowerSettings

    check_out(out)
    settings = PowerSettings(
        question=cast(PlanQuestion, question),
        effect=effect,
        power=power,
        level=level,
        flip_rate=flip_rate,
        repeat_rate=repeat_rate,
        bias=bias,
        discordance=discordance,
        pairs=pairs,
        pairs_per_question=pairs_per_question,
        icc=icc,
        tests=tests,
        simulate=simulate,
        seed=seed,
    )
    with fit_progress(quiet=quiet) as progress:
        plan = simulate_power(settings, run=run, progress=progress)
    finish_study(
        power_study(plan), directory=out, as_json=as_json, brief=brief, command=command_line(), figures=figure_formats
    )
