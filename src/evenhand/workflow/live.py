"""Audit a judge live: plan, ask what is not yet answered, analyse."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from evenhand.datasets import load_pairs
from evenhand.errors import ConfigError
from evenhand.judges import CostEstimate, Judge
from evenhand.prompts import PromptTemplate
from evenhand.records import DataIdentity, Pair, Presentation, RunManifest, pairs_hash
from evenhand.runner import Progress, SilentProgress, SpendLimit, execute
from evenhand.runner.execute import BATCH_SIZE
from evenhand.store import Journal, is_run
from evenhand.workflow.opened import JudgeSetup, opened
from evenhand.workflow.plan import Plan, make_plan
from evenhand.workflow.result import AuditRun, DryRun, analyse
from evenhand.workflow.sample import announced_saving, extend_by_sample, presumed_sample, texts_kept
from evenhand.workflow.settings import AuditSettings
from evenhand.workflow.versions import now, versions

__all__ = ["audit", "default_directory", "dry_run"]


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
        ``starter``, ``judgebench:PATH``, ``llmbar:PATH``, a pair file, or pairs.
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
        Told what a budget saves, before the run, and what its sample is worth, once it is drawn.
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
    settings = _settings(settings)
    chosen, data = _pairs(pairs, limit)
    with opened(judge, setup) as ready:
        plan = make_plan(ready, chosen, settings)
        directory = Path(out) if out is not None else default_directory(ready.identity.spec, data.spec)
        manifest = _manifest(ready, plan, data, limit=limit, command=command)
        saving = announced_saving(plan)
        if saving is not None and announce is not None:
            announce(saving)
        with Journal.create(directory, manifest, chosen) as journal:
            journal.set_plan((*plan.presentations, *texts_kept(plan, journal)))
            done = execute(
                ready,
                journal,
                request_for=plan.request_for,
                retries=settings.retries,
                batch_size=_batch_size(setup),
                progress=progress or SilentProgress(),
                stop=stop,
                limit=spend,
                extend=partial(extend_by_sample, plan, journal, announce or _silent),
            )
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
    """Say what :func:`audit` would ask and cost with the same arguments; nothing is asked or written."""
    settings = _settings(settings)
    chosen, data = _pairs(pairs, limit)
    with opened(judge, setup) as ready:
        plan = make_plan(ready, chosen, settings)
        directory = Path(out) if out is not None else default_directory(ready.identity.spec, data.spec)
        sample = presumed_sample(plan)
        answered = _answered(directory) & {presentation.key for presentation in (*plan.presentations, *sample)}

        def cost(presentations: Sequence[Presentation]) -> CostEstimate:
            return ready.estimate([plan.request_for(p) for p in presentations if p.key not in answered])

        everything = plan.written(dict.fromkeys(plan.asked, tuple(plan.pairs))) if sample else ()
        return DryRun(
            directory=directory,
            pairs=len(chosen),
            conditions=len(plan.conditions),
            presentations=len(plan.presentations) + len(sample),
            answered=len(answered),
            cost=cost((*plan.presentations, *sample)),
            sampled=len(sample),
            # Without a budget, one presentation gives both readouts: the first-token ones are not asked apart.
            unsampled=len(everything),
            unsampled_cost=cost(everything) if everything else None,
        )


def _batch_size(setup: JudgeSetup | None) -> int:
    """Enough for every worker at once: the batches that engines make of it must not run half empty."""
    return BATCH_SIZE * (1 if setup is None or setup.workers is None else setup.workers)


def _silent(text: str) -> None:
    """Nobody wants to be told."""


def default_directory(judge: str, data: str) -> Path:
    """Where a run lives when the user names no directory: the same for the same judge and data, so that it resumes.

    Examples
    --------
    >>> default_directory("llamacpp:smollm2-135m", "judgebench:../data/x").as_posix()
    'runs/judgebench-data-x--llamacpp-smollm2-135m'
    """

    def plain(text: str) -> str:
        return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[-60:] or "unnamed"

    return Path("runs") / f"{plain(data)}--{plain(judge)}"


def _answered(directory: Path) -> set[str]:
    if not is_run(directory):
        return set()
    with Journal.open(directory, read_only=True) as journal:
        return set(journal.answered_keys())


def _pairs(pairs: str | Path | Sequence[Pair], limit: int | None) -> tuple[tuple[Pair, ...], DataIdentity]:
    if isinstance(pairs, str | Path):
        chosen, spec = load_pairs(pairs, limit=limit), str(pairs)
    else:
        chosen, spec = _given(pairs, limit), "pairs given in Python"
    if not chosen:
        raise ConfigError("no pairs to judge: the sequence is empty")
    return chosen, DataIdentity(spec=spec, pairs=len(chosen), sha256=pairs_hash(chosen))


def _given(pairs: object, limit: object) -> tuple[Pair, ...]:
    """Pairs that were given in Python, where nothing else has checked their types."""
    if limit is not None and (not isinstance(limit, int) or limit < 1):
        raise ConfigError(f"limit is {limit!r}, expected at least 1")
    if isinstance(pairs, Pair) or not isinstance(pairs, Iterable):
        raise ConfigError(f"pairs: expected a spec, a path or a sequence of Pair, got a {type(pairs).__name__}")
    given = []
    for pair in pairs:
        if not isinstance(pair, Pair):
            raise ConfigError(f"pairs: expected evenhand.Pair objects, got a {type(pair).__name__} among them")
        given.append(pair)
    return tuple(given[:limit])


def _settings(settings: object) -> AuditSettings:
    if settings is None:
        return AuditSettings()
    if not isinstance(settings, AuditSettings):
        raise ConfigError(f"settings: expected AuditSettings(…), got a {type(settings).__name__}")
    return settings


def _manifest(
    judge: Judge,
    plan: Plan,
    data: DataIdentity,
    *,
    limit: int | None,
    command: str | None,
) -> RunManifest:
    settings = plan.settings
    return RunManifest(
        kind="live",
        judge=judge.identity,
        data=data,
        conditions=plan.conditions,
        readouts=tuple(readout.value for readout in settings.readouts),
        orders="both",
        sampling=settings.sampling,
        label_tokens=tuple(plan.label_tokens.items()),
        prompts=tuple((template.name, _text(template)) for template in plan.templates),
        repeat=settings.repeat,
        seed=settings.seed,
        limit=limit,
        generated_fraction=settings.budget,
        versions=versions(),
        created=now(),
        command=command,
    )


def _text(template: PromptTemplate) -> str:
    """The template's messages as one text, for the manifest."""
    return template.user if template.system is None else f"[system]\n{template.system}\n[user]\n{template.user}"
