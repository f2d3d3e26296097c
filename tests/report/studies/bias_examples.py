"""Findings of bias audits made by hand, so that what a study says of them is known beforehand."""

from __future__ import annotations

from dataclasses import replace
from math import log10

from evenhand.analysis import AuditResult, Finding, FindingKind, Measure
from evenhand.audits.bias.contrast import FOR_BOTH
from evenhand.records import (
    Change,
    Condition,
    DataIdentity,
    JudgeIdentity,
    LabelSet,
    Preference,
    Readout,
    RunManifest,
)
from evenhand.report.studies.bias_claims import BiasedRun
from evenhand.stats import Estimate, Interval, Refusal, TestResult
from evenhand.store import PlanCounts

CONTROL = Condition(id="p, A/B", prompt="p", prompt_hash="0", labels=LabelSet.parse("A/B"))
MOVES = {
    "presentations asked with and without the change": 400,
    "verdict both times": 404,
    FOR_BOTH: 400,
    "turned toward the target": 60,
    "turned away from it": 12,
    "target without, target with": 188,
    "target without, other with": 12,
    "other without, target with": 60,
    "other without, other with": 140,
}


def changed(level: str, *, factor: str = "endorsement") -> tuple[Condition, ...]:
    return tuple(
        replace(CONTROL, id=f"{CONTROL.id}; {change.name}", changes=(change,), control=CONTROL.id)
        for change in (Change(factor=factor, level=level, target=target) for target in (Preference.A, Preference.B))
    )


def estimate(value: float, low: float, high: float, n: int = 100) -> Estimate:
    interval = Interval(low=low, high=high, method="cluster-robust Wald")
    return Estimate(value=value, interval=interval, n=n, clusters=50)


def p_values(p: float, *, n: int = 60, adjusted: float | None = None) -> tuple[TestResult, ...]:
    raw = TestResult(name="sign-flip test", p_value=p, log10_p=log10(p), n=n)
    if adjusted is None:
        return (raw,)
    name = "sign-flip test, Holm-adjusted over 9 findings of the bias audits"
    return (raw, TestResult(name=name, p_value=adjusted, log10_p=log10(adjusted), n=n))


def finding(
    level: str,
    effect: Estimate | Refusal,
    tests: tuple[TestResult, ...] = (),
    *,
    audit: str = "sycophancy",
    measure: str = "net_shift",
    readout: Readout | None = Readout.GENERATED,
    notes: tuple[str, ...] = (),
    more: tuple[Measure, ...] = (),
) -> Finding:
    return Finding(
        kind=FindingKind.BIAS,
        audit=audit,
        condition=CONTROL.id,
        readout=readout,
        subset=level,
        pairs=100,
        presentations=400,
        measures=(Measure(name=measure, estimate=effect), *more),
        tests=tests,
        table=tuple(MOVES.items()) if measure == "net_shift" else (),
        notes=notes,
    )


BEYOND = Measure(name="toward_beyond_noise", estimate=estimate(0.1, 0.05, 0.15))
SHOWN = finding("endorsement=user", estimate(0.12, 0.08, 0.16), p_values(1e-5, adjusted=2e-5), more=(BEYOND,))
WITHIN = finding("endorsement=expert", estimate(0.01, -0.02, 0.04), p_values(0.4, adjusted=0.8))
OPEN = finding("endorsement=majority", estimate(0.04, -0.06, 0.14), p_values(0.3, adjusted=0.8))
LACKING = finding("tone=hedged", Refusal(reason="needs at least 5 clusters, has 3"), audit="tone")
DESCRIBED = finding("", estimate(0.4, 0.3, 0.5), audit="rationale", measure="near_identical_flips")


def result(*findings: Finding, level: float = 0.95) -> AuditResult:
    return AuditResult(
        audit="bias",
        findings=findings,
        resamples=200,
        level=level,
        seed=0,
        resampled_by="question group",
        notes=("Intervals resample by question group (50 of them).",),
    )


def run_of(*findings: Finding, model: str = "judge-1", **more: object) -> BiasedRun:
    manifest = RunManifest(
        kind="live",
        judge=JudgeIdentity(spec=f"simulated:{model}", model=model),
        data=DataIdentity(spec="starter", pairs=100, sha256="d" * 64),
        conditions=(CONTROL, *changed("user"), *changed("expert")),
        readouts=("generated",),
        repeat=50,
        biases=("sycophancy",),
    )
    given = {
        "counts": PlanCounts(planned=900, finished=900, errors=0, pending=0),
        "left_out": {changed("user")[0].id: (("the response is empty", 3),)},
    }
    return BiasedRun(manifest=manifest, audit=result(*findings), **given | more)  # type: ignore[arg-type]
