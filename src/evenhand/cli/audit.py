"""``evenhand audit``: judge pairs in both orders, read in both ways, and write the report."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.options import (
    BriefOption,
    ClusterOption,
    JsonOption,
    LevelOption,
    OutOption,
    QuietOption,
    ResamplesOption,
    SeedOption,
    complete_judge,
    complete_pairs,
    complete_prompt,
)

if TYPE_CHECKING:
    from evenhand.workflow import AuditRun, DryRun, ReadoutChoice

__all__ = ["audit_command"]


def audit_command(
    *,
    judge: Annotated[
        str,
        typer.Option("--judge", "-j", help="KIND:MODEL, such as llamacpp:PATH.gguf.", autocompletion=complete_judge),
    ] = "llamacpp:smollm2-135m",
    pairs: Annotated[
        str,
        typer.Option(
            "--pairs",
            "-p",
            help="starter, judgebench:PATH, llmbar:PATH, or FILE.jsonl, .csv or .parquet.",
            autocompletion=complete_pairs,
        ),
    ] = "starter",
    labels: Annotated[
        list[str] | None,
        typer.Option(
            "--labels",
            "-l",
            help="FIRST/SECOND; given more than once, each is a condition of the run.",
            show_default="the prompt's own, such as A/B",
        ),
    ] = None,
    prompt: Annotated[
        str, typer.Option(help="A shipped template (evenhand prompts) or FILE.toml.", autocompletion=complete_prompt)
    ] = "single-character",
    readout: Annotated[
        str,
        typer.Option(
            help="both, first-token, generated or hybrid. With both, hybrid is derived at no further call.",
            autocompletion=lambda: ["both", "first-token", "generated", "hybrid"],
        ),
    ] = "both",
    limit: Annotated[int | None, typer.Option(help="Judge only the first so many pairs.", min=1)] = None,
    repeat: Annotated[
        int, typer.Option(help="Ask this many pairs once more in order AB: how much flips without a swap.", min=0)
    ] = 0,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            help="Completion tokens of the generated readout.", min=1, show_default="the prompt's own, such as 500"
        ),
    ] = None,
    retry_tokens: Annotated[
        int | None,
        typer.Option(
            help="Where no decision was read by then, go on to so many; 0: don't.",
            min=0,
            show_default="the prompt's own, such as 1500; 3 x --max-tokens where that is given",
        ),
    ] = None,
    out: OutOption = None,
    seed: SeedOption = 0,
    resamples: ResamplesOption = 2000,
    level: LevelOption = 0.95,
    cluster: ClusterOption = "auto",
    retries: Annotated[int, typer.Option(help="Ask again so often where a call failed and may succeed.", min=0)] = 2,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print presentations, tokens and estimated time; ask nothing.")
    ] = False,
    brief: BriefOption = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Audit a judge: every pair in both orders, both readouts of the same forward pass.

    Ctrl-C ends cleanly, and so does a crash: the same command goes on where it stopped, and nothing that was
    answered is asked again. The report (HTML, JSON, disclosure card, figures, tables) is written into the run's
    directory.

    Exit codes: 0 done; 2 bad usage or input; 3 could not finish (interrupted, or calls failed).
    """
    from evenhand import workflow
    from evenhand.records import LabelSet
    from evenhand.workflow import AuditSettings

    settings = AuditSettings(
        labels=tuple(LabelSet.parse(text) for text in labels or ()),
        prompt=prompt,
        readout=_readout(readout),
        budgets=_budgets(max_tokens, retry_tokens),
        repeat=repeat,
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
        retries=retries,
    )
    from evenhand.cli.models import fetch_for

    fetch_for(judge, quiet=quiet)
    if dry_run:
        _print_dry_run(workflow.dry_run(judge, pairs, settings=settings, limit=limit, out=out), as_json=as_json)
        return
    from evenhand.cli.takeover import note_another_run

    note_another_run(out, judge=judge, data=pairs)
    command = shlex.join(["evenhand", *sys.argv[1:]])
    from evenhand.runner.progress import RichProgress, SilentProgress

    run = workflow.audit(
        judge,
        pairs,
        settings=settings,
        limit=limit,
        out=out,
        progress=SilentProgress() if quiet else RichProgress(),
        command=command,
    )
    _finish(run, command=command, as_json=as_json, brief=brief)


def _readout(name: str) -> ReadoutChoice:
    from evenhand.errors import ConfigError
    from evenhand.workflow import ReadoutChoice

    try:
        return ReadoutChoice(name)
    except ValueError:
        raise ConfigError(f"readout {name!r}: expected {', '.join(choice.value for choice in ReadoutChoice)}") from None


def _budgets(max_tokens: int | None, retry_tokens: int | None) -> tuple[int, ...]:
    """Ascending budgets; empty leaves them to the prompt. The second is three times the first, as 1,500 is of 500."""
    from evenhand.errors import ConfigError

    if max_tokens is None and retry_tokens is None:
        return ()
    first = 500 if max_tokens is None else max_tokens
    second = 3 * first if retry_tokens is None else retry_tokens
    if second == 0:
        return (first,)
    if second <= first:
        raise ConfigError(
            f"--retry-tokens is {second}: expected more than --max-tokens ({first}), or 0 for no second try"
        )
    return (first, second)


def _finish(run: AuditRun, *, command: str, as_json: bool, brief: bool) -> None:
    from evenhand.cli.output import error_line, print_run
    from evenhand.errors import EvenhandError

    interrupted = run.execution is not None and run.execution.interrupted
    try:
        written = run.write_report()
    except EvenhandError as error:
        if run.complete:
            raise
        error_line(f"no report yet: {error}")  # how to go on must still be said
    else:
        with suppress(BrokenPipeError):  # a reader who went away doesn't make an unfinished run a success
            print_run(run, written, as_json=as_json, brief=brief)
    if interrupted:
        error_line(
            f"interrupted: {run.counts.finished:,} of {run.counts.planned:,} presentations are answered and recorded; "
            f"to go on: {command}"
        )
        raise typer.Exit(3)
    if not run.complete:
        first = run.execution.first_error if run.execution is not None else None
        error_line(
            f"{run.counts.errors:,} of {run.counts.planned:,} presentations failed"
            f"{f' ({first})' if first else ''}; to ask them again: {command}"
        )
        raise typer.Exit(3)


def _print_dry_run(dry: DryRun, *, as_json: bool) -> None:
    from evenhand.cli.output import print_json
    from evenhand.report.text import visible

    cost = dry.cost
    if as_json:
        print_json(
            {
                "directory": str(dry.directory),
                "pairs": dry.pairs,
                "conditions": dry.conditions,
                "presentations": dry.presentations,
                "answered_before": dry.answered,
                "prompt_tokens": cost.prompt_tokens,
                "completion_tokens_low": cost.completion_tokens_low,
                "completion_tokens_high": cost.completion_tokens_high,
                "seconds_low": cost.seconds_low,
                "seconds_high": cost.seconds_high,
                "basis": cost.basis,
            }
        )
        return
    pairs = "1 pair" if dry.pairs == 1 else f"{dry.pairs:,} pairs"
    conditions = "1 condition" if dry.conditions == 1 else f"{dry.conditions} conditions"
    typer.echo(f"{pairs}, {conditions}: {dry.presentations:,} presentations, {dry.answered:,} answered before")
    typer.echo(f"prompt tokens      {cost.prompt_tokens:>12,}")
    typer.echo(f"completion tokens  {cost.completion_tokens_low:>12,} to {cost.completion_tokens_high:,}")
    if cost.seconds_low is not None and cost.seconds_high is not None:
        typer.echo(f"estimated time     {_duration(cost.seconds_low):>12} to {_duration(cost.seconds_high)}")
    typer.echo(f"basis: {cost.basis}")
    typer.echo(f"run directory: {visible(str(dry.directory), limit=None)}")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:,.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds / 3600:,.1f} h"
