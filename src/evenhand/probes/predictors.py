"""Which predictors are compared, and what each of them looks at."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.probes.candidates import Block, Candidate
from evenhand.probes.data import ProbeData
from evenhand.probes.features import Feature, FeatureTable, feature_column, feature_table
from evenhand.probes.places import Place, Position
from evenhand.probes.results import PredictorKind
from evenhand.records import Readout
from evenhand.stats import Refusal

__all__ = [
    "ALL_LAYERS",
    "BEFORE_GENERATION",
    "COMBINED",
    "COMBINED_WITHOUT_CHOICE",
    "NO_SIGNAL",
    "PREDICTORS",
    "PROBE",
    "SHUFFLED",
    "TREES",
    "WITH_FEATURES",
    "Method",
    "Predictor",
    "check_predictors",
    "predictors",
    "probability_column",
]

PROBE: Final = "probe"
COMBINED: Final = "combined"
COMBINED_WITHOUT_CHOICE: Final = "combined-without-choice"
NO_SIGNAL: Final = "no-signal"
BEFORE_GENERATION: Final = "before-generation"
ALL_LAYERS: Final = "all-layers"
WITH_FEATURES: Final = "probe-with-features"
TREES: Final = "boosted-trees"
SHUFFLED: Final = "shuffled-labels"
"""The probe on shuffled labels: fitted apart, see :mod:`evenhand.probes.shuffled`."""

PREDICTORS: Final = (
    PROBE,
    *(feature.value for feature in Feature),
    COMBINED,
    COMBINED_WITHOUT_CHOICE,
    BEFORE_GENERATION,
    ALL_LAYERS,
    WITH_FEATURES,
    TREES,
    NO_SIGNAL,
    SHUFFLED,
)
"""Every name, in the order of the report."""

# Variance of the features' block against that of the activations' block, all columns standardised. The inner folds
# choose: at 1 both blocks have the same say, at 1/16 the features a quarter of it (in standard deviations).
_FEATURE_SHARES: Final = (("equal", 1.0), ("quarter", 1 / 16))


class Method(StrEnum):
    """How a predictor is fitted."""

    LOGISTIC = "logistic"
    """L2 logistic regression; inner folds choose among the candidates and the penalties."""
    TREES = "trees"
    """Gradient-boosted trees on its only candidate; inner folds choose their size."""
    RATE = "rate"
    """The training folds' flip rate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictor:
    """What is fitted, or why it can't be.

    Attributes
    ----------
    features
        What it looks at, in words or as places' names.
    build
        Makes its candidates, each of shape (n, d) in the order of the pairs; late, since they can be large.
    refusal
        Why the data doesn't allow it; None where it does.
    """

    name: str
    kind: PredictorKind
    method: Method
    features: tuple[str, ...]
    build: Callable[[], tuple[Candidate, ...]]
    refusal: str | None = None
    notes: tuple[str, ...] = ()


def check_predictors(names: Collection[str], *, option: str) -> None:
    """Refuse names that no predictor has.

    Raises
    ------
    ConfigError
        With the names that there are.
    """
    unknown = [name for name in names if name not in PREDICTORS]
    if unknown:
        raise ConfigError(f"{option} {unknown[0]!r}: no such predictor; there are {', '.join(PREDICTORS)}")


def probability_column(predictor: str) -> str:
    """The name of a predictor's column of held-out flip probabilities.

    Examples
    --------
    >>> probability_column("probe-with-features")
    'p_probe_with_features'
    """
    return f"p_{predictor.replace('-', '_')}"


def predictors(data: ProbeData, *, without: Collection[str] = ()) -> tuple[Predictor, ...]:
    """Every predictor but those left out and the shuffled labels, those that the data doesn't allow with the reason.

    Raises
    ------
    ConfigError
        An unknown name in ``without``.
    """
    check_predictors(without, option="without")
    before = _places(data, Position.BEFORE_VERDICT)
    made = [
        _on_places(data, PROBE, PredictorKind.PROBE, before, refusal=_no_activations(before)),
        *(_on_feature(data, feature) for feature in Feature),
        _on_features(data, COMBINED, tuple(Feature)),
        _on_features(data, COMBINED_WITHOUT_CHOICE, tuple(f for f in Feature if f is not Feature.AB_CHOICE)),
        _before_generation(data),
        _all_layers(data, before),
        _with_features(data, before),
        _trees(data),
        Predictor(
            name=NO_SIGNAL,
            kind=PredictorKind.CONTROL,
            method=Method.RATE,
            features=("flip rate of the training folds",),
            build=tuple,
        ),
    ]
    return tuple(each for each in made if each.name not in without)


def _places(data: ProbeData, position: Position) -> tuple[Place, ...]:
    return tuple(sorted(place for place in data.activations if place.position is position))


def _no_activations(places: Sequence[Place]) -> str | None:
    return None if places else "no activation before the verdict was collected"


def _on_places(
    data: ProbeData, name: str, kind: PredictorKind, places: Sequence[Place], *, refusal: str | None
) -> Predictor:
    """One candidate a layer."""

    def build() -> tuple[Candidate, ...]:
        return tuple(Candidate(name=place.name, features=data.activations[place]) for place in places)

    return Predictor(
        name=name,
        kind=kind,
        method=Method.LOGISTIC,
        features=tuple(place.name for place in places),
        build=build,
        refusal=refusal,
    )


def _on_feature(data: ProbeData, feature: Feature) -> Predictor:
    column = feature_column(data, feature)
    refusal = column.reason if isinstance(column, Refusal) else None
    values = np.empty((len(data), 0)) if isinstance(column, Refusal) else column[:, None]
    return Predictor(
        name=feature.value,
        kind=PredictorKind.BASELINE,
        method=Method.LOGISTIC,
        features=(feature.value,),
        build=partial(_single, feature.value, values),
        refusal=refusal,
    )


def _on_features(data: ProbeData, name: str, features: tuple[Feature, ...]) -> Predictor:
    table = feature_table(data, features)
    return Predictor(
        name=name,
        kind=PredictorKind.BASELINE,
        method=Method.LOGISTIC,
        features=tuple(feature.value for feature in table.features),
        build=partial(_single, name, table.values),
        refusal=_no_features(table),
        notes=_notes_of_missing(table),
    )


def _before_generation(data: ProbeData) -> Predictor:
    places = _places(data, Position.PROMPT_END)
    refusal = None
    if data.subject.readout is not Readout.GENERATED:
        how = data.subject.readout
        refusal = f"under the {how} readout nothing is generated before the verdict: it would be the probe again"
    elif not places:
        refusal = "no activation at the prompt's end was collected"
    return _on_places(data, BEFORE_GENERATION, PredictorKind.BEYOND, places, refusal=refusal)


def _all_layers(data: ProbeData, places: tuple[Place, ...]) -> Predictor:
    def build() -> tuple[Candidate, ...]:
        return _single("+".join(place.name for place in places), np.hstack([data.activations[p] for p in places]))

    refusal = _no_activations(places)
    if len(places) == 1:
        refusal = f"one layer only ({places[0].layer}): it would be the probe again"
    return Predictor(
        name=ALL_LAYERS,
        kind=PredictorKind.BEYOND,
        method=Method.LOGISTIC,
        features=tuple(place.name for place in places),
        build=build,
        refusal=refusal,
    )


def _with_features(data: ProbeData, places: tuple[Place, ...]) -> Predictor:
    """Activations and features, in blocks: six columns beside thousands would be penalised out of sight."""
    table = feature_table(data, tuple(Feature))
    width = len(table.features)

    def build() -> tuple[Candidate, ...]:
        candidates = []
        for place in places:
            activations = data.activations[place]
            size = activations.shape[1]
            both = np.hstack([activations, table.values.astype(np.float32)])
            for name, share in _FEATURE_SHARES:
                blocks = (Block(width=size), Block(width=width, weight=float(np.sqrt(share * size / width))))
                candidates.append(Candidate(name=f"{place.name}+features ({name})", features=both, blocks=blocks))
        return tuple(candidates)

    return Predictor(
        name=WITH_FEATURES,
        kind=PredictorKind.BEYOND,
        method=Method.LOGISTIC,
        features=(*(place.name for place in places), *(feature.value for feature in table.features)),
        build=build,
        refusal=_no_activations(places) or _no_features(table),
        notes=_notes_of_missing(table),
    )


def _trees(data: ProbeData) -> Predictor:
    table = feature_table(data, tuple(Feature))
    return Predictor(
        name=TREES,
        kind=PredictorKind.BEYOND,
        method=Method.TREES,
        features=tuple(feature.value for feature in table.features),
        build=partial(_single, "features", table.values),
        refusal=_no_features(table),
        notes=_notes_of_missing(table),
    )


def _single(name: str, values: NDArray[np.float64] | NDArray[np.float32]) -> tuple[Candidate, ...]:
    return (Candidate(name=name, features=values),)


def _no_features(table: FeatureTable) -> str | None:
    return None if table.features else "the data has none of its features"


def _notes_of_missing(table: FeatureTable) -> tuple[str, ...]:
    return tuple(f"without {feature.value}: {reason}" for feature, reason in table.missing)
