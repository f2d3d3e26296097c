"""What an audit finds: measures and tests, each with its scope, and nothing that a reader can't check."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from evenhand.analysis.displays import Display
from evenhand.records import Order, Outcome, Readout
from evenhand.stats import Estimate, Refusal, TestResult

__all__ = ["AuditResult", "Finding", "FindingKind", "Measure", "OutcomeCount"]


class FindingKind(StrEnum):
    """What a finding speaks of."""

    READOUT = "readout"
    """One condition under one readout."""
    FORCED_MINUS_GENERATED = "forced-minus-generated"
    """The two readouts of one condition on the same pairs (``subset``: all, compliant, non-compliant)."""
    READOUTS = "readouts"
    """A prefilled or constrained readout against the generated one, on the same pairs (``readout``: the former)."""
    HYBRID = "hybrid"
    """What the hybrid readout saves and how true it is to the generated one."""
    PREDICTION_POWERED = "prediction-powered"
    """What generating for every pair would show, from a random sample of them and the first token of all."""
    SELECTIVE = "selective"
    """What asking every pair in both orders would show, where order BA was asked of likely flips and a random floor."""
    CONDITIONS = "conditions"
    """Two conditions on the same pairs (``condition`` names both as ``X | Y``)."""
    DESIGN = "design"
    """A level of a prompt's design against the baseline level (``condition``: ``axis=level``); the one finding without
    a condition sums them up."""
    POOLED = "pooled"
    """All conditions under one readout, resampled by condition."""
    REPEAT = "repeat"
    """The repeated-AB control."""
    PROBABILITY = "probability"
    """The labels' probabilities at the position read, averaged over the two orders."""
    LOG = "log"
    """How an imported log's own parse compares with ours."""
    BIAS = "bias"
    """One question of a bias audit (``audit``: which one; ``subset``: which change or contrast)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A named figure; ``name`` is a key of :data:`evenhand.analysis.measures.MEASURES`."""

    name: str
    estimate: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """How many presentations of one order ended in one outcome. Zero counts are listed too."""

    order: Order
    outcome: Outcome
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Measures and tests of one scope.

    Attributes
    ----------
    kind, condition, readout, subset
        The scope; None where it does not apply.
    audit
        Of a bias finding: the name of its audit, such as ``sycophancy``; None else.
    pairs, presentations
        How many entered.
    outcomes
        All states, per order.
    notes
        Sentences that must stand beside the figures (exclusions, caveats, what cannot be claimed).
    table
        Small named counts, such as the cells of a McNemar table.
    """

    kind: FindingKind
    condition: str | None = None
    readout: Readout | None = None
    subset: str | None = None
    audit: str | None = None
    pairs: int = 0
    presentations: int = 0
    outcomes: tuple[OutcomeCount, ...] = ()
    measures: tuple[Measure, ...] = ()
    tests: tuple[TestResult, ...] = ()
    table: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()

    def measure(self, name: str) -> Estimate | Refusal | None:
        """The estimate or refusal under a name; None where this finding doesn't have it."""
        return next((m.estimate for m in self.measures if m.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """All findings of an audit, and how its intervals were made.

    Attributes
    ----------
    resampled_by
        What one cluster is, in words: ``question group`` or ``source``.
    displays
        Counts and curves that figures are drawn from and no measure holds.
    """

    audit: str
    findings: tuple[Finding, ...]
    resamples: int
    level: float
    seed: int
    resampled_by: str
    notes: tuple[str, ...] = ()
    displays: tuple[Display, ...] = ()

    def select(
        self,
        kind: FindingKind,
        *,
        condition: str | None = None,
        readout: Readout | None = None,
        subset: str | None = None,
    ) -> tuple[Finding, ...]:
        """Findings of a kind, narrowed by whatever else is given."""
        return tuple(
            f
            for f in self.findings
            if f.kind is kind
            and (condition is None or f.condition == condition)
            and (readout is None or f.readout is readout)
            and (subset is None or f.subset == subset)
        )
