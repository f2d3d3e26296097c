"""The manifest of a run: what was asked of whom, with which data and versions. Written once, as ``run.json``."""

from __future__ import annotations

from dataclasses import dataclass

from evenhand.records.presentation import Condition

__all__ = [
    "COLUMNS_VERSION",
    "ROWS_VERSION",
    "SCHEMA_VERSION",
    "DataIdentity",
    "JudgeIdentity",
    "LabelTokens",
    "RunManifest",
    "Sampling",
    "SwapRecord",
    "VariantsIdentity",
]

SCHEMA_VERSION = 2
"""Newest version of the run format. A reader refuses a newer one by name."""

ROWS_VERSION = 1
"""Version of a run whose journal holds its pairs and answers itself: earlier versions of Evenhand go on reading it."""

COLUMNS_VERSION = 2
"""Version of a run whose verdicts are columns beside the journal."""


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
class SwapRecord:
    """How a run chose the pairs to ask in order BA; which pairs they are lies in ``swap.parquet`` beside it.

    Attributes
    ----------
    probe, probe_sha256
        The saved probe that predicts flips: its file's name, and the SHA-256 of its card, which pins its numbers.
    predictor
        The probe's own name.
    rule
        In words, what makes a risk high.
    share, threshold
        Of the pairs with a known risk, the share with the highest is asked; or every pair whose risk is at least the
        threshold. One of them is None.
    policy_sha256, guarantee
        Of the policy file that gave the rule, and what it promises in words; None where there is none.
    floor, floor_pairs
        Share of the other pairs drawn at random, and how many they are at least, where there are as many.
    """

    probe: str
    probe_sha256: str
    predictor: str
    rule: str
    share: float | None
    threshold: float | None
    policy_sha256: str | None = None
    guarantee: str | None = None
    floor: float
    floor_pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantsIdentity:
    """Which rewrites of the responses a user supplied. ``sha256`` is of the file."""

    spec: str
    rewrites: int
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
    slots_seen
        False for a log whose judge saw each response by itself: pairs were made of its scores, and none stood first.
    readouts
        The readouts asked for (or that the log supports), as their names.
    label_tokens
        Per condition id, the declared variants with their token ids.
    repeat
        How many pairs the repeated-AB control asks again.
    generated_fraction
        The share of the pairs whose text was asked for, drawn at random; None where it was asked of all.
    swap
        How the pairs to ask in order BA were chosen, where not all were; None else.
    biases
        The bias audits that the run asks for, by name.
    variants
        The user's rewrites of responses, where there are any; None else.
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

    schema_version: int = ROWS_VERSION
    kind: str
    judge: JudgeIdentity
    data: DataIdentity
    conditions: tuple[Condition, ...]
    readouts: tuple[str, ...]
    orders: str = "both"
    slots_seen: bool = True
    sampling: Sampling | None = None
    label_tokens: tuple[tuple[str, tuple[LabelTokens, ...]], ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    repeat: int = 0
    seed: int = 0
    limit: int | None = None
    generated_fraction: float | None = None
    swap: SwapRecord | None = None
    biases: tuple[str, ...] = ()
    variants: VariantsIdentity | None = None
    log_rules: str | None = None
    excluded: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    created: str = ""
    command: str | None = None
