"""Data for probes with a known answer: a direction in the residual stream that tells flips apart by a known amount."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.probes import Place, Position, ProbeData, ProbeSubject, Retention
from evenhand.records import Readout


@dataclass(frozen=True, kw_only=True)
class Plant:
    """What is planted.

    ``delta`` moves flips along one direction by so many standard deviations of the noise, at ``signal_layer`` alone:
    the best possible AUROC is Phi(delta / sqrt 2). ``feature_delta`` does the same to the margin; ``by_choice`` is the
    flip rate by AB choice, in place of ``rate``.
    """

    n: int = 120
    groups: int = 100
    size: int = 8
    layers: tuple[int, ...] = (2, 4)
    signal_layer: int = 4
    delta: float = 1.5
    feature_delta: float = 0.0
    rate: float = 0.4
    by_choice: tuple[float, float] | None = None
    readout: Readout = Readout.GENERATED
    confidence: bool = True
    before_generation: bool = True
    seed: int = 0


def planted(plant: Plant | None = None) -> ProbeData:
    """The data of a plant."""
    plant = plant or Plant()
    rng = np.random.default_rng(plant.seed)
    n = plant.n
    choice = (rng.random(n) < 0.5).astype(np.int8)
    rate = np.full(n, plant.rate) if plant.by_choice is None else np.asarray(plant.by_choice)[choice]
    flips = rng.random(n) < rate
    positions: Sequence[Position] = tuple(Position) if plant.before_generation else (Position.BEFORE_VERDICT,)
    activations = {}
    for position in positions:
        for layer in plant.layers:
            vectors = rng.normal(size=(n, plant.size))
            if layer == plant.signal_layer and position is Position.BEFORE_VERDICT:
                direction = rng.normal(size=plant.size)
                vectors += np.outer(flips * plant.delta, direction / np.linalg.norm(direction))
            # Layers differ in scale, as residual streams do.
            activations[Place(position=position, layer=layer)] = (vectors * (1 + layer)).astype(np.float32)
    return ProbeData(
        subject=ProbeSubject(
            model="planted",
            revision=None,
            dtype="float32",
            prompt="three-lines",
            prompt_hash="0",
            labels="A/B",
            readout=plant.readout,
            blocks=max(plant.layers) + 1,
            size=plant.size,
        ),
        pair_ids=tuple(f"p{i}" for i in range(n)),
        groups=tuple(f"q{i % plant.groups}" for i in range(n)),
        flips=flips,
        choice_ab=choice,
        confidence=rng.integers(5, 11, n) * 10.0 if plant.confidence else np.full(n, np.nan),
        margin=rng.normal(size=n) + plant.feature_delta * flips,
        length_difference=rng.normal(scale=50, size=n).round(),
        activations=activations,
        retention=Retention(planned=n, usable=n),
        spec="planted",
        sha256="0" * 64,
    )
