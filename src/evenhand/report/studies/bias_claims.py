"""What a bias finding comes to: shown, within the tolerance, undecided, or without data; one claim a finding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from evenhand.analysis import AuditResult, Finding
from evenhand.analysis.family import FEWEST_TRIALS, HOLM_MARK
from evenhand.audits.bias.recency import LEAST_ACCURACY
from evenhand.audits.bias.verbosity import NOT_ONLY_LENGTH
from evenhand.records import Readout, RunManifest
from evenhand.report.cells import info_of
from evenhand.report.format import DASH
from evenhand.stats import Estimate, Interval, Refusal, TestResult
from evenhand.store import PlanCounts

__all__ = [
    "TOLERANCE",
    "BiasedRun",
    "Claim",
    "ClaimState",
    "claims_of",
    "main_measure",
    "run_names",
]

TOLERANCE = 0.05
"""Share of verdicts that a change may turn: "below 5 % is good, 15-25 % is common", of sycophancy, in the chapter
"Position Bias in LLM Judges: Measurement and Mitigation"."""

_MAIN: Final[Mapping[str, str]] = MappingProxyType({"interaction": "excess_shift", "recency": "net_shift"})
"""The measure that an audit's primary test is of, where that isn't its findings' first one."""

_REJECTS: Final = "The test of length rejects"

ClaimState: TypeAlias = Literal["shown", "within", "undecided", "no data", "described", "derived"]
"""``shown``: the adjusted test rejects; ``within``: the whole interval is, and the tolerance with it; ``undecided``:
neither, or a recency figure that the judge's accuracy keeps small; ``no data``: a refusal; ``described``: a figure
without a test; ``derived``: a hybrid readout's, whose two readouts are judged."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasedRun:
    """A run with what its bias audits found.

    Attributes
    ----------
    audit
        From :func:`evenhand.audits.bias.audit.audit_biases`.
    counts
        How far the run is; None where nobody looked.
    left_out
        Per changed condition's id: (reason, pairs) that it was not asked of.
    name
        What tells it from other runs of a study; empty takes the judge's model.
    """

    manifest: RunManifest
    audit: AuditResult
    counts: PlanCounts | None = None
    left_out: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A finding with its main figure, its test, and what they come to.

    Attributes
    ----------
    run
        Whose finding it is; empty where a study has one run, or it is of all.
    effect
        The finding's main measure, named ``measure``: the one that its primary test is of.
    raw, adjusted
        Its primary test, and that test adjusted over the family; None where there is none.
    """

    run: str
    finding: Finding
    measure: str
    effect: Estimate | Refusal
    unit: str
    raw: TestResult | None
    adjusted: TestResult | None
    state: ClaimState

    @property
    def audit(self) -> str:
        """The audit's name."""
        return self.finding.audit or DASH

    @property
    def subset(self) -> str:
        """What was changed or looked at."""
        return self.finding.subset or info_of(self.measure).label

    @property
    def readout(self) -> str:
        """Under which readout; a dash where of none."""
        return DASH if self.finding.readout is None else self.finding.readout.value

    @property
    def by_length_alone(self) -> bool:
        """Whether it is a test of length that rejects, and stays open because quality may be what it shows."""
        return self.state == "undecided" and self.finding.notes[:1] != () and self.finding.notes[0].startswith(_REJECTS)

    @property
    def strength(self) -> float:
        """How far the effect is from 0; below 0 where there is none to tell."""
        return abs(self.effect.value) if isinstance(self.effect, Estimate) else -1.0

    @property
    def interval(self) -> Interval | None:
        """Of the effect."""
        return self.effect.interval if isinstance(self.effect, Estimate) else None


def claims_of(
    audit: AuditResult, *, tolerance: float = TOLERANCE, run: str = "", conditions: Sequence[str] = ()
) -> tuple[Claim, ...]:
    """A claim for each finding, in the audit's order.

    Parameters
    ----------
    tolerance
        Half the width of what counts as next to nothing, for differences of shares.
    conditions
        Ids of the controls: where there are several, each claim's subset says which one.
    """
    several = len(conditions) > 1
    made = [
        _claim(_placed(finding) if several else finding, tolerance=tolerance, level=audit.level, run=run)
        for finding in audit.findings
    ]
    return tuple(_not_on_length_alone(claim, made) for claim in made)


def _not_on_length_alone(claim: Claim, claims: Sequence[Claim]) -> Claim:
    """A judge isn't called verbose for what goes with length, where quality is known by its side alone.

    Padding changes nothing but length. Until some padding is shown too, with the same sign, the finding stays open and
    says why.
    """
    if claim.state != "shown" or NOT_ONLY_LENGTH not in claim.finding.notes or not isinstance(claim.effect, Estimate):
        return claim
    control = claim.finding.condition
    padded = [each for each in claims if each.subset.startswith("padding=") and each.finding.condition == control]
    value = claim.effect.value
    effects = [(each.state, each.effect.value) for each in padded if isinstance(each.effect, Estimate)]
    if any(state == "shown" and value * effect > 0 for state, effect in effects):
        return claim
    why = "padding isn't shown to turn verdicts" if effects else "no padding was compared"
    note = (
        f"{_REJECTS}, and {why}: the judge prefers what goes with length, which may be quality. That "
        "alone isn't called a bias; padding (--bias verbosity) or rated quality (quality_a, quality_b) would tell."
    )
    return replace(claim, state="undecided", finding=replace(claim.finding, notes=(note, *claim.finding.notes)))


def _placed(finding: Finding) -> Finding:
    if finding.condition is None:
        return finding
    return replace(finding, subset=f"{finding.subset or ''} ({finding.condition})".strip())


def _claim(finding: Finding, *, tolerance: float, level: float, run: str) -> Claim:
    name = main_measure(finding)
    measured = finding.measure(name)
    effect = Refusal(reason="; ".join(finding.notes) or "nothing was measured") if measured is None else measured
    own = [test for test in finding.tests if HOLM_MARK not in test.name]
    adjusted = [test for test in finding.tests if HOLM_MARK in test.name]
    claim = Claim(
        run=run,
        finding=finding,
        measure=name,
        effect=effect,
        unit=info_of(name).unit,
        raw=own[0] if own else None,
        adjusted=adjusted[-1] if adjusted else None,
        state="described",
    )
    return replace(claim, state=_state(claim, tolerance=tolerance, level=level))


def main_measure(finding: Finding) -> str:
    """The name of the measure that a finding's primary test is of; empty where it has none."""
    name = _MAIN.get(finding.audit or "", "")
    if finding.measure(name) is not None:
        return name
    return finding.measures[0].name if finding.measures else ""


def _state(claim: Claim, *, tolerance: float, level: float) -> ClaimState:
    effect, interval = claim.effect, claim.interval
    if isinstance(effect, Refusal) or not math.isfinite(effect.value):
        return "no data"
    if claim.unit == "share" and claim.raw is None:
        return "described"
    if claim.finding.readout is Readout.HYBRID and claim.adjusted is None and _testable(claim.raw):
        return "derived"
    if (
        claim.unit == "difference"
        and interval is not None
        and -tolerance <= interval.low <= interval.high <= tolerance
        and _would_show(claim.finding, tolerance)
    ):
        return "within"
    if claim.adjusted is not None and claim.adjusted.p_value < 1 - level:
        return "shown"
    return "undecided"


def _would_show(finding: Finding, tolerance: float) -> bool:
    """Whether the effect that is asked about would leave the tolerance.

    It wouldn't in recency where the judge hardly tells better from worse: one that sees the last turn alone has a net
    shift of twice its accuracy beyond one half.
    """
    accuracy = finding.measure("control_accuracy")
    if accuracy is None:
        return True
    interval = accuracy.interval if isinstance(accuracy, Estimate) else None
    return interval is not None and interval.low >= max(LEAST_ACCURACY, 0.5 + tolerance)


def _testable(test: TestResult | None) -> bool:
    return test is not None and test.n >= FEWEST_TRIALS


def run_names(runs: Sequence[BiasedRun]) -> tuple[str, ...]:
    """What tells the runs of a study apart: nothing for one, else the judges, numbered where they are the same."""
    if len(runs) == 1:
        return ("",)
    return tuple(_distinct(run.name or run.manifest.judge.model or run.manifest.judge.spec for run in runs))


def _distinct(names: Iterable[str]) -> Iterator[str]:
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"
