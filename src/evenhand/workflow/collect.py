"""Collect activations: every pair in both orders, its residual stream kept as the judge writes, with no second pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evenhand.errors import ConfigError
from evenhand.judges import Captures, Judge, JudgeRequest
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.activation_meta import ActivationMeta
from evenhand.probes.data import ProbeData
from evenhand.records import Pair, Presentation, RunManifest
from evenhand.runner import ExecutionSummary, Progress, SilentProgress, execute
from evenhand.stats import Estimate, Refusal, cluster_rate
from evenhand.store import Journal, PlanCounts
from evenhand.workflow.capturing import CapturingJudge
from evenhand.workflow.chosen import ChosenPairs, choose_pairs
from evenhand.workflow.collect_settings import CollectSettings
from evenhand.workflow.dry_run import DryRun
from evenhand.workflow.live import answered_before, default_directory
from evenhand.workflow.opened import JudgeSetup, opened, opened_for_estimate
from evenhand.workflow.pair_tokens import count_pair_tokens, write_pair_tokens
from evenhand.workflow.plan import Plan, make_plan
from evenhand.workflow.probe_data import PAIR_TOKENS, check_all_kept, load_probe_data, pair_compliance
from evenhand.workflow.replaying import ReplayCheck, verify_replay
from evenhand.workflow.run_manifest import live_manifest
from evenhand.workflow.verdict_token import verdict_locator

__all__ = ["CollectDryRun", "CollectRun", "collect", "collect_directory", "collect_dry_run", "flip_rate"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CollectRun:
    """A collected run, as far as it is.

    Attributes
    ----------
    directory
        Where the run lives, its activations among it.
    counts
        How far the plan is.
    execution
        What this call did.
    meta
        What is kept of every presentation.
    bytes
        Room that the activation files take.
    data
        The usable pairs, without their activations (:func:`load_probe_data` reads them), and the retention.
    flip_rate
        PFR, with its interval over question groups.
    replay
        What a replay found; None where none was asked for, or the run was interrupted.
    """

    directory: Path
    manifest: RunManifest
    counts: PlanCounts
    execution: ExecutionSummary
    meta: ActivationMeta
    bytes: int
    data: ProbeData
    flip_rate: Estimate | Refusal
    replay: ReplayCheck | None = None

    @property
    def complete(self) -> bool:
        """Whether every planned presentation has an answer."""
        return self.counts.finished == self.counts.planned

    def to_json(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        from evenhand.report.encode import encode_estimate
        from evenhand.report.probes.encode import encode_retention
        from evenhand.store.codec import encode

        compliance = pair_compliance(self.data)
        return {
            "directory": str(self.directory),
            "judge": encode(self.manifest.judge),
            "data": encode(self.manifest.data),
            "condition": self.manifest.conditions[0].id,
            "counts": encode(self.counts),
            "complete": self.complete,
            "activations": encode(self.meta),
            "activation_bytes": self.bytes,
            "retention": encode_retention(self.data.retention),
            "groups": len(set(self.data.groups)),
            "flip_rate": encode_estimate(self.flip_rate),
            "compliance": None if compliance is None else encode_estimate(compliance),
            "replay": None if self.replay is None else {**_object(self.replay), "passed": self.replay.passed},
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectDryRun:
    """What a collection would cost. Nothing was asked.

    Attributes
    ----------
    dry
        As an audit's.
    meta
        What would be kept of every presentation.
    bytes
        Of all activations together; token ids come on top, 4 bytes each.
    """

    dry: DryRun
    meta: ActivationMeta
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    judge: Captures
    plan: Plan
    meta: ActivationMeta
    directory: Path


def collect(
    judge: str | Judge,
    pairs: str | Path | Sequence[Pair],
    *,
    setup: JudgeSetup | None = None,
    settings: CollectSettings | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    command: str | None = None,
    planned: Callable[[], None] | None = None,
    replay: bool = False,
    replay_limit: int | None = None,
    replay_progress: Progress | None = None,
) -> CollectRun:
    """Judge every pair in both orders and keep the activations just before the verdict and at the prompt's end.

    The directory is a run like an audit's (``evenhand report`` reads it) with ``activations/`` in it. Whatever was
    answered there before is used and not asked again; an answer counts only once its activations are on the disk.

    Parameters
    ----------
    judge
        A spec such as ``transformers:Qwen/Qwen3-1.7B``, or a judge that captures (which stays open).
    pairs, setup, limit, out, progress, stop, command, planned
        As of :func:`evenhand.audit`; ``out`` is ``runs/probe-DATA-MODEL`` by default.
    settings
        Prompt, labels, readout, layers; None takes the defaults.
    replay
        Whether to read the saved tokens again afterwards and compare (:func:`verify_replay`).
    replay_limit
        Only so many presentations; None: all.

    Raises
    ------
    ConfigError
        The judge doesn't show its activations, or a setting is wrong; the directory keeps other activations.
    DataError, JudgeError, StoreError
        As of :func:`evenhand.audit`.
    """
    settings = _settings(settings)
    chosen = choose_pairs(pairs, limit=limit)
    with opened(judge, setup) as ready:
        prepared = _prepare(ready, chosen, settings, out)
        manifest = live_manifest(prepared.judge, prepared.plan, chosen.data, limit=limit, command=command)
        with Journal.create(prepared.directory, manifest, chosen.pairs) as journal:
            store = _begin(prepared, journal, chosen)
            if planned is not None:
                planned()
            capturing = _capturing(prepared, store)
            done = execute(
                capturing,
                journal,
                request_for=lambda asked: capturing.request_for(asked, _request(prepared.plan, asked)),
                retries=settings.retries,
                progress=progress or SilentProgress(),
                stop=stop,
            )
            store.pack()
            counts = journal.counts()
        data = load_probe_data(prepared.directory, places=())
        check = None
        if replay and not done.interrupted:
            check = verify_replay(
                prepared.judge,
                prepared.directory,
                limit=replay_limit,
                seed=settings.seed,
                progress=replay_progress,
            )
    return CollectRun(
        directory=prepared.directory,
        manifest=manifest,
        counts=counts,
        execution=done,
        meta=prepared.meta,
        bytes=store.bytes,
        data=data,
        flip_rate=flip_rate(data, level=settings.level),
        replay=check,
    )


def collect_dry_run(
    judge: str | Judge,
    pairs: str | Path | Sequence[Pair],
    *,
    setup: JudgeSetup | None = None,
    settings: CollectSettings | None = None,
    limit: int | None = None,
    out: str | Path | None = None,
) -> CollectDryRun:
    """Say what :func:`collect` would ask, cost and write with the same arguments; nothing is asked or written."""
    settings = _settings(settings)
    chosen = choose_pairs(pairs, limit=limit)
    with opened_for_estimate(judge, setup) as ready:
        prepared = _prepare(ready, chosen, settings, out)
        plan = prepared.plan
        answered = answered_before(prepared.directory)
        left = [presentation for presentation in plan.presentations if presentation.key not in answered]
        return CollectDryRun(
            dry=DryRun(
                directory=prepared.directory,
                pairs=len(chosen.pairs),
                conditions=1,
                presentations=len(plan.presentations),
                answered=len(plan.presentations) - len(left),
                cost=prepared.judge.estimate([_request(plan, presentation) for presentation in left]),
            ),
            meta=prepared.meta,
            bytes=len(plan.presentations) * prepared.meta.bytes_each,
        )


def collect_directory(judge: str, data: str) -> Path:
    """Where a collection lives when the user names no directory: beside the audits of the same judge and data.

    Examples
    --------
    >>> collect_directory("transformers:Qwen/Qwen3-1.7B", "llmbar:data").as_posix()
    'runs/probe-llmbar-data--transformers-Qwen-Qwen3-1-7B'
    """
    usual = default_directory(judge, data)
    return usual.with_name(f"probe-{usual.name}")


def flip_rate(data: ProbeData, *, level: float = 0.95) -> Estimate | Refusal:
    """PFR of the usable pairs, with its interval over question groups."""
    # The interval draws nothing; a generator is asked for all the same.
    return cluster_rate(data.flips, None, data.groups, rng=np.random.default_rng(0), level=level)


def _settings(settings: object) -> CollectSettings:
    if settings is None:
        return CollectSettings()
    if not isinstance(settings, CollectSettings):
        raise ConfigError(f"settings: expected CollectSettings(…), got a {type(settings).__name__}")
    return settings


def _prepare(judge: Judge, chosen: ChosenPairs, settings: CollectSettings, out: str | Path | None) -> _Prepared:
    if not isinstance(judge, Captures):
        raise ConfigError(
            f"judge {judge.identity.spec!r} doesn't show its activations: probes need an open-weight judge on torch, "
            "such as transformers:HuggingFaceTB/SmolLM2-135M-Instruct"
        )
    settings.check_prompt()
    spec = judge.identity.spec
    return _Prepared(
        judge=judge,
        plan=make_plan(judge, chosen.pairs, settings.audit),
        meta=settings.meta(judge),
        directory=Path(out) if out is not None else collect_directory(spec, chosen.data.spec),
    )


def _begin(prepared: _Prepared, journal: Journal, chosen: ChosenPairs) -> ActivationStore:
    """Set the plan, once nothing stands against keeping its activations here."""
    store = ActivationStore(prepared.directory)
    answered = journal.answered_keys()
    check_all_kept(store, [asked for asked in prepared.plan.presentations if asked.key in answered])
    store.begin(prepared.meta)
    write_pair_tokens(store.folder / PAIR_TOKENS, count_pair_tokens(prepared.judge, chosen.pairs))
    journal.set_plan(prepared.plan.presentations)
    return store


def _capturing(prepared: _Prepared, store: ActivationStore) -> CapturingJudge:
    [asked] = prepared.plan.asked.values()
    locate = verdict_locator(prepared.meta.readout, asked.condition.labels, asked.label_tokens)
    return CapturingJudge(prepared.judge, store, layers=prepared.meta.layers, locate=locate)


def _request(plan: Plan, presentation: Presentation) -> JudgeRequest:
    # No watcher: the format is judged by the whole text, not by what came before a verdict could be read.
    return replace(plan.request_for(presentation), watcher=None)


def _object(check: ReplayCheck) -> dict[str, Any]:
    from evenhand.store.codec import encode

    encoded = encode(check)
    return encoded if isinstance(encoded, dict) else {}
