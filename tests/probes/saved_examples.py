"""Small probes and probe data for tests of what is saved and transferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evenhand.probes import Place, PredictorKind, ProbeData, ProbeSubject, Retention
from evenhand.probes.saved import SavedProbe
from evenhand.probes.saved_card import ProbeCard, Procedure, TrainedOn
from evenhand.records import Readout

PLACES = (Place.parse("before-verdict@1"), Place.parse("before-verdict@3"), Place.parse("prompt-end@3"))

SUBJECT = ProbeSubject(
    model="tiny/judge",
    revision="c0ffee",
    dtype="float32",
    prompt="three-line",
    prompt_hash="ab" * 32,
    labels="A/B",
    readout=Readout.GENERATED,
    blocks=4,
    size=3,
    settings=(("chat_template", "sha256:1234"), ("thinking", "off"), ("engine", "torch 2.13"), ("n_ctx", "2048")),
)


def probe_data(
    n: int = 60,
    *,
    seed: int = 0,
    subject: ProbeSubject = SUBJECT,
    places: Sequence[Place] = PLACES,
    prefix: str = "q",
    strength: float = 2.0,
    shift: float = 0.0,
) -> ProbeData:
    """Pairs in groups of two; the first column of every place tells of a flip, as does the margin."""
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=n)
    flips = rng.random(n) < 1 / (1 + np.exp(-strength * signal))
    margin = -signal + rng.normal(size=n)
    return ProbeData(
        subject=subject,
        pair_ids=tuple(f"{prefix}{i}" for i in range(n)),
        groups=tuple(f"{prefix}-group-{i // 2}" for i in range(n)),
        flips=flips,
        choice_ab=(margin < 0).astype(np.int8),
        confidence=rng.integers(0, 101, size=n).astype(np.float64),
        margin=margin,
        length_difference=rng.normal(0, 40, size=n).round(),
        activations={
            place: (np.outer(signal, np.eye(subject.size)[0]) + rng.normal(size=(n, subject.size)) + shift).astype(
                np.float32
            )
            for place in places
        },
        retention=Retention(planned=n + 3, usable=n, lost=(("confidence not a number", 2), ("order BA: tie", 1))),
        spec=f"table:{prefix}.jsonl",
        sha256="cd" * 32,
    )


def saved_probe(
    features: Sequence[str] = ("before-verdict@3",),
    *,
    seed: int = 1,
    data: ProbeData | None = None,
    name: str = "probe",
    kind: PredictorKind = PredictorKind.PROBE,
) -> SavedProbe:
    """A probe with made-up numbers."""
    trained = probe_data() if data is None else data
    card = ProbeCard(
        name=name,
        kind=kind,
        features=tuple(features),
        candidate=features[0] if len(features) == 1 else name,
        l2=0.1,
        subject=trained.subject,
        trained_on=TrainedOn.of(trained),
        procedure=Procedure(folds=5, seed=0, penalties=(1e-4, 1.0), validation_brier=0.2),
        evenhand="0.1.0",
        created="2026-11-30T12:00:00+00:00",
    )
    rng = np.random.default_rng(seed)
    return SavedProbe(
        card=card,
        mean=rng.normal(size=card.columns),
        scale=rng.uniform(0.5, 2, size=card.columns),
        weights=rng.normal(size=card.columns),
        intercept=float(rng.normal()),
    )


def renamed(probe: SavedProbe, **changes: object) -> SavedProbe:
    """The same numbers with another card."""
    return replace(probe, card=replace(probe.card, **changes))
