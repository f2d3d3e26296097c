"""Audit a judge live: plan, ask what is not yet answered, analyse."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from evenhand.errors import ConfigError
from evenhand.judges import CostEstimate, Judge
from evenhand.records import Pair, Presentation, RunManifest
from evenhand.runner import Progress, SilentProgress, SpendLimit, execute
from evenhand.runner.execute import BATCH_SIZE
from evenhand.store import Journal
from evenhand.workflow.analyse import analyse
from evenhand.workflow.asking import answered_before, ask_every_order
from evenhand.workflow.bias_notes import announced_biases
from evenhand.workflow.chosen import ChosenPairs, choose_pairs
from evenhand.workflow.dry_run import DryRun
from evenhand.workflow.opened import JudgeSetup, opened, opened_for_estimate
from evenhand.workflow.plan import Plan, make_plan
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_manifest import live_manifest
from evenhand.workflow.sample import announced_saving, presumed_sample
from evenhand.workflow.settings import AuditSettings
from evenhand.workflow.variants_file import keep_variants

if TYPE_CHECKING:
    from evenhand.workflow.adopted import Adopted
    from evenhand.workflow.selective import SelectiveSwap

__all__ = ["answered_before", "audit", "default_directory", "dry_run"]


def audit(
    judge: str | Judge,
    pairs: str | Path | Sequence[Pair],
    *,
    setup: JudgeSetup | None = None,
    settings: AuditSettings | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    spend: SpendLimit | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    announce: Callable[[str], None] | None = None,
    planned: Callable[[], None] | None = None,
    command: str | None = None,
) -> AuditRun:
    """Audit a judge on pairs: every pair in both orders, read in both ways, findings with intervals.

    Whatever was answered in ``out`` before is used and not asked again. Ctrl-C ends the call cleanly: the run that
    comes back is then not ``complete``, and the same call goes on with it.

    Parameters
    ----------
    judge
        A spec such as ``llamacpp:smollm2-135m``, or a judge (which stays open).
    pairs
        ``starter``, ``judgebench:PATH``, ``llmbar:PATH``, ``mt_bench:DIR``, a pair file, or pairs.
    setup
        Options of a judge that is named by its spec, and where it runs.
    settings
        Labels, prompt, readouts, budgets, repeats, seed and intervals; None takes the defaults.
    limit
        Judge only the first so many pairs.
    out
        The run's directory; None takes ``runs/DATA-MODEL`` below the working directory.
    spend
        What the run may cost in dollars or tokens; reached, the call ends as with Ctrl-C.
    progress
        Told of every answer; None stays silent.
    stop
        Asked between answers; True ends the call as Ctrl-C does.
    announce
        Told what a budget saves, before the run, and what its sample is worth, once it is drawn; and what bias audits
        ask beside the control.
    planned
        Called once the plan is set, before anything is asked: whatever the directory held is replaced by then.
    command
        What to print for reproducing the run.

    Raises
    ------
    ConfigError, DataError
        A spec, setting or file is wrong.
    JudgeError
        The judge as a whole failed; what was answered is kept.
    StoreError
        The run's directory can't be used.

    Examples
    --------
    >>> import tempfile, evenhand
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = evenhand.audit("simulated:position=2.0", "starter", out=folder)
    >>> run.complete, len(run.to_polars()) == 3 * run.counts.planned
    (True, True)
    """
    settings, say = _settings(settings), announce or _silent
    chosen = choose_pairs(pairs, limit=limit, variants=settings.variants)
    for note in chosen.notes:
        say(note)
    adopted = _adopted(settings, judge)
    settings = settings if adopted is None else adopted.settings
    with opened(judge, setup) as ready:
        plan = make_plan(ready, chosen.pairs, settings, variants=chosen.variants)
        directory = _directory(out, ready, chosen, settings)
        manifest = live_manifest(ready, plan, chosen.data, limit=limit, command=command)
        saving = announced_saving(plan)
        for said in (
            *(() if saving is None else (saving,)),
            *announced_biases(plan, repeat_given=settings.repeat is not None),
        ):
            say(said)
        swap = _swap(ready, adopted, plan, manifest, directory, say)
        with Journal.create(directory, manifest if swap is None else swap.manifest, chosen.pairs) as journal:
            if settings.variants is not None:
                keep_variants(directory, settings.variants, manifest)
            asking = ask_every_order(ready, plan, journal, say) if swap is None else swap.begin(journal)
            if planned is not None:
                planned()
            done = execute(
                asking.judge,
                journal,
                request_for=asking.request_for,
                retries=settings.retries,
                batch_size=_batch_size(setup),
                progress=progress or SilentProgress(),
                stop=stop,
                limit=spend,
                extend=asking.extend,
            )
            if swap is not None:
                swap.finish()
            return analyse(
                journal,
                resamples=settings.resamples,
                level=settings.level,
                cluster=settings.cluster,
                execution=done,
                prices=None if spend is None else spend.prices,
            )


def dry_run(
    judge: str | Judge,
    pairs: str | Path | Sequence[Pair],
    *,
    setup: JudgeSetup | None = None,
    settings: AuditSettings | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
) -> DryRun:
    """Say what :func:`audit` would ask and cost with the same arguments; nothing is asked or written.

    A judge behind an endpoint needs neither a key nor an answer for it: ``cost.presumed`` says what is then taken for
    granted.
    """
    settings = _settings(settings)
    adopted = _adopted(settings, judge)
    settings = settings if adopted is None else adopted.settings
    chosen = choose_pairs(pairs, limit=limit, variants=settings.variants)
    with opened_for_estimate(judge, setup) as ready:
        plan = make_plan(ready, chosen.pairs, settings, variants=chosen.variants)
        directory = _directory(out, ready, chosen, settings)
        manifest = live_manifest(ready, plan, chosen.data, limit=limit, command=None)
        swap = _swap(ready, adopted, plan, manifest, directory, _silent)
        if swap is not None:
            return swap.dry_run()
        sample = presumed_sample(plan)
        answered = answered_before(directory) & {presentation.key for presentation in (*plan.presentations, *sample)}

        def cost(presentations: Sequence[Presentation]) -> CostEstimate:
            return ready.estimate([plan.request_for(p) for p in presentations if p.key not in answered])

        everything = plan.written(dict.fromkeys(plan.asked, tuple(plan.pairs))) if sample else ()
        changed = plan.changed
        apart = {presentation.key for presentation in changed}
        control_cost = cost([p for p in (*plan.presentations, *sample) if p.key not in apart])
        changed_cost = cost(changed) if changed else None
        return DryRun(
            directory=directory,
            pairs=len(chosen.pairs),
            conditions=len(plan.conditions) - len(plan.changed_conditions),
            presentations=len(plan.presentations) + len(sample),
            answered=len(answered),
            cost=control_cost if changed_cost is None else _together(control_cost, changed_cost),
            sampled=len(sample),
            # Without a budget, one presentation gives both readouts: the first-token ones are not asked apart.
            unsampled=len(everything),
            unsampled_cost=cost(everything) if everything else None,
            changed=len(changed),
            changed_conditions=len(plan.changed_conditions),
            changed_cost=changed_cost,
            notes=announced_biases(plan, repeat_given=settings.repeat is not None),
        )


def _together(one: CostEstimate, other: CostEstimate) -> CostEstimate:
    """Both after each other; each prompt's tokens are counted once, which takes most of a dry run's time."""

    def seconds(first: float | None, second: float | None) -> float | None:
        return None if first is None or second is None else first + second

    return CostEstimate(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens_low=one.completion_tokens_low + other.completion_tokens_low,
        completion_tokens_high=one.completion_tokens_high + other.completion_tokens_high,
        seconds_low=seconds(one.seconds_low, other.seconds_low),
        seconds_high=seconds(one.seconds_high, other.seconds_high),
        basis=one.basis,
        presumed=tuple(dict.fromkeys((*one.presumed, *other.presumed))),
    )


def _adopted(settings: AuditSettings, judge: object) -> Adopted | None:
    """The settings with what a selective swap takes from its probe; None where every pair is asked in both orders."""
    if settings.selective is None:
        return None
    from evenhand.workflow.adopted import adopt_probe, check_activations

    check_activations(judge)
    return adopt_probe(settings)


def _swap(
    judge: Judge,
    adopted: Adopted | None,
    plan: Plan,
    manifest: RunManifest,
    directory: Path,
    say: Callable[[str], None],
) -> SelectiveSwap | None:
    if adopted is None:
        return None
    from evenhand.workflow.selective import SelectiveSwap

    return SelectiveSwap(judge, adopted, plan, manifest, directory=directory, announce=say)


def _batch_size(setup: JudgeSetup | None) -> int:
    """Enough for every worker at once: the batches that engines make of it must not run half empty."""
    return BATCH_SIZE * (1 if setup is None or setup.workers is None else setup.workers)


def _silent(text: str) -> None:
    """Nobody wants to be told."""


def _directory(out: str | Path | None, judge: Judge, chosen: ChosenPairs, settings: AuditSettings) -> Path:
    if out is not None:
        return Path(out)
    return default_directory(judge.identity.spec, chosen.data.spec, selective=settings.selective is not None)


def default_directory(judge: str, data: str, *, selective: bool = False) -> Path:
    """Where a run lives when the user names no directory: the same for the same judge and data, so that it resumes.

    A selective run keeps activations, which the answers of another run don't have: it lives beside.

    Examples
    --------
    >>> default_directory("llamacpp:smollm2-135m", "judgebench:../data/x").as_posix()
    'runs/judgebench-data-x--llamacpp-smollm2-135m'
    """

    def plain(text: str) -> str:
        return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[-60:] or "unnamed"

    return Path("runs") / f"{'selective-' if selective else ''}{plain(data)}--{plain(judge)}"


def _settings(settings: object) -> AuditSettings:
    if settings is None:
        return AuditSettings()
    if not isinstance(settings, AuditSettings):
        raise ConfigError(f"settings: expected AuditSettings(…), got a {type(settings).__name__}")
    return settings
