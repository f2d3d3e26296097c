"""What is reported of flip predictors: figures with intervals or refusals, never a bare number."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from evenhand.probes.data import ProbeSubject, Retention
from evenhand.stats import Estimate, Refusal, ReliabilityCurve

__all__ = [
    "Difference",
    "LearningPoint",
    "Metric",
    "PredictorKind",
    "PredictorResult",
    "ProbeReport",
    "Selection",
]


class Metric(StrEnum):
    """How good predicted flip probabilities are."""

    AUROC = "auroc"
    AUPRC = "auprc"
    BRIER = "brier"
    CHOICE_MATCHED = "choice-matched-auroc"
    """Flips ranked against non-flips with the same choice in AB only."""


class PredictorKind(StrEnum):
    """Where a predictor comes from."""

    PROBE = "probe"
    """Linear, on one layer just before the verdict: the paper's."""
    BASELINE = "baseline"
    """The paper's six features and their combinations, by the same procedure."""
    BEYOND = "beyond"
    """Ours: gradient-boosted trees, several layers, before generation, activations with features."""
    CONTROL = "control"
    """No signal (the training folds' flip rate), and shuffled labels: what nothing looks like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the inner folds of one outer fold chose.

    Attributes
    ----------
    fold
        The outer fold, from 0.
    candidate
        A place's name, or the features' name.
    l2
        The penalty λ of ``mean log loss + λ/2 · |weights|²`` (scikit-learn's C = 1 / (n λ)); NaN where there is none.
    validation_brier
        Mean over the validated pairs of the inner folds.
    """

    fold: int
    candidate: str
    l2: float
    validation_brier: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictorResult:
    """One predictor's held-out predictions, judged.

    Attributes
    ----------
    features
        What it looks at, in words or as places' names.
    selections
        One for each outer fold; empty where nothing is selected.
    metrics
        Each with its interval over question groups; a refusal where it would mean nothing.
    within_folds
        AUROC of flips ranked against non-flips of the same outer fold only, beside the one of :attr:`metrics`, which
        ranks all folds together. None where there are no folds, as in a transfer, or where nothing may be ranked.
    shuffles
        Of the shuffled-label control: the AUROC of each shuffle, whose mean is the one of :attr:`metrics`. Empty else.
    permutation_p
        Of the shuffled-label control: the share of deals, the true one among them, that rank as well as the probe does
        with the true labels. None else.
    """

    name: str
    kind: PredictorKind
    features: tuple[str, ...]
    selections: tuple[Selection, ...]
    metrics: tuple[tuple[Metric, Estimate | Refusal], ...]
    calibration: ReliabilityCurve | Refusal
    within_folds: Estimate | Refusal | None = None
    shuffles: tuple[float, ...] = ()
    permutation_p: float | None = None
    notes: tuple[str, ...] = ()

    def metric(self, metric: Metric) -> Estimate | Refusal:
        """The figure of a metric."""
        return dict(self.metrics)[metric]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """``predictor`` minus ``reference`` on the same pairs and the same resamples."""

    predictor: str
    reference: str
    metric: Metric
    estimate: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningPoint:
    """A predictor fitted on fewer pairs, evaluated on the same held-out pairs.

    Attributes
    ----------
    pairs
        Mean number of training pairs.
    metrics
        As for the full predictor.
    """

    predictor: str
    pairs: float
    metrics: tuple[tuple[Metric, Estimate | Refusal], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """Everything that is said of flip prediction on one judge's pairs.

    Attributes
    ----------
    task
        ``fit``: nested cross-validation. ``transfer``: frozen probes applied to another set.
    trained_on
        For a transfer: the spec of the set that the probes were fitted on, and its pairs; None else.
    data, sha256
        The evaluated set.
    pairs, groups
        Evaluated.
    flip_rate
        PFR, with its interval over groups.
    compliance
        Of readouts whose verdict is the first token: the share of the evaluated pairs on which the judge led with a
        label in both orders. None where the format was asked for and checked.
    seconds
        What was measured of the work, as (name, seconds).
    """

    task: Literal["fit", "transfer"]
    subject: ProbeSubject
    data: str
    sha256: str
    trained_on: tuple[str, int] | None = None
    pairs: int
    groups: int
    retention: Retention
    flip_rate: Estimate | Refusal
    predictors: tuple[PredictorResult, ...]
    differences: tuple[Difference, ...] = ()
    learning_curve: tuple[LearningPoint, ...] = ()
    outer_folds: int = 5
    inner_folds: int = 3
    seed: int = 0
    resamples: int = 2000
    level: float = 0.95
    notes: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()
    compliance: Estimate | Refusal | None = None

    def predictor(self, name: str) -> PredictorResult:
        """A predictor's result by its name."""
        return next(each for each in self.predictors if each.name == name)
