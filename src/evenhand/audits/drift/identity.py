"""What two runs say of themselves, side by side: which of judge, prompt, labels, data and decoding differ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evenhand.records import Condition, RunManifest

__all__ = ["IdentityDifference", "identity_differences"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityDifference:
    """One thing that differs by the manifests.

    Attributes
    ----------
    part
        ``judge``, ``prompt``, ``labels``, ``data``, ``decoding`` or ``software``.
    what
        Which property of it.
    old, new
        As texts.
    """

    part: str
    what: str
    old: str
    new: str


def identity_differences(
    old: RunManifest, new: RunManifest, *, conditions: tuple[Condition | None, Condition | None] = (None, None)
) -> tuple[IdentityDifference, ...]:
    """Everything by which two runs differ that can change a verdict.

    Parameters
    ----------
    conditions
        The old and the new condition that are compared; None: prompts and labels are not looked at.
    """
    return tuple(
        IdentityDifference(part=part, what=what, old=before, new=after)
        for part, what, before, after in _properties(old, new, conditions)
        if before != after
    )


_Row = tuple[str, str, str, str]


def _properties(
    old: RunManifest, new: RunManifest, conditions: tuple[Condition | None, Condition | None]
) -> Iterator[_Row]:
    unknown = "unknown"
    yield "judge", "spec", old.judge.spec, new.judge.spec
    yield "judge", "model", old.judge.model, new.judge.model
    yield "judge", "revision", old.judge.revision or unknown, new.judge.revision or unknown
    yield "judge", "engine", old.judge.engine or unknown, new.judge.engine or unknown
    settings = (dict(old.judge.settings), dict(new.judge.settings))
    for name in sorted({*settings[0], *settings[1]}):
        yield "judge", name, settings[0].get(name, "not set"), settings[1].get(name, "not set")
    first, second = conditions
    if first is not None and second is not None:
        yield "prompt", "template", first.prompt, second.prompt
        yield "prompt", "text", f"sha256 {first.prompt_hash[:12]}", f"sha256 {second.prompt_hash[:12]}"
        yield "prompt", "prefill", first.prefill or "none", second.prefill or "none"
        yield "prompt", "changes", _changes(first), _changes(second)
        yield "labels", "labels", first.labels.name, second.labels.name
    if old.data.sha256 != new.data.sha256:  # another name of the same pairs changes nothing
        yield "data", "pairs", _data(old), _data(new)
    yield "decoding", "temperature", _temperature(old), _temperature(new)
    yield "decoding", "token budgets", _budgets(old), _budgets(new)
    yield (
        "software",
        "evenhand",
        dict(old.versions).get("evenhand", unknown),
        dict(new.versions).get("evenhand", unknown),
    )


def _data(manifest: RunManifest) -> str:
    data = manifest.data
    return f"{data.pairs:,} of {data.spec}, sha256 {data.sha256[:12]}"


def _changes(condition: Condition) -> str:
    return " + ".join(change.name for change in condition.changes) or "none"


def _temperature(manifest: RunManifest) -> str:
    return "unknown" if manifest.sampling is None else f"{manifest.sampling.temperature:g}"


def _budgets(manifest: RunManifest) -> str:
    return "unknown" if manifest.sampling is None else ", ".join(f"{budget:,}" for budget in manifest.sampling.budgets)
