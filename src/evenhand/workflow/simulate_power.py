"""How many pairs an audit needs: by formula, and confirmed by simulating the audit at that size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.report.studies.power_plan import CurvePoint, PilotFacts, PowerPlan, SimulatedCheck
from evenhand.stats import Estimate, Refusal, cluster_mean, cluster_rate
from evenhand.stats.clusters import MIN_CLUSTERS
from evenhand.stats.power import (
    HalfWidth,
    PowerAnswer,
    PowerQuestion,
    achieved_power,
    design_effect,
    minimum_detectable_effect,
    pairs_needed,
)
from evenhand.workflow.simulate_questions import AskedQuestion, Assumptions, asked_question
from evenhand.workflow.simulate_settings import PowerSettings

if TYPE_CHECKING:
    from evenhand.workflow.simulate_audits import AuditOutcome, PlannedAudit

__all__ = ["PowerSettings", "simulate_power"]

_CURVE = (0.125, 0.25, 0.375, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 3.0)
"""Sizes of the curve, as multiples of the pairs in question."""
_TESTS = {
    "flip-rate": "its interval is as narrow as wanted",
    "beyond-repeats": "the cluster interval of flips minus repeats leaves 0 out",
    "shift": "the sign-flip test over questions rejects",
    "accuracy": "the sign-flip test over questions rejects",
    "win-rate": "the cluster interval of the win rate leaves 50 % out",
}


def simulate_power(
    settings: PowerSettings,
    *,
    run: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> PowerPlan:
    """Answer how many pairs are needed, and what so many show.

    Parameters
    ----------
    run
        A pilot run: its flip rate, repeat rate, pairs a question and intra-question correlation are taken where the
        settings leave them open.
    progress
        Told what is done, audits done, and audits in all.

    Raises
    ------
    ConfigError
        The numbers contradict each other, such as an effect that such a judge can't have.
    StoreError, DataError
        The pilot can't be used.

    Examples
    --------
    >>> plan = simulate_power(PowerSettings(question="flip-rate", effect=0.05, flip_rate=0.15))
    >>> plan.needed.pairs, plan.judgments_per_pair
    (196, 2)
    """
    pilot = _pilot(run)
    given = Assumptions.of(settings, pilot)
    level = settings.level if settings.tests == 1 else 1 - (1 - settings.level) / settings.tests
    shape = _Clustering.of(given)
    asked = asked_question(settings, given, rng=np.random.default_rng([settings.seed, 1]))
    question, power = asked.question, settings.power
    needed = pairs_needed(question, settings.effect, power=power, level=level, deff=shape.deff, cluster_size=shape.size)
    at = settings.pairs or (needed.pairs if isinstance(needed, PowerAnswer) else None)
    return PowerPlan(
        question=settings.question,
        bias=settings.bias if settings.question == "shift" else None,
        effect=settings.effect,
        power=power,
        level=settings.level,
        tests=settings.tests,
        test_level=level,
        at=at,
        needed=needed,
        detectable=None
        if at is None
        else minimum_detectable_effect(
            question, at, power=power, level=level, deff=shape.deff, cluster_size=shape.size
        ),
        power_at=None if at is None else _shown(question, at, effect=settings.effect, level=level, shape=shape),
        curve=_curve(question, [n for n in (at, needed) if n], effect=settings.effect, level=level, shape=shape),
        judgments_per_pair=asked.judgments,
        pairs_per_question=given.pairs_per_question,
        icc=given.icc,
        design_effect=shape.deff,
        assumed=asked.assumed,
        simulated=None if at is None or not settings.simulate else _check(settings, given, asked, at, level, progress),
        pilot=pilot,
        seed=settings.seed,
    )


def _pilot(run: str | Path | None) -> PilotFacts | None:
    if run is None:
        return None
    from evenhand.workflow.simulate_pilot import pilot_facts

    return pilot_facts(run)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Clustering:
    """Pairs a question, and by how much they thin out the pairs."""

    size: float
    deff: float

    @classmethod
    def of(cls, given: Assumptions) -> _Clustering:
        return cls(size=given.pairs_per_question, deff=design_effect(given.pairs_per_question, given.icc))


def _shown(question: PowerQuestion, pairs: int, *, effect: float, level: float, shape: _Clustering) -> float:
    """The power that so many pairs have; for a flip rate, half the width of the interval (NaN: none)."""
    if isinstance(question, HalfWidth):
        made = minimum_detectable_effect(question, pairs, level=level, deff=shape.deff, cluster_size=shape.size)
        return made.effect if isinstance(made, PowerAnswer) else float("nan")
    return achieved_power(question, pairs=pairs, effect=effect, level=level, deff=shape.deff, cluster_size=shape.size)


def _curve(
    question: PowerQuestion,
    sizes: Sequence[int | PowerAnswer | Refusal],
    *,
    effect: float,
    level: float,
    shape: _Clustering,
) -> tuple[CurvePoint, ...]:
    known = [n if isinstance(n, int) else n.pairs for n in sizes if not isinstance(n, Refusal)]
    # Fewer questions than these are refused.
    least = math.ceil(MIN_CLUSTERS * shape.size)
    pairs = sorted({max(least, round(n * part)) for n in known for part in _CURVE})
    return tuple(CurvePoint(pairs=n, value=_shown(question, n, effect=effect, level=level, shape=shape)) for n in pairs)


def _check(
    s: PowerSettings,
    given: Assumptions,
    asked: AskedQuestion,
    at: int,
    level: float,
    progress: Callable[[str, int, int], None] | None,
) -> SimulatedCheck:
    from evenhand.workflow.simulate_audits import PlannedAudit, run_audits

    plan = PlannedAudit(
        question=s.question,
        bias=s.bias if s.question == "shift" else None,
        pairs=at,
        questions=max(1, round(at / given.pairs_per_question)),
        icc=given.icc,
        level=level,
        effect=s.effect,
        judge=asked.judge,
        null=asked.null,
        discordance=given.discordance,
        flip_rate=given.flip_rate,
    )
    total = s.simulate * (1 if s.question == "flip-rate" else 2)
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress("simulating audits", done, total)

    made = run_audits(plan, runs=s.simulate, seed=s.seed, advance=advance)
    return _summary(plan, made.real, made.null, truth=_truth(asked, s, at, level, given))


def _truth(asked: AskedQuestion, s: PowerSettings, at: int, level: float, given: Assumptions) -> float:
    if isinstance(asked.question, HalfWidth):
        return _shown(asked.question, at, effect=s.effect, level=level, shape=_Clustering.of(given))
    return s.effect


def _summary(
    plan: PlannedAudit, real: Sequence[AuditOutcome], null: Sequence[AuditOutcome], *, truth: float
) -> SimulatedCheck:
    estimates = np.array([o.estimate for o in real if o.estimate is not None], dtype=np.float64)
    mean: Estimate | Refusal = Refusal(reason="no audit made an estimate")
    if estimates.size:
        mean = cluster_mean(estimates, range(estimates.size), rng=np.random.default_rng(0), method="robust")
    missed = plan.question == "flip-rate"
    return SimulatedCheck(
        pairs=plan.pairs,
        runs=len(real),
        found=_rate([bool(o.found) for o in real]),
        false=_rate([o.missed if missed else bool(o.found) for o in null]),
        estimate=mean,
        truth=truth,
        test=_TESTS[plan.question],
    )


def _rate(hits: Sequence[bool]) -> Estimate | Refusal:
    """A share of independent audits, with its Monte Carlo interval."""
    return cluster_rate(
        np.asarray(hits, dtype=np.float64), None, range(len(hits)), rng=np.random.default_rng(0), method="robust"
    )
