"""What the judge shows without its activations: six features of the AB presentation, the paper's baselines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.data import ProbeData
from evenhand.stats import Refusal

__all__ = ["Feature", "FeatureTable", "feature_column", "feature_table"]


class Feature(StrEnum):
    """A number for each pair, known after the AB presentation."""

    CONFIDENCE = "confidence"
    """The judge's stated confidence, 0 to 100."""
    MARGIN = "margin"
    """Log odds of A against B at the verdict token."""
    ABSOLUTE_MARGIN = "absolute-margin"
    LENGTH_DIFFERENCE = "length-difference"
    """Tokens of A less tokens of B."""
    ABSOLUTE_LENGTH_DIFFERENCE = "absolute-length-difference"
    AB_CHOICE = "ab-choice"
    """0 where A was preferred, 1 where B."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureTable:
    """Features side by side.

    Attributes
    ----------
    features
        Those that the data has, in the order asked for.
    values
        float64, shape ``(n, len(features))``.
    missing
        Features that the data lacks, each with the reason.
    """

    features: tuple[Feature, ...]
    values: NDArray[np.float64]
    missing: tuple[tuple[Feature, str], ...]


def feature_column(data: ProbeData, feature: Feature) -> NDArray[np.float64] | Refusal:
    """One feature of every pair, shape ``(n,)``.

    Refused where any pair lacks it: a missing value is never filled in.
    """
    match feature:
        case Feature.CONFIDENCE:
            column: NDArray[Any] = data.confidence
        case Feature.MARGIN:
            column = data.margin
        case Feature.ABSOLUTE_MARGIN:
            column = np.abs(data.margin)
        case Feature.LENGTH_DIFFERENCE:
            column = data.length_difference
        case Feature.ABSOLUTE_LENGTH_DIFFERENCE:
            column = np.abs(data.length_difference)
        case Feature.AB_CHOICE:
            column = data.choice_ab
    values = np.asarray(column, dtype=np.float64)
    missing = int((~np.isfinite(values)).sum())
    if missing:
        return Refusal(reason=_absent(feature, missing, data), n=len(data))
    return values


def feature_table(data: ProbeData, features: Sequence[Feature]) -> FeatureTable:
    """The features that every pair has; the others are named with the reason, not filled in."""
    columns: list[NDArray[np.float64]] = []
    present: list[Feature] = []
    missing: list[tuple[Feature, str]] = []
    for feature in features:
        column = feature_column(data, feature)
        if isinstance(column, Refusal):
            missing.append((feature, column.reason))
        else:
            present.append(feature)
            columns.append(column)
    return FeatureTable(
        features=tuple(present),
        values=np.column_stack(columns) if columns else np.empty((len(data), 0)),
        missing=tuple(missing),
    )


def _absent(feature: Feature, missing: int, data: ProbeData) -> str:
    if feature is Feature.CONFIDENCE and missing == len(data):
        return f"the prompt {data.subject.prompt!r} asks for no confidence"
    return f"{missing} of {len(data)} pairs have no {feature.value.replace('-', ' ')}"
