"""Will the verdict flip? Predicted from what the judge computed and said in one order, with its proof."""

from evenhand.probes.data import ProbeData, ProbeSubject, Retention
from evenhand.probes.places import Place, Position, default_layers
from evenhand.probes.results import (
    Difference,
    LearningPoint,
    Metric,
    PredictorKind,
    PredictorResult,
    ProbeReport,
    Selection,
)

__all__ = [
    "Difference",
    "LearningPoint",
    "Metric",
    "Place",
    "Position",
    "PredictorKind",
    "PredictorResult",
    "ProbeData",
    "ProbeReport",
    "ProbeSubject",
    "Retention",
    "Selection",
    "default_layers",
]
