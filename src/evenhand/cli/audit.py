"""``evenhand audit``: judge pairs in both orders, read in both ways, and write the report."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli.audit_options import (
    BaseUrlOption,
    BudgetOption,
    ConcurrencyOption,
    ExecutorOption,
    FloorOption,
    FloorPairsOption,
    GpusPerWorkerOption,
    JudgeOptionOption,
    MaxCostOption,
    MaxTotalTokensOption,
    PolicyOption,
    PrefillOption,
    PriceOption,
    ProbeOption,
    RayAddressOption,
    ReadoutOption,
    StarOption,
    SwapBudgetOption,
    SwapOption,
    VaryOption,
    WorkersOption,
    judge_setup,
    readout_choices,
    selective_settings,
    spend_limit,
    token_budgets,
)
from evenhand.cli.bias_options import BiasOption, VariantsOption, bias_names_of
from evenhand.cli.dry_run import print_dry_run
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
    from evenhand.workflow import AuditRun

__all__ = ["audit_command"]


def audit_command(
    *,
    judge: Annotated[
        str,
        typer.Option(
            "--judge",
            "-j",
            help="KIND:MODEL, such as llamacpp:PATH.gguf, openai:MODEL or transformers:MODEL.",
            autocompletion=complete_judge,
        ),
    ] = "llamacpp:smollm2-135m",
    pairs: Annotated[
        str,
        typer.Option(
            "--pairs",
            "-p",
            help="starter, judgebench:PATH, llmbar:PATH, mt_bench:DIR (or :hub), or FILE.jsonl, .csv or .parquet.",
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
    readout: ReadoutOption = None,
    prefill: PrefillOption = None,
    vary: VaryOption = None,
    star: StarOption = False,
    bias: BiasOption = None,
    variants: VariantsOption = None,
    base_url: BaseUrlOption = None,
    concurrency: ConcurrencyOption = None,
    judge_option: JudgeOptionOption = None,
    executor: ExecutorOption = "local",
    workers: WorkersOption = None,
    gpus_per_worker: GpusPerWorkerOption = 0.0,
    ray_address: RayAddressOption = None,
    swap: SwapOption = "both",
    probe: ProbeOption = None,
    policy: PolicyOption = None,
    swap_budget: SwapBudgetOption = None,
    floor: FloorOption = None,
    floor_pairs: FloorPairsOption = None,
    budget: BudgetOption = None,
    price: PriceOption = None,
    max_cost: MaxCostOption = None,
    max_total_tokens: MaxTotalTokensOption = None,
    limit: Annotated[int | None, typer.Option(help="Judge only the first so many pairs.", min=1)] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            help="Ask this many pairs once more in order AB: how much flips without a swap.",
            min=0,
            show_default="0; with --bias 50, or all where there are fewer",
        ),
    ] = None,
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

    With --bias every pair is also asked with one thing changed in favour of each response, such as its length, tone or
    an endorsement, and verdicts with and without the change are compared.

    Ctrl-C ends cleanly, and so does a crash: the same command goes on where it stopped, and nothing that was
    answered is asked again. The report (HTML, JSON, disclosure card, figures, tables) is written into the run's
    directory.

    Exit codes: 0 done; 2 bad usage or input; 3 could not finish (interrupted, a limit reached, or calls failed).
    """
    from evenhand import workflow
    from evenhand.records import LabelSet
    from evenhand.workflow import AuditSettings

    settings = AuditSettings(
        labels=tuple(LabelSet.parse(text) for text in labels or ()),
        prompt=prompt,
        readout=readout_choices(readout or ()),
        prefill=prefill,
        vary=_axes(vary),
        star=star,
        budget=budget,
        selective=selective_settings(
            swap, probe=probe, policy=policy, budget=swap_budget, floor=floor, floor_pairs=floor_pairs
        ),
        budgets=token_budgets(max_tokens, retry_tokens),
        repeat=repeat,
        biases=bias_names_of(bias),
        variants=variants,
        seed=seed,
        resamples=resamples,
        level=level,
        cluster=cluster,
        retries=retries,
    )
    spend = spend_limit(price=price, max_cost=max_cost, max_total_tokens=max_total_tokens)
    setup = judge_setup(
        judge,
        base_url=base_url,
        concurrency=concurrency,
        options=judge_option or (),
        executor=executor,
        workers=workers,
        gpus_per_worker=gpus_per_worker,
        ray_address=ray_address,
    )
    if settings.selective is not None:
        from evenhand.workflow.adopted import check_activations

        check_activations(judge)
    from evenhand.cli.models import fetch_for

    fetch_for(judge, quiet=quiet)
    if dry_run:
        planned = workflow.dry_run(judge, pairs, setup=setup, settings=settings, limit=limit, out=out)
        print_dry_run(planned, prices=spend.prices, as_json=as_json)
        return
    from evenhand.cli.output import command_line, note_line
    from evenhand.cli.takeover import note_of_another_run
    from evenhand.workflow.conditions import condition_names
    from evenhand.workflow.live import default_directory

    directory = out
    if directory is None:
        directory = default_directory(judge, pairs, selective=settings.selective is not None)
    asked = settings
    if settings.selective is not None:
        from evenhand.workflow.adopted import adopt_probe

        asked = adopt_probe(settings).settings
    taking_over = note_of_another_run(
        directory, judge=judge, data=pairs, conditions=condition_names(asked), biases=settings.biases
    )
    command = command_line()
    from evenhand.runner.progress import RichProgress, SilentProgress

    run = workflow.audit(
        judge,
        pairs,
        setup=setup,
        settings=settings,
        limit=limit,
        out=out,
        spend=spend,
        progress=SilentProgress() if quiet else RichProgress(),
        announce=None if quiet else note_line,
        planned=taking_over,
        command=command,
    )
    _finish(run, command=command, as_json=as_json, brief=brief)


def _axes(vary: str | None) -> tuple[str, ...]:
    return () if vary is None else tuple(axis.strip() for axis in vary.split(","))


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
        why = run.execution.stopped if run.execution is not None else None
        error_line(
            f"{why or 'interrupted'}: {run.counts.finished:,} of {run.counts.planned:,} presentations are answered and "
            f"recorded; to go on: {command}"
        )
        raise typer.Exit(3)
    if not run.complete:
        first = run.execution.first_error if run.execution is not None else None
        error_line(
            f"{run.counts.errors:,} of {run.counts.planned:,} presentations failed"
            f"{f' ({first})' if first else ''}; to ask them again: {command}"
        )
        raise typer.Exit(3)
