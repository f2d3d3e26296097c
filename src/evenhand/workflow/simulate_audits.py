"""Whole audits on simulated verdicts of a planned size: whether they find what is there, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis import Finding, FindingKind
from evenhand.analysis.wide import widen
from evenhand.audits import audit_position
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.registry import BIAS_AUDITS
from evenhand.errors import ConfigError
from evenhand.judges.simulated_calibrated import SHIFTS, shift_changes
from evenhand.judges.simulated_study import StudyParameters
from evenhand.judges.simulated_study_table import SimulatedStudy, copied_rows, simulate_study
from evenhand.records import Readout
from evenhand.report.studies.power_plan import PlanQuestion
from evenhand.stats import Estimate, Refusal, cluster_mean, sign_flip_test

__all__ = ["AuditOutcome", "AuditRuns", "PlannedAudit", "audit_once", "bias_data", "run_audits"]

_RESAMPLES = 200  # the intervals used here are cluster-robust and draw nothing
_AUDITS = {"authority": "sycophancy", "injection": "sycophancy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedAudit:
    """What is simulated.

    Attributes
    ----------
    judge, null
        With the effect and without it; None where outcomes are drawn directly (accuracy and win rate).
    effect
        What is there to be found; of a flip rate, the half width wanted.
    discordance
        Share of pairs on which two judges differ in being right.
    flip_rate
        Of the judge that a win rate is measured with.
    level
        Of each test.
    """

    question: PlanQuestion
    bias: str | None
    pairs: int
    questions: int
    icc: float
    level: float
    effect: float
    judge: StudyParameters | None = None
    null: StudyParameters | None = None
    discordance: float = 0.0
    flip_rate: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOutcome:
    """Of one audit: whether it found the effect, and its estimate; both None where it refused."""

    found: bool | None
    estimate: float | None
    missed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRuns:
    """Audits with the effect and without it."""

    real: tuple[AuditOutcome, ...]
    null: tuple[AuditOutcome, ...]


def audit_once(plan: PlannedAudit, *, real: bool, rng: np.random.Generator) -> AuditOutcome:
    """Simulate verdicts with the effect (``real``) or without it, and audit them as a run is audited."""
    match plan.question:
        case "flip-rate":
            return _flip_rate(plan, rng)
        case "beyond-repeats":
            return _beyond_repeats(plan, real=real, rng=rng)
        case "shift":
            return _shift(plan, real=real, rng=rng)
        case "accuracy":
            return _accuracy(plan, real=real, rng=rng)
        case "win-rate":
            return _win_rate(plan, real=real, rng=rng)
        case _:
            assert_never(plan.question)


def _study(plan: PlannedAudit, judge: StudyParameters | None, rng: np.random.Generator) -> SimulatedStudy:
    if judge is None:
        raise ConfigError(f"{plan.question}: needs a simulated judge")
    return simulate_study(
        judge,
        n_pairs=plan.pairs,
        n_groups=plan.questions,
        icc=plan.icc,
        repeats=plan.pairs if plan.question == "beyond-repeats" else 0,
        changes=shift_changes(plan.bias) if plan.question == "shift" and plan.bias else (),
        rng=rng,
    )


def _position(plan: PlannedAudit, study: SimulatedStudy, kind: FindingKind, measure: str) -> Estimate | Refusal:
    audit = audit_position(study.table, resamples=_RESAMPLES, level=plan.level, cluster="group")
    [finding] = audit.select(kind, readout=Readout.GENERATED)
    found = finding.measure(measure)
    return Refusal(reason=f"no {measure}") if found is None else found


def _flip_rate(plan: PlannedAudit, rng: np.random.Generator) -> AuditOutcome:
    estimate = _position(plan, _study(plan, plan.judge, rng), FindingKind.READOUT, "flip_rate")
    if isinstance(estimate, Refusal) or estimate.interval is None:
        return AuditOutcome(found=None, estimate=None)
    half = (estimate.interval.high - estimate.interval.low) / 2
    covered = estimate.interval.low <= plan.flip_rate <= estimate.interval.high
    return AuditOutcome(found=half <= plan.effect, estimate=half, missed=not covered)


def _beyond_repeats(plan: PlannedAudit, *, real: bool, rng: np.random.Generator) -> AuditOutcome:
    study = _study(plan, plan.judge if real else plan.null, rng)
    return _excludes(_position(plan, study, FindingKind.REPEAT, "swap_minus_repeat"), null=0.0)


def _excludes(estimate: Estimate | Refusal, *, null: float) -> AuditOutcome:
    """Whether an interval leaves the null out."""
    if isinstance(estimate, Refusal) or estimate.interval is None:
        return AuditOutcome(found=None, estimate=None)
    inside = estimate.interval.low <= null <= estimate.interval.high
    return AuditOutcome(found=not inside, estimate=estimate.value - null)


def _shift(plan: PlannedAudit, *, real: bool, rng: np.random.Generator) -> AuditOutcome:
    bias = plan.bias or "sycophancy"
    finding = _shift_finding(bias_data(_study(plan, plan.judge if real else plan.null, rng)), bias)
    shift = finding.measure("net_shift")
    if not isinstance(shift, Estimate):
        return AuditOutcome(found=None, estimate=None)
    # No verdict that turned: no test, and nothing found.
    p_value = finding.tests[0].p_value if finding.tests else 1.0
    return AuditOutcome(found=p_value <= 1 - plan.level, estimate=shift.value)


def _shift_finding(data: BiasData, bias: str) -> Finding:
    from evenhand.analysis.sampler import Sampler

    factor, level, _ = SHIFTS[bias]
    sampler = Sampler(clusters=data.wide.facts.group, seed=0, resamples=_RESAMPLES, level=0.95)
    found = BIAS_AUDITS[_AUDITS.get(bias, bias)].analyse(data, sampler)
    return next(
        f
        for f in found
        if f.subset is not None and f"{factor}={level}" in f.subset and f.measure("net_shift") is not None
    )


def bias_data(study: SimulatedStudy) -> BiasData:
    """A simulated study as a bias audit sees a run."""
    return BiasData(
        table=study.table,
        wide=widen(study.table),
        conditions=study.conditions,
        pairs={pair.id: pair for pair in study.pairs},
        judge="simulated",
    )


def _groups(plan: PlannedAudit) -> NDArray[np.int64]:
    return np.sort(np.arange(plan.pairs) % plan.questions)


def _accuracy(plan: PlannedAudit, *, real: bool, rng: np.random.Generator) -> AuditOutcome:
    """Differences of two judges in being right, one a pair: 1, -1 or 0."""
    effect = plan.effect if real else 0.0
    groups = _groups(plan)
    draw = rng.random(plan.pairs + plan.questions)
    better, worse = (plan.discordance + effect) / 2, (plan.discordance - effect) / 2
    signs = np.where(draw < better, 1, np.where(draw < better + worse, -1, 0))
    signs = signs[copied_rows(groups, icc=plan.icc, rng=rng)]
    apart = signs != 0
    if not apart.any():
        return AuditOutcome(found=False, estimate=0.0)
    test = sign_flip_test(signs[apart], groups[apart], rng=rng, resamples=999)
    return AuditOutcome(found=test.p_value <= 1 - plan.level, estimate=float(signs.mean()))


def _win_rate(plan: PlannedAudit, *, real: bool, rng: np.random.Generator) -> AuditOutcome:
    """Wins of one system, one a pair: a half where the two orders disagree."""
    effect = plan.effect if real else 0.0
    groups = _groups(plan)
    drawn = plan.pairs + plan.questions
    flips = rng.random(drawn) < plan.flip_rate
    chance = 0.5 + effect / (1 - plan.flip_rate)
    wins = np.where(flips, 0.5, (rng.random(drawn) < chance).astype(np.float64))
    wins = wins[copied_rows(groups, icc=plan.icc, rng=rng)]
    return _excludes(cluster_mean(wins, groups, rng=rng, level=plan.level), null=0.5)


def run_audits(plan: PlannedAudit, *, runs: int, seed: int, advance: Callable[[], None] = lambda: None) -> AuditRuns:
    """So many audits with the effect, and as many without it, each with a random stream of its own.

    A flip rate's interval is asked two things of the same audits: whether it is narrow, and whether it covers.
    """

    def outcomes(real: bool) -> tuple[AuditOutcome, ...]:
        made = []
        for run in range(runs):
            made.append(audit_once(plan, real=real, rng=np.random.default_rng([seed, int(real), run])))
            advance()
        return tuple(made)

    real = outcomes(True)
    return AuditRuns(real=real, null=real if plan.question == "flip-rate" else outcomes(False))
