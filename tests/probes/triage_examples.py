"""Pairs with flips that scores see more or less well, for tests of triage."""

from __future__ import annotations

import numpy as np

from evenhand.probes import Place, ProbeData, ProbeSubject, Retention
from evenhand.records import Readout

PLACES = (Place.parse("before-verdict@1"), Place.parse("before-verdict@3"))
SUBJECT = ProbeSubject(
    model="tiny/judge",
    revision=None,
    dtype="float32",
    prompt="three-line",
    prompt_hash="ab" * 32,
    labels="A/B",
    readout=Readout.GENERATED,
    blocks=4,
    size=6,
)


def triage_data(
    n: int = 400, *, seed: int = 0, per_group: int = 2, signal: float = 2.0, rate: float = 0.35
) -> ProbeData:
    """Questions of up to ``per_group`` pairs. Activations see flips well, the margin a little, confidence hardly."""
    rng = np.random.default_rng(seed)
    groups = np.sort(rng.integers(0, max(1, (2 * n) // (per_group + 1)), n))
    risk = rng.normal(size=n) + 0.5 * rng.normal(size=groups.max() + 1)[groups]
    flips = risk + rng.normal(size=n) / signal > np.quantile(risk, 1 - rate)
    margin = np.sign(rng.normal(size=n)) * np.exp(-0.4 * risk + 0.8 * rng.normal(size=n))
    direction = np.eye(SUBJECT.size)[0]
    return ProbeData(
        subject=SUBJECT,
        pair_ids=tuple(f"p{i}" for i in range(n)),
        groups=tuple(f"q{g}" for g in groups),
        flips=np.asarray(flips),
        choice_ab=(margin < 0).astype(np.int8),
        confidence=np.clip(np.round((80 - 5 * risk + 15 * rng.normal(size=n)) / 5) * 5, 0, 100),
        margin=margin,
        length_difference=rng.normal(0, 40, size=n).round(),
        activations={
            place: (np.outer(risk, direction) + 0.6 * rng.normal(size=(n, SUBJECT.size))).astype(np.float32)
            for place in PLACES
        },
        retention=Retention(planned=n + 3, usable=n, lost=(("not asked yet", 3),)),
        spec="planted",
        sha256="00" * 32,
    )
