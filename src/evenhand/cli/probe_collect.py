"""``evenhand probe collect``: judge pairs in both orders and keep what the judge computed just before each verdict."""

from __future__ import annotations

import dataclasses
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.audit_options import JudgeOptionOption, PrefillOption, judge_setup
from evenhand.cli.options import (
    JsonOption,
    LevelOption,
    OutOption,
    QuietOption,
    complete_judge,
    complete_pairs,
    complete_prompt,
)
from evenhand.cli.probe_options import parse_layers

if TYPE_CHECKING:
    from evenhand.records import Readout
    from evenhand.workflow.collect import CollectDryRun, CollectRun

__all__ = ["collect_command"]


def collect_command(
    *,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            "-j",
            help="transformers:MODEL, a hub name, a folder or a .gguf file: a judge that shows its activations.",
            autocompletion=complete_judge,
        ),
    ],
    pairs: Annotated[
        str,
        typer.Option(
            "--pairs",
            "-p",
            help="starter, judgebench:PATH, llmbar:PATH, mt_bench:DIR (or :hub), or FILE.jsonl, .csv or .parquet.",
            autocompletion=complete_pairs,
        ),
    ],
    limit: Annotated[int | None, typer.Option(help="Only the first so many pairs.", min=1)] = None,
    layers: Annotated[
        str | None,
        typer.Option(
            "--layers",
            help="Which layers to keep, such as 7,14,21,27; 0 is the embeddings, the last block's number its output.",
            show_default="25, 50 and 75 % of the depth, and the penultimate",
        ),
    ] = None,
    readout: Annotated[
        str,
        typer.Option(
            help="Whose verdict it is: generated (the label on the last of three lines), first-token or prefilled.",
            autocompletion=lambda: ["generated", "first-token", "prefilled"],
        ),
    ] = "generated",
    prompt: Annotated[
        str | None,
        typer.Option(
            help="A shipped template (evenhand prompts) or FILE.toml.",
            show_default="brief-reasoning; else single-character",
            autocompletion=complete_prompt,
        ),
    ] = None,
    labels: Annotated[
        str | None, typer.Option("--labels", "-l", help="FIRST/SECOND.", show_default="the prompt's own, such as A/B")
    ] = None,
    prefill: PrefillOption = None,
    max_tokens: Annotated[
        int | None,
        typer.Option(help="Completion tokens of the generated readout.", min=1, show_default="the prompt's own: 256"),
    ] = None,
    repeat: Annotated[
        int, typer.Option(help="Ask this many pairs once more in order AB: how much flips without a swap.", min=0)
    ] = 0,
    verify_replay: Annotated[
        bool,
        typer.Option(
            "--verify-replay",
            help="Then read the saved tokens again, one by one: each verdict must be the next token (else exit 1).",
        ),
    ] = False,
    replay_limit: Annotated[
        int | None,
        typer.Option("--replay-limit", help="With --verify-replay: only so many.", min=1, show_default="all"),
    ] = None,
    judge_option: JudgeOptionOption = None,
    out: OutOption = None,
    seed: Annotated[int, typer.Option(help="Of the choice of repeated and of replayed pairs.", min=0)] = 0,
    level: LevelOption = 0.95,
    retries: Annotated[int, typer.Option(help="Ask again so often where a call failed and may succeed.", min=0)] = 2,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print presentations, tokens, time and disk space; ask nothing.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Judge every pair in both orders and keep the judge's activations, taken while it writes: no second pass.

    Kept are the residual stream just before the verdict token and at the prompt's end, float32, as safetensors. The
    directory is a run as of evenhand audit: evenhand report reads it. Ctrl-C ends cleanly, and so does a crash: the
    same command goes on, and nothing that was answered is asked again.

    Exit codes: 0 done; 1 a replay disagrees; 2 bad usage or input; 3 could not finish.
    """
    from evenhand.errors import ConfigError
    from evenhand.records import LabelSet
    from evenhand.workflow.collect_settings import CollectSettings

    if replay_limit is not None and not verify_replay:
        raise ConfigError("--replay-limit says how many --verify-replay replays: add --verify-replay")
    chosen = parse_layers(layers)
    settings = CollectSettings(
        prompt=prompt,
        labels=None if labels is None else LabelSet.parse(labels),
        readout=_readout(readout),
        prefill=prefill,
        layers=() if chosen is None else tuple(sorted(chosen)),
        max_tokens=max_tokens,
        repeat=repeat,
        seed=seed,
        retries=retries,
        level=level,
    )
    setup = judge_setup(
        judge,
        base_url=None,
        concurrency=None,
        options=judge_option or (),
        executor="local",
        workers=None,
        gpus_per_worker=0.0,
        ray_address=None,
    )
    from evenhand.workflow import collect as work

    if dry_run:
        _print_dry_run(
            work.collect_dry_run(judge, pairs, setup=setup, settings=settings, limit=limit, out=out),
            replay=_replay_text(replay_limit) if verify_replay else None,
            as_json=as_json,
        )
        return
    from evenhand.cli.output import command_line
    from evenhand.cli.takeover import note_of_another_run
    from evenhand.workflow.conditions import condition_names

    planned = note_of_another_run(
        out if out is not None else work.collect_directory(judge, pairs),
        judge=judge,
        data=pairs,
        conditions=condition_names(settings.audit),
    )
    from evenhand.runner.progress import RichProgress, SilentProgress

    command = command_line()
    run = work.collect(
        judge,
        pairs,
        setup=setup,
        settings=settings,
        limit=limit,
        out=out,
        progress=SilentProgress() if quiet else RichProgress(),
        command=command,
        planned=planned,
        replay=verify_replay,
        replay_limit=replay_limit,
        replay_progress=SilentProgress() if quiet else RichProgress("replaying"),
    )
    _finish(run, command=command, as_json=as_json)


def _readout(name: str) -> Readout:
    from evenhand.errors import ConfigError
    from evenhand.records import Readout

    try:
        return Readout(name)
    except ValueError:
        raise ConfigError(f"readout {name!r}: expected generated, first-token or prefilled") from None


def _finish(run: CollectRun, *, command: str, as_json: bool) -> None:
    from evenhand.cli.output import error_line
    from evenhand.cli.probe_collect_output import print_collected

    with suppress(BrokenPipeError):  # a reader who went away doesn't make an unfinished run a success
        print_collected(run, as_json=as_json)
    counts = run.counts
    if run.execution.interrupted:
        error_line(
            f"interrupted: {counts.finished:,} of {counts.planned:,} presentations are answered and recorded, each "
            f"with its activations; to go on: {command}"
        )
        raise typer.Exit(3)
    if run.replay is not None and not run.replay.passed:
        error_line(
            f"replay disagrees: {run.replay.wrong_verdicts:,} verdicts and {run.replay.wrong_vectors:,} activations of "
            f"{run.replay.replayed:,} presentations; the first: {run.replay.first}"
        )
        raise typer.Exit(1)
    if not run.complete:
        first = f" ({run.execution.first_error})" if run.execution.first_error else ""
        error_line(f"{counts.errors:,} of {counts.planned:,} presentations failed{first}; to ask them again: {command}")
        raise typer.Exit(3)


def _replay_text(limit: int | None) -> str:
    what = "all prompts and answers" if limit is None else f"{limit:,} prompts and answers at most"
    return f"--verify-replay then reads {what} again, beyond these figures"


def _print_dry_run(planned: CollectDryRun, *, replay: str | None, as_json: bool) -> None:
    from evenhand.cli.dry_run import dry_run_json, print_dry_run
    from evenhand.cli.output import print_json
    from evenhand.cli.probe_collect_output import kept_text
    from evenhand.store.codec import encode

    dry = planned.dry if replay is None else dataclasses.replace(planned.dry, notes=(*planned.dry.notes, replay))
    if as_json:
        print_json({**dry_run_json(dry, None), "activations": encode(planned.meta), "activation_bytes": planned.bytes})
        return
    print_dry_run(dry, prices=None, as_json=False)
    typer.echo(f"activations: {kept_text(planned.meta, planned.bytes)}")
