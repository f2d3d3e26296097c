"""Who is who among a report's predictors, and what a difference between two of them shows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from evenhand.probes import Metric, PredictorKind, PredictorResult, ProbeReport
from evenhand.probes.features import Feature
from evenhand.probes.predictors import (
    ALL_LAYERS,
    BEFORE_GENERATION,
    COMBINED,
    NO_SIGNAL,
    PREDICTORS,
    PROBE,
    SHUFFLED,
    TREES,
    WITH_FEATURES,
)
from evenhand.report.format import integer, interval_text, is_shown
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = [
    "CHANCE",
    "COMBINED",
    "CONFIDENCE",
    "NO_SIGNAL",
    "WITH_FEATURES",
    "Claim",
    "Shuffles",
    "claim",
    "difference",
    "drawn",
    "find",
    "folds_note",
    "label",
    "main",
    "noun",
    "predicts",
    "shuffled",
    "shuffles",
    "within_folds",
]

CONFIDENCE: Final = Feature.CONFIDENCE.value

_NOUNS = {
    PROBE: "the probe",
    CONFIDENCE: "the judge’s own confidence",
    COMBINED: "the combination of the features",
    NO_SIGNAL: "the flip rate alone",
    WITH_FEATURES: "activations with the features",
    TREES: "boosted trees on the features",
    ALL_LAYERS: "all layers together",
    BEFORE_GENERATION: "the probe before generation",
}


_RANGE = re.compile(r"(?P<count>[0-9]{1,6}) shuffles, (?P<low>[0-9.]{1,9}) to (?P<high>[0-9.]{1,9})")
"""The flag in which :func:`evenhand.probes.shuffled.shuffled_result` tells its range; a test holds the two together."""
_SHUFFLES, _HIGH = 5, 0.55
CHANCE: Final = 0.5
"""AUROC of a predictor that knows nothing."""


_FOLDS = re.compile(r"AUROC is (?P<within>[0-9.]{1,9}) within the outer folds and .{1,300}")
"""The note in which :func:`evenhand.probes.evaluate.evaluate` tells that pooling the folds moves an AUROC; a test
holds them together."""


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
    """AUROC with shuffled labels: how many shuffles, their mean and their range.

    Attributes
    ----------
    count, low, high
        None where the control does not tell them.
    """

    mean: float
    count: int | None
    low: float | None
    high: float | None

    @property
    def text(self) -> str:
        """``0.503 (20 shuffles, 0.441 to 0.562)``."""
        mean = f"{self.mean:.3f}"
        if self.count is None or self.low is None or self.high is None:
            return mean
        return f"{mean} ({integer(self.count)} shuffles, {self.low:.3f} to {self.high:.3f})"

    @property
    def leaks(self) -> bool:
        """Whether they rank better than chance: all of at least 5 do (chance: 1 in 32), or their mean is above .55."""
        all_above = self.count is not None and self.count >= _SHUFFLES and self.low is not None and self.low > 0.5
        return all_above or self.mean > _HIGH


def shuffles(report: ProbeReport) -> Shuffles | None:
    """What the shuffled-label control shows; None where it was not run or its AUROC is refused."""
    control = shuffled(report)
    auroc = None if control is None else dict(control.metrics).get(Metric.AUROC)
    if not isinstance(auroc, Estimate) or not is_shown(auroc):
        return None
    found = next((match for flag in auroc.flags if (match := _RANGE.fullmatch(flag))), None)
    return Shuffles(
        mean=auroc.value,
        count=None if found is None else int(found["count"]),
        low=None if found is None else float(found["low"]),
        high=None if found is None else float(found["high"]),
    )


def folds_note(note: str) -> str | None:
    """The AUROC within the outer folds, in a note that tells of it; None where the note is about something else."""
    found = _FOLDS.fullmatch(note)
    return None if found is None else found["within"]


def within_folds(predictor: PredictorResult) -> float | None:
    """AUROC within the outer folds where it differs from the pooled one; None where nothing tells so."""
    found = (folds_note(note) for note in predictor.notes)
    return next((float(value) for value in found if value is not None), None)


def difference(report: ProbeReport, predictor: str, reference: str, metric: Metric) -> Estimate | Refusal | None:
    """The paired difference of two predictors; None where it was not made."""
    wanted = (predictor, reference, metric)
    found = (d.estimate for d in report.differences if (d.predictor, d.reference, d.metric) == wanted)
    return next(found, None)


def noun(name: str) -> str:
    """A predictor within a sentence.

    Examples
    --------
    >>> noun("confidence"), noun("gradient-boosted trees")
    ('the judge’s own confidence', '“gradient-boosted trees”')
    """
    return _NOUNS.get(name, f"“{visible(name, limit=60)}”")


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


def drawn(report: ProbeReport, names: Iterable[str]) -> tuple[PredictorResult, ...]:
    """The main predictor and those named, in this order, each once, if the report has them."""
    first = main(report)
    wanted = [*([first.name] if first is not None else []), *names]
    return tuple(p for name in dict.fromkeys(wanted) if (p := find(report, name)) is not None)
