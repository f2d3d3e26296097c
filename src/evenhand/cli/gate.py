"""``evenhand gate``: let a run through, or stop it."""

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
    from collections.abc import Mapping, Sequence

    from evenhand.audits.drift.requirements import Requirement
    from evenhand.workflow.gate import GateCheck

__all__ = ["complete_requirement", "gate_command"]

_LIMITS = "Requirements"
_CI = "Continuous integration"


def complete_requirement(incomplete: str) -> list[str]:
    """Measures that a requirement may be about."""
    from evenhand.analysis.measures import MEASURES
    from evenhand.audits.drift.measures import DRIFT_MEASURES

    names = dict.fromkeys([*DRIFT_MEASURES, *(info.name for info in MEASURES)])
    return [name for name in names if name.startswith(incomplete)]


def _limit(text: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        help=text, min=0.0, max=1.0, show_default="none", rich_help_panel=_LIMITS
    )
    return option


def gate_command(
    run: Annotated[Path, typer.Argument(help="A run's directory, live or imported.", metavar="RUN")],
    *,
    max_flip_rate: Annotated[float | None, _limit("Largest flip rate.")] = None,
    min_compliance: Annotated[float | None, _limit("Smallest share of compliant pairs.")] = None,
    min_verdict_rate: Annotated[float | None, _limit("Smallest share of presentations with a verdict.")] = None,
    max_position_bias: Annotated[float | None, _limit("Largest position bias strength, towards either slot.")] = None,
    min_accuracy: Annotated[float | None, _limit("Smallest accuracy, both orders together.")] = None,
    max_sycophancy: Annotated[
        float | None, _limit("Largest net shift toward an endorsed response, or one that calls on authority.")
    ] = None,
    max_verbosity: Annotated[float | None, _limit("Largest net shift toward a padded response.")] = None,
    require: Annotated[
        list[str] | None,
        typer.Option(
            "--require",
            help="'MEASURE<=VALUE' or 'MEASURE>=VALUE' of any measure, also MEASURE@READOUT, AUDIT:MEASURE and "
            "|MEASURE|; more than once.",
            show_default="none",
            autocompletion=complete_requirement,
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    gates: Annotated[
        Path | None,
        typer.Option("--gates", help="Requirements from a TOML file.", show_default="none", rich_help_panel=_LIMITS),
    ] = None,
    max_failures: Annotated[
        float | None,
        typer.Option(
            help="Largest share of planned presentations without an answer.",
            min=0.0,
            max=1.0,
            show_default=".05",
            rich_help_panel=_LIMITS,
        ),
    ] = None,
    condition: Annotated[
        str | None, typer.Option("--condition", help="Requirements are of this condition.", show_default="of every one")
    ] = None,
    readout: Annotated[
        str | None,
        typer.Option(
            "--readout",
            help="Requirements are of this readout.",
            show_default="of every one",
            autocompletion=complete_readout,
        ),
    ] = None,
    allow_undecided: Annotated[
        bool, typer.Option("--allow-undecided", help="Exit 0 where the data don't decide; else that is a 1.")
    ] = False,
    github: Annotated[
        bool | None,
        typer.Option(
            "--github/--no-github",
            help="GitHub annotations and job summary.",
            show_default="where GITHUB_ACTIONS is true",
            rich_help_panel=_CI,
        ),
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", help="JUnit XML goes here.", show_default="nowhere", rich_help_panel=_CI)
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the report goes.", show_default="RUN/gate")
    ] = None,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    figure_formats: FiguresOption = "svg",
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Decide on a run by its intervals: each requirement passes, fails, is undecided or isn't measured.

    A requirement passes where the whole interval keeps it and fails where none of it does. Between the two the data are
    too few to tell: that stops the run too, unless --allow-undecided, and the report says how many pairs would decide.
    What wasn't measured, or a run with too few answers, never passes.

    Exit codes: 0 passed; 1 a requirement failed, was not measured or is undecided, or too few answers; 2 bad usage or
    input; 3 the run can't be read.
    """
    from typing import Literal, cast

    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.progress import spinner
    from evenhand.cli.study_output import finish_study
    from evenhand.cli.targets import check_out, check_save
    from evenhand.report.annotations import in_github_actions
    from evenhand.workflow.gate import check_gates

    if out is not None:
        check_out(out)
    check_save(junit, option="--junit", reads=() if gates is None else (gates,))
    shorthands = {
        "max_flip_rate": max_flip_rate,
        "min_compliance": min_compliance,
        "min_verdict_rate": min_verdict_rate,
        "max_position_bias": max_position_bias,
        "min_accuracy": min_accuracy,
        "max_sycophancy": max_sycophancy,
        "max_verbosity": max_verbosity,
    }
    with spinner("measuring the run", quiet=quiet):
        check = check_gates(
            run,
            _requirements(shorthands, require or ()),
            file=gates,
            condition=condition,
            readout=readout,
            max_failures=max_failures,
            allow_undecided=True if allow_undecided else None,
            resamples=resamples,
            level=level,
            cluster=cast("Literal['auto', 'group', 'source']", cluster),
        )
    directory = run / "gate" if out is None else out
    check_out(directory)
    written = finish_study(
        check.study(),
        directory=directory,
        as_json=as_json,
        brief=brief,
        quiet=quiet,
        command=command_line(),
        figures=figure_formats,
    )
    if junit is not None:
        _write_junit(junit, check)
    if in_github_actions() if github is None else github:
        _tell_github(check, written.markdown, on_stderr=as_json)
    if not check.passed:
        note_line(f"gate: {check.outcome}")
        raise typer.Exit(1)


def _requirements(shorthands: Mapping[str, float | None], texts: Sequence[str]) -> list[Requirement]:
    from evenhand.audits.drift.requirements import SHORTHANDS, parse_requirement

    named = [SHORTHANDS[name].requirement(value) for name, value in shorthands.items() if value is not None]
    return [*named, *map(parse_requirement, texts)]


def _write_junit(path: Path, check: GateCheck) -> None:
    from evenhand.report.junit import write_junit
    from evenhand.report.studies.gate_checks import gate_cases
    from evenhand.workflow.versions import now

    path.parent.mkdir(parents=True, exist_ok=True)
    write_junit(path, gate_cases(check.decisions, check.facts), suite="evenhand gate", timestamp=now())


def _tell_github(check: GateCheck, markdown: Path, *, on_stderr: bool) -> None:
    """Annotations go to stdout, or to stderr where stdout is JSON: GitHub reads both."""
    from evenhand.cli.streams import reader_may_leave
    from evenhand.report.annotations import append_summary
    from evenhand.report.studies.gate_checks import gate_annotations

    with reader_may_leave():
        for annotation in gate_annotations(check.decisions, check.facts):
            typer.echo(annotation.command, err=on_stderr)
    append_summary(markdown.read_text(encoding="utf-8"))
