"""Scores by which pairs may be chosen for the other order: what each is, and whether its calibration can be exact."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.probes.candidates import Candidate
from evenhand.probes.data import ProbeData
from evenhand.probes.features import Feature, feature_column
from evenhand.probes.policy import riskiest_first
from evenhand.probes.predictors import Predictor
from evenhand.probes.refit import fit_selected
from evenhand.probes.transfer import unfittable
from evenhand.stats import Refusal

__all__ = ["CONFIDENCE", "IN_SAMPLE", "MARGIN", "RANDOM", "RAW", "RiskScore", "ScoreKind", "raw_scores", "refitter"]

CONFIDENCE: Final = "confidence"
MARGIN: Final = "small-margin"
"""Not ``margin``, which in a fit is a model of the signed margin."""
RANDOM: Final = "random"
RAW: Final = (CONFIDENCE, MARGIN, RANDOM)
"""Scores that nothing is fitted for."""
IN_SAMPLE: Final = "in-sample: the probe was fitted on these questions, so its misses here are too few"
"""Why nothing is said of a score on the questions that it was fitted on."""

Refit = Callable[[NDArray[np.intp], int], NDArray[np.float64] | Refusal]
"""(rows to fit on, seed) → a score of every row, or why too few of them flip."""


class ScoreKind(StrEnum):
    """Where a score comes from, and with it whether calibration on these pairs proves anything."""

    RAW = "raw"
    """Known after order AB; nothing is fitted."""
    FROZEN = "frozen"
    """A saved probe that was fitted on other questions."""
    OVERLAPPING = "overlapping"
    """A saved probe that was fitted on these questions, or on so many that too few others are left."""
    HELD_OUT = "held-out"
    """Fitted on these questions, each predicted by a model that hasn't seen it."""

    @property
    def unproved(self) -> str | None:
        """Why calibration on these values is only approximate; None where it is exact."""
        match self:
            case ScoreKind.RAW | ScoreKind.FROZEN:
                return None
            case ScoreKind.OVERLAPPING:
                return "the probe was fitted on some of the questions that it is calibrated on"
            case ScoreKind.HELD_OUT:
                return "the held-out scores come from several models, each fitted on pairs that calibrate the others"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RiskScore:
    """A score of every pair.

    Attributes
    ----------
    values
        float64, shape (n,); higher means that a flip is likelier.
    refit
        For a score that is fitted on these questions: how to fit it on a part of them, so that the others can calibrate
        and test it; None where it can't or needn't be.
    """

    name: str
    kind: ScoreKind
    values: NDArray[np.float64]
    refit: Refit | None = None


def raw_scores(data: ProbeData, *, seed: int) -> Mapping[str, RiskScore | Refusal]:
    """Low confidence, small margin, and chance; refused where a pair lacks the figure.

    Returns
    -------
    Mapping
        By name, in the order of :data:`RAW`.
    """
    confidence = feature_column(data, Feature.CONFIDENCE)
    margin = feature_column(data, Feature.ABSOLUTE_MARGIN)
    place = np.empty(len(data))
    place[riskiest_first(np.zeros(len(data)), data.pair_ids, seed=seed)] = np.arange(len(data))
    made: dict[str, RiskScore | Refusal] = {}
    for name, values in ((CONFIDENCE, confidence), (MARGIN, margin), (RANDOM, place)):
        made[name] = values if isinstance(values, Refusal) else RiskScore(name=name, kind=ScoreKind.RAW, values=-values)
    return made


def refitter(predictor: Predictor, data: ProbeData, *, folds: int = 5) -> Refit:
    """How to fit a linear predictor on a part of the pairs: layer and penalty chosen within that part alone."""
    candidates = predictor.build()

    def refit(rows: NDArray[np.intp], seed: int) -> NDArray[np.float64] | Refusal:
        part = data.rows(rows)
        refusal = unfittable(predictor, part, folds=folds)
        if refusal is not None:
            return refusal
        own = [Candidate(name=each.name, features=each.features[rows], blocks=each.blocks) for each in candidates]
        fitted = fit_selected(own, part.flips, part.groups, folds=folds, seed=seed)
        chosen = next(each for each in candidates if each.name == fitted.candidate)
        return fitted.probabilities(chosen.features)

    return refit
