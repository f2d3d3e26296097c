"""The manifest of a live run: what is asked of whom, with which data and versions."""

from __future__ import annotations

from evenhand.judges import Judge
from evenhand.prompts import PromptTemplate
from evenhand.records import DataIdentity, RunManifest
from evenhand.workflow.plan import Plan
from evenhand.workflow.versions import now, versions

__all__ = ["live_manifest"]


def live_manifest(
    judge: Judge, plan: Plan, data: DataIdentity, *, limit: int | None, command: str | None
) -> RunManifest:
    """What is said of a run whose judge is asked by us, as of now."""
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
        repeat=settings.repeat or 0,
        seed=settings.seed,
        limit=limit,
        generated_fraction=settings.budget,
        biases=settings.biases,
        variants=None if plan.variants is None else plan.variants.identity,
        versions=versions(),
        created=now(),
        command=command,
    )


def _text(template: PromptTemplate) -> str:
    """The template's messages as one text, for the manifest."""
    return template.user if template.system is None else f"[system]\n{template.system}\n[user]\n{template.user}"
