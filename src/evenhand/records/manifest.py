"""The manifest of a run: what was asked of whom, with which data and versions. Written once, as ``run.json``."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.records.presentation import Condition

__all__ = ["SCHEMA_VERSION", "DataIdentity", "JudgeIdentity", "LabelTokens", "RunManifest", "Sampling"]

SCHEMA_VERSION = 1
"""Version of the run format. A reader refuses a newer one by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeIdentity:
    """Which judge answered.

    Attributes
    ----------
    spec
        As the user named it, such as ``llamacpp:smollm2-135m``; for a log, what the log says.
    model
        The model's name.
    revision
        What pins the weights: a file's SHA-256 (``sha256:…``), a hub revision, a system fingerprint; None unknown.
    engine
        Engine and version, such as ``llama.cpp (xllamacpp 2026.10)``.
    settings
        Engine settings that can change an answer, as ordered (name, value) texts.
    """

    spec: str
    model: str
    revision: str | None = None
    engine: str | None = None
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """Decoding settings. Greedy is temperature 0. ``budgets`` are ascending completion-token budgets."""

    temperature: float = 0.0
    budgets: tuple[int, ...] = (500, 1500)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelTokens:
    """One declared variant of a label and the single token it is in the judge's vocabulary.

    ``token_id`` is None where the variant is not one token, or where the endpoint doesn't tell its tokens at all.
    """

    label: str
    variant: str
    token_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DataIdentity:
    """Which pairs were judged. ``sha256`` is :func:`evenhand.records.pairs_hash`."""

    spec: str
    pairs: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunManifest:
    """Everything about a run that is not a pair, a presentation or a completion.

    Attributes
    ----------
    kind
        ``live`` (a judge was asked) or ``log`` (imported).
    orders
        ``both``, or ``single`` where the log has one order a pair: then no position figure is claimed.
    readouts
        The readouts asked for (or that the log supports), as their names.
    label_tokens
        Per condition id, the declared variants with their token ids.
    repeat
        How many pairs the repeated-AB control asks again.
    generated_fraction
        The share of the pairs whose text was asked for, drawn at random; None where it was asked of all.
    log_rules
        For a log: how its own outcome was decided, in one sentence; None else.
    excluded
        For a log: (pair id, reason) of each presentation left out.
    notes
        For a log: facts that a reader of its figures must know.
    versions
        Ordered (package, version) texts.
    created
        UTC, ISO 8601.
    """

    schema_version: int = SCHEMA_VERSION
    kind: str
    judge: JudgeIdentity
    data: DataIdentity
    conditions: tuple[Condition, ...]
    readouts: tuple[str, ...]
    orders: str = "both"
    sampling: Sampling | None = None
    label_tokens: tuple[tuple[str, tuple[LabelTokens, ...]], ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    repeat: int = 0
    seed: int = 0
    limit: int | None = None
    generated_fraction: float | None = None
    log_rules: str | None = None
    excluded: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    created: str = ""
    command: str | None = None
