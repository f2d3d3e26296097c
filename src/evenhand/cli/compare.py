"""``evenhand compare``: two runs on the same pairs, and whether what changed is more than noise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from evenhand.audits.drift.tolerance import ToleranceDecision

__all__ = ["compare_command", "complete_tolerance"]


def complete_tolerance(incomplete: str) -> list[str]:
    """Measures that a tolerance may be about."""
    from evenhand.audits.drift.measures import DRIFT_MEASURES, NET_SHIFT

    return [f"{name}=" for name in (*DRIFT_MEASURES, NET_SHIFT.name) if name.startswith(incomplete)]


def _of(decision: ToleranceDecision) -> str:
    return "" if decision.subset is None else f", {decision.subset}"


def compare_command(
    old: Annotated[Path, typer.Argument(help="The earlier run's directory, live or imported.", metavar="OLD")],
    new: Annotated[Path, typer.Argument(help="The later run's directory, on the same pairs.", metavar="NEW")],
    *,
    condition: Annotated[
        str | None,
        typer.Option("--condition", help="Compare this condition only.", show_default="all that both runs have"),
    ] = None,
    new_condition: Annotated[
        str | None,
        typer.Option(
            "--new-condition", help="What the new run calls it, such as after a change of prompt.", show_default="same"
        ),
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            "--readout",
            help="Compare this readout only.",
            show_default="all that both runs have",
            autocompletion=complete_readout,
        ),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerance",
            help="Largest change for the worse, such as flip_rate=.05 or accuracy=.02; more than once.",
            show_default="none: it describes",
            autocompletion=complete_tolerance,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit 1 too where the data don't decide a tolerance.")
    ] = False,
    changed: Annotated[int, typer.Option(help="Changed verdicts to list per condition and readout.", min=0)] = 20,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="NEW/comparison")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of tests that are drawn.", min=0)] = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compare two runs pair by pair: compliance, verdicts, flips, position bias, first-slot rate, accuracy and ties.

    It says which of judge, prompt, labels, data and decoding differ, which verdicts changed, and how far the changes
    exceed what asking the same judge again changes. A tolerance is broken only where the whole interval lies beyond it.

    Exit codes: 0 every tolerance is kept or undecided, or none was declared; 1 one is broken or could not be measured
    (with --strict: or is undecided); 2 bad usage or input; 3 there is nothing to compare, or a run can't be read.
    """
    from typing import Literal, cast

    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.progress import spinner
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out
    from evenhand.errors import ConfigError
    from evenhand.workflow.compare import compare_runs

    if strict and not tolerance:
        raise ConfigError("--strict wants every tolerance decided: declare one, such as --tolerance flip_rate=.05")
    target = new / "comparison" if out is None else out
    if out is not None:
        check_out(out)
    with spinner("comparing the runs", quiet=quiet):
        made = compare_runs(
            old,
            new,
            condition=condition,
            new_condition=new_condition,
            readout=readout,
            tolerances=tolerance or (),
            seed=seed,
            resamples=resamples,
            level=level,
            cluster=cast("Literal['auto', 'group', 'source']", cluster),
            most_changed=changed,
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
    if made.outcome == "nothing":
        note_line("nothing to compare: no presentation has a verdict by both runs")
        raise typer.Exit(3)
    if not made.passed(strict=strict):
        bad = {"broken", "not measured"} | ({"undecided"} if strict else set())
        for decision in made.decisions:
            if decision.standing in bad:
                where = (
                    ""
                    if decision.conditions is None
                    else f" ({decision.conditions.name}, {decision.readout}{_of(decision)})"
                )
                note_line(f"tolerance {decision.standing}: {decision.tolerance.text}{where}")
        raise typer.Exit(1)
