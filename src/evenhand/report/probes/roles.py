"""Who is who among a report's predictors, and what a difference between two of them shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.probes import Metric, PredictorKind, PredictorResult, ProbeReport
from evenhand.probes.evaluate import moved_by_pooling
from evenhand.probes.features import Feature
from evenhand.probes.predictors import (
    COMBINED,
    NO_SIGNAL,
    PREDICTORS,
    PROBE,
    SHUFFLED,
    TREES,
    WITH_FEATURES,
)
from evenhand.records import Readout
from evenhand.report.format import integer, interval_text, is_shown
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = [
    "CHANCE",
    "COMBINED",
    "CONFIDENCE",
    "NO_SIGNAL",
    "PAPER",
    "PROBE",
    "WITH_FEATURES",
    "Claim",
    "Shuffles",
    "claim",
    "difference",
    "drawn",
    "find",
    "label",
    "main",
    "noun",
    "own_notes",
    "pooled_apart",
    "predicts",
    "saved",
    "shuffled",
    "shuffles",
    "within_folds",
    "written",
]

CONFIDENCE: Final = Feature.CONFIDENCE.value

_SHUFFLES, _HIGH, _LOW = 5, 0.55, 0.45
_LEAST = 0.05
PAPER: Final = "“Will the Judge Flip?”, 2026"
"""Which paper “the paper” is, said where a surface first speaks of it."""

CHANCE: Final = 0.5
"""AUROC of a predictor that knows nothing."""


_FOLD_GAP: Final = 0.02
"""Between the pooled AUROC and that within folds: from here on a reader is told."""


class Claim(StrEnum):
    """What an estimate supports, by its interval alone."""

    BETTER = "better"
    WORSE = "worse"
    NOT_SHOWN = "not shown"
    """The interval holds the null value, or there is no interval."""
    REFUSED = "refused"
    """There is no figure."""


def claim(estimate: Estimate | Refusal | None, *, null: float, less_is_better: bool = False) -> Claim:
    """Read an estimate against its null value.

    Examples
    --------
    >>> from evenhand.stats import Interval
    >>> auroc = Estimate(value=0.66, interval=Interval(low=0.6, high=0.72), n=579)
    >>> claim(auroc, null=0.5).value, claim(Refusal(reason="no flips"), null=0.5).value
    ('better', 'refused')
    >>> claim(Estimate(value=0.9, interval=None, n=9), null=0.5).value
    'not shown'
    """
    if not isinstance(estimate, Estimate) or not is_shown(estimate):
        return Claim.REFUSED
    if estimate.interval is None or not interval_text(estimate.interval, "score"):
        return Claim.NOT_SHOWN
    if estimate.interval.low > null:
        return Claim.WORSE if less_is_better else Claim.BETTER
    if estimate.interval.high < null:
        return Claim.BETTER if less_is_better else Claim.WORSE
    return Claim.NOT_SHOWN


def main(report: ProbeReport) -> PredictorResult | None:
    """The predictor that the report is about; None where there is none.

    The probe; where that has no predictions (no activations were collected), the combined features; else the first
    that has some and is no control.
    """
    others = [p for p in report.predictors if p.kind is not PredictorKind.CONTROL]
    others.sort(key=lambda p: (p.kind is not PredictorKind.PROBE, p.name != COMBINED))
    return next((p for p in others if predicts(p)), next(iter(others), None))


def predicts(predictor: PredictorResult) -> bool:
    """Whether it has predictions: a Brier score is refused for want of them only."""
    return is_shown(dict(predictor.metrics).get(Metric.BRIER))


def find(report: ProbeReport, name: str) -> PredictorResult | None:
    """A predictor by its name; None where the report has none of that name."""
    return next((p for p in report.predictors if p.name == name), None)


def shuffled(report: ProbeReport) -> PredictorResult | None:
    """The control whose labels were shuffled; None where it was not run."""
    return find(report, SHUFFLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffles:
    """AUROC with shuffled labels.

    Attributes
    ----------
    mean, values
        Over the shuffles, and of each; no values where the control does not tell them.
    observed, permutation_p
        The probe's AUROC with the true labels, and how often chance ranks as well; None where it was not asked.
    """

    mean: float
    values: tuple[float, ...]
    observed: float | None = None
    permutation_p: float | None = None

    @property
    def text(self) -> str:
        """``0.503 (20 shuffles, 0.441 to 0.562)``."""
        mean = f"{self.mean:.3f}"
        if not self.values:
            return mean
        return f"{mean} ({integer(len(self.values))} shuffles, {min(self.values):.3f} to {max(self.values):.3f})"

    @property
    def against(self) -> str:
        """The probe's AUROC set against them, in a sentence; empty where it was not."""
        if self.observed is None or self.permutation_p is None:
            return ""
        reached, count = sum(value >= self.observed for value in self.values), len(self.values)
        return (
            f"AUROC with the true labels is {self.observed:.3f}: {integer(reached)} of {integer(count)} shuffles reach "
            f"it (permutation p = {self.permutation_p:.2g}; {integer(count)} shuffles can give none below "
            f"{self.least:.2g}{', --shuffles 99 one of 0.01' if self.least > _LEAST else ''})."
        )

    @property
    def least(self) -> float:
        """The smallest permutation p that so many shuffles can give."""
        return 1 / (len(self.values) + 1)

    @property
    def judged(self) -> str:
        """What their mean says."""
        if not self.enough:
            return "too few to tell"
        if max(self.values) < CHANCE or self.mean < _LOW:
            return "below 0.5, which pooling the folds makes of predictions that know nothing"
        return "no more than chance"

    @property
    def leaks(self) -> bool:
        """Whether at least 5 shuffles rank better than chance: all of them (chance: 1 in 32), or their mean above .55.

        Fewer tell nothing: on small data the AUROC of one shuffle lies above .55 often.
        """
        return self.enough and (min(self.values) > CHANCE or self.mean > _HIGH)

    @property
    def enough(self) -> bool:
        """Whether there are enough shuffles to say anything."""
        return len(self.values) >= _SHUFFLES


def shuffles(report: ProbeReport) -> Shuffles | None:
    """What the shuffled-label control shows; None where it was not run or its AUROC is refused."""
    control = shuffled(report)
    auroc = None if control is None else dict(control.metrics).get(Metric.AUROC)
    if control is None or not isinstance(auroc, Estimate) or not is_shown(auroc):
        return None
    probe = find(report, PROBE)
    true = None if probe is None else dict(probe.metrics).get(Metric.AUROC)
    return Shuffles(
        mean=auroc.value,
        values=control.shuffles,
        observed=true.value if isinstance(true, Estimate) else None,
        permutation_p=control.permutation_p,
    )


def within_folds(predictor: PredictorResult) -> float | None:
    """AUROC within the outer folds where pooling them moves it; None where it doesn't, or there are no folds."""
    within, pooled = predictor.within_folds, dict(predictor.metrics).get(Metric.AUROC)
    if not isinstance(within, Estimate) or not isinstance(pooled, Estimate):
        return None
    return within.value if abs(within.value - pooled.value) >= _FOLD_GAP else None


def own_notes(predictor: PredictorResult) -> tuple[str, ...]:
    """What the main table notes of a predictor: its own notes, and its AUROC within folds where pooling moves it."""
    within = within_folds(predictor)
    told = () if within is None else (f"AUROC within the outer folds: {within:.3f}",)
    return tuple(dict.fromkeys((*predictor.notes, *told)))


def pooled_apart(report: ProbeReport, *names: str) -> tuple[PredictorResult, ...]:
    """Those of these predictors whose AUROC pooling moves so far that no difference to it can be compared."""
    found = (find(report, name) for name in names)
    return tuple(p for p in found if p is not None and moved_by_pooling(p))


def difference(report: ProbeReport, predictor: str, reference: str, metric: Metric) -> Estimate | Refusal | None:
    """The paired difference of two predictors; None where it was not made."""
    wanted = (predictor, reference, metric)
    found = (d.estimate for d in report.differences if (d.predictor, d.reference, d.metric) == wanted)
    return next(found, None)


def noun(name: str) -> str:
    """A predictor within a sentence: its name in the tables, marked as one.

    Examples
    --------
    >>> noun("probe"), noun("absolute-margin"), noun("my-own")
    ('the probe', '“absolute margin”', '“my-own”')
    """
    return "the probe" if name == PROBE else f"“{visible(label(name), limit=60)}”"


def saved(predictor: PredictorResult) -> str:
    """Where a fit saves a predictor, beside its report; empty where it doesn't, as of trees."""
    if predictor.name == TREES or predictor.name not in PREDICTORS:
        return ""
    match predictor.kind:
        case PredictorKind.PROBE:
            return "probe.json"
        case PredictorKind.BASELINE | PredictorKind.BEYOND:
            return f"{predictor.kind.value.replace('baseline', 'baselines')}/{predictor.name}.json"
        case _:
            return ""


def label(name: str) -> str:
    """A predictor in a table or figure: the known names with spaces, so that they can wrap.

    Examples
    --------
    >>> label("combined-without-choice"), label("ab-choice"), label("no-signal"), label("my-own")
    ('combined without choice', 'AB choice', 'no-signal', 'my-own')
    """
    if name not in PREDICTORS or name == NO_SIGNAL:
        return visible(name)
    return name.replace("-", " ").replace("ab choice", "AB choice")


def written(readout: Readout | None) -> bool:
    """Whether verdicts are read from what the judge wrote, whose format is checked; else from its first token."""
    return readout not in (Readout.FIRST_TOKEN, Readout.PREFILLED)


def drawn(report: ProbeReport, names: Iterable[str]) -> tuple[PredictorResult, ...]:
    """The main predictor and those named, in this order, each once, if the report has them."""
    first = main(report)
    wanted = [*([first.name] if first is not None else []), *names]
    return tuple(p for name in dict.fromkeys(wanted) if (p := find(report, name)) is not None)
