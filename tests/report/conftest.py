"""A realistic audit made by hand: two conditions, three readouts, refusals, flags, and an underflowing test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

import evenhand
from evenhand import AuditRun
from evenhand.analysis import AuditResult, Finding, FindingKind, Measure, OutcomeCount
from evenhand.records import (
    Condition,
    DataIdentity,
    JudgeIdentity,
    LabelSet,
    LabelTokens,
    Order,
    Outcome,
    Readout,
    RunManifest,
    Sampling,
)
from evenhand.report.model import ReportView
from evenhand.report.pair_example import PairExample, ShownVerdict, excerpt_of, passage_of
from evenhand.report.text import visible
from evenhand.report.view import build_view
from evenhand.stats import Estimate, Interval, Refusal, TestResult
from evenhand.store import PlanCounts
from evenhand.workflow import AuditSettings, ReadoutChoice

AB, XY = "single-character, A/B", "single-character, X/Y"
CAVEAT = "The exact McNemar test treats pairs as independent; pairs of one group are not."
FEW = "fewer than 30 clusters (12)"


def rate(count: int, n: int, low: float, high: float, *, flags: tuple[str, ...] = (), clusters: int = 48) -> Estimate:
    interval = Interval(low=low, high=high, method="cluster bootstrap, percentile")
    return Estimate(value=count / n, interval=interval, n=n, count=count, clusters=clusters, flags=flags)


def difference(value: float, low: float, high: float, n: int) -> Estimate:
    return Estimate(value=value, interval=Interval(low=low, high=high, method="paired bootstrap"), n=n, clusters=48)


def outcomes(ab: dict[Outcome, int], ba: dict[Outcome, int]) -> tuple[OutcomeCount, ...]:
    return tuple(
        OutcomeCount(order=order, outcome=outcome, count=counts.get(outcome, 0))
        for order, counts in ((Order.AB, ab), (Order.BA, ba))
        for outcome in Outcome
    )


def measures(**named: Estimate | Refusal) -> tuple[Measure, ...]:
    return tuple(Measure(name=name, estimate=estimate) for name, estimate in named.items())


def _readout(condition: str, readout: Readout, *, counts, flips, locked_first, compliance, **more) -> Finding:
    first = (
        Refusal(reason="needs at least 1 flip, has 0")
        if flips.count == 0
        else rate(locked_first, int(flips.count), 0.70 if locked_first < flips.count else 0.94, 1.0)
    )
    slot_lock = TestResult(
        name="exact binomial, first-slot against second-slot locks",
        p_value=0.0 if locked_first > 50 else 2.4e-5,
        log10_p=-412.5 if locked_first > 50 else -4.62,
        n=int(flips.count),
    )
    return Finding(
        kind=FindingKind.READOUT,
        condition=condition,
        readout=readout,
        pairs=60,
        presentations=120,
        outcomes=counts,
        measures=measures(
            verdict_rate=rate(120 - sum(c.count for c in counts if not c.outcome.is_verdict), 120, 0.9, 0.99),
            compliance_pairs=compliance,
            compliance_presentations=rate(70, 120, 0.49, 0.67),
            flip_rate=flips,
            inconsistency_rate=rate(0, 58, 0.0, 0.06),
            swap_consistency=rate(flips.n - int(flips.count), flips.n, 0.0, 0.6),
            first_slot_rate=rate(88, 116, 0.67, 0.83),
            first_position_bias_rate=first,
            slot_lock_rate=flips,
            position_bias_strength=Estimate(
                value=0.41, interval=Interval(low=0.27, high=0.55, method="cluster bootstrap"), n=58, clusters=48
            ),
            **more,
        ),
        tests=(slot_lock, replace(slot_lock, name=f"{slot_lock.name}, Holm-adjusted over 6 conditions and readouts")),
        notes=("2 pairs without a verdict in both orders are left out of the flip rate.",),
    )


def make_audit() -> AuditResult:
    full = outcomes({Outcome.FIRST: 57, Outcome.SECOND: 3}, {Outcome.FIRST: 60})
    written = outcomes(
        {Outcome.FIRST: 36, Outcome.SECOND: 20, Outcome.TIE: 1, Outcome.UNPARSED: 2, Outcome.TRUNCATED: 1},
        {Outcome.FIRST: 38, Outcome.SECOND: 20, Outcome.REFUSED: 1, Outcome.UNPARSED: 1},
    )
    accuracy = {
        "accuracy_ab": rate(31, 60, 0.39, 0.64),
        "accuracy_ba": rate(29, 60, 0.36, 0.61),
        "accuracy_consistent": Refusal(reason="needs at least 5 clusters, has 3", n=3),
    }
    low = rate(25, 60, 0.292, 0.549)
    none = rate(0, 60, 0.0, 0.06, flags=("Wilson interval: no compliant pair",))
    forced_ab = rate(57, 60, 0.88, 0.99)
    written_ab = rate(26, 58, 0.32, 0.58, flags=(FEW,), clusters=12)
    findings = (
        _readout(AB, Readout.FIRST_TOKEN, counts=full, flips=forced_ab, locked_first=57, compliance=low, **accuracy),
        _readout(
            AB,
            Readout.GENERATED,
            counts=written,
            flips=written_ab,
            locked_first=22,
            compliance=low,
            lead_conclusion_divergence=rate(3, 70, 0.01, 0.12),
            **accuracy,
        ),
        _readout(AB, Readout.HYBRID, counts=written, flips=rate(30, 58, 0.4, 0.64), locked_first=26, compliance=low),
        _readout(XY, Readout.FIRST_TOKEN, counts=full, flips=rate(60, 60, 0.94, 1.0), locked_first=60, compliance=none),
        _readout(
            XY, Readout.GENERATED, counts=written, flips=rate(24, 58, 0.3, 0.54), locked_first=20, compliance=none
        ),
        _readout(XY, Readout.HYBRID, counts=written, flips=rate(24, 58, 0.3, 0.54), locked_first=20, compliance=none),
        *(
            Finding(
                kind=FindingKind.FORCED_MINUS_GENERATED,
                condition=condition,
                subset=subset,
                pairs=n,
                presentations=2 * n,
                measures=measures(flip_difference=estimate),
                tests=(TestResult(name="exact McNemar", p_value=1.0e-99, log10_p=-98.99, n=420, caveat=CAVEAT),),
                table=(("flip in both", 24), ("first-token only", 31), ("generated only", 2), ("neither", 1)),
            )
            for condition, subset, n, estimate in (
                (AB, "all", 58, difference(0.50, 0.36, 0.63, 58)),
                (AB, "compliant", 25, difference(0.08, -0.05, 0.21, 25)),
                (AB, "non-compliant", 33, difference(0.74, 0.58, 0.88, 33)),
                (XY, "all", 58, difference(0.586, 0.45, 0.70, 58)),
                (XY, "compliant", 0, Refusal(reason="needs at least 5 clusters, has 0")),
                (XY, "non-compliant", 58, difference(0.586, 0.45, 0.70, 58)),
            )
        ),
        *(
            Finding(
                kind=FindingKind.HYBRID,
                condition=condition,
                pairs=60,
                presentations=120,
                measures=measures(
                    share_generated=rate(120 - saved, 120, 0.3, 0.6),
                    generation_saved=rate(saved, 120, 0.4, 0.7),
                    hybrid_fidelity=rate(110, 116, 0.89, 0.98),
                ),
            )
            for condition, saved in ((AB, 70), (XY, 4))
        ),
        Finding(
            kind=FindingKind.CONDITIONS,
            condition=f"{AB} | {XY}",
            readout=Readout.GENERATED,
            pairs=57,
            measures=measures(
                compliance_contrast=difference(0.417, 0.29, 0.55, 60), flip_contrast=difference(0.03, -0.11, 0.17, 57)
            ),
        ),
        Finding(
            kind=FindingKind.POOLED,
            readout=Readout.GENERATED,
            pairs=116,
            measures=measures(flip_rate=Refusal(reason="needs at least 5 clusters, has 2", n=116)),
        ),
        Finding(
            kind=FindingKind.REPEAT,
            condition=AB,
            readout=Readout.GENERATED,
            pairs=10,
            measures=measures(
                repeat_flip_rate=rate(0, 10, 0.0, 0.278), swap_minus_repeat=difference(0.4, 0.1, 0.7, 10)
            ),
        ),
    )
    return AuditResult(
        audit="position and readout",
        findings=findings,
        resamples=2000,
        level=0.95,
        seed=7,
        resampled_by="question group",
        notes=("Intervals resample question groups.",),
    )


def make_manifest() -> RunManifest:
    def condition(name: str, labels: str, digit: str) -> Condition:
        return Condition(id=name, prompt="single-character", prompt_hash=digit * 64, labels=LabelSet.parse(labels))

    def tokens(labels: str, start: int) -> tuple[LabelTokens, ...]:
        first, second = labels.split("/")
        variants = [(first, first), (first, f" {first}"), (second, second), (second, f" {second}")]
        return tuple(
            LabelTokens(label=label, variant=variant, token_id=start + index)
            for index, (label, variant) in enumerate(variants)
        )

    return RunManifest(
        kind="live",
        judge=JudgeIdentity(
            spec="llamacpp:smollm2-135m",
            model="SmolLM2-135M-Instruct",
            revision="sha256:" + "b1" * 32,
            engine="llama.cpp (xllamacpp 2026.10)",
            settings=(("threads", "2"), ("context", "4096")),
        ),
        data=DataIdentity(spec="starter", pairs=60, sha256="c2" * 32),
        conditions=(condition(AB, "A/B", "d"), condition(XY, "X/Y", "e")),
        readouts=("first-token", "generated", "hybrid"),
        sampling=Sampling(),
        label_tokens=((AB, tokens("A/B", 49)), (XY, tokens("X/Y", 72))),
        prompts=(("single-character", "Which is better? …"),),
        repeat=10,
        seed=7,
        excluded=(("starter-061", "longer than the context of 4,096 tokens"),),
        versions=(("evenhand", "0.1.0"), ("numpy", "2.4.6"), ("xllamacpp", "2026.10")),
        created="2026-11-30T07:10:11+00:00",
        command="evenhand audit --judge llamacpp:smollm2-135m --pairs starter --labels A/B --labels X/Y --repeat 10",
    )


COUNTS = PlanCounts(planned=250, finished=250)

EXAMPLES = (
    PairExample(
        pair_id="starter-007",
        condition=AB,
        why="chose the first slot twice",
        readout="generated",
        verdicts=(
            ShownVerdict(readout="first-token", ab="first (A), log-odds +0.94", ba="second (A), log-odds −1.07"),
            ShownVerdict(readout="generated", ab="first (A)", ba="first (B)"),
        ),
        gold="A",
        instruction=passage_of("Name the largest planet."),
        response_a=passage_of("Jupiter."),
        response_b=passage_of("Saturn, " * 400),
        answer_ab=excerpt_of("The better response is A, as it is right.", span=(4, 24)),
        answer_ba=excerpt_of("Response A"),
    ),
    PairExample(
        pair_id="starter-011",
        condition=XY,
        why="no verdict in one order or both",
        readout="generated",
        verdicts=(ShownVerdict(readout="generated", ab="unparsed", ba="—"),),
    ),
)


@pytest.fixture
def audit() -> AuditResult:
    return make_audit()


@pytest.fixture
def manifest() -> RunManifest:
    return make_manifest()


@pytest.fixture
def counts() -> PlanCounts:
    return COUNTS


SIMULATED = "simulated:position=1.0,compliance=0.7,noise=1"


@pytest.fixture(scope="session")
def remedied(tmp_path_factory: pytest.TempPathFactory) -> AuditRun:
    """A run with every readout that a judge can be asked for."""
    choices = (ReadoutChoice.BOTH, ReadoutChoice.PREFILLED, ReadoutChoice.CONSTRAINED)
    out = tmp_path_factory.mktemp("remedied")
    return evenhand.audit(SIMULATED, "starter", settings=AuditSettings(readout=choices, resamples=200), out=out)


@pytest.fixture(scope="session")
def budgeted(tmp_path_factory: pytest.TempPathFactory) -> AuditRun:
    """A run whose text was asked of a sample."""
    settings = AuditSettings(budget=0.5, resamples=200)
    return evenhand.audit(SIMULATED, "starter", settings=settings, out=tmp_path_factory.mktemp("budgeted"))


@pytest.fixture(scope="session")
def biased(tmp_path_factory: pytest.TempPathFactory) -> AuditRun:
    """A run that asks its pairs also with one thing changed."""
    settings = AuditSettings(biases=("sycophancy", "rationale"), readout=ReadoutChoice.FIRST_TOKEN, resamples=200)
    out = tmp_path_factory.mktemp("biased")
    return evenhand.audit("simulated:sycophancy=2.0", "starter", settings=settings, limit=12, out=out)


@pytest.fixture(scope="session")
def designed(tmp_path_factory: pytest.TempPathFactory) -> AuditRun:
    """A small grid: three levels of one axis, two of another."""
    settings = AuditSettings(vary=("criteria", "labels=A/B|1/2"), resamples=200)
    return evenhand.audit(SIMULATED, "starter", settings=settings, limit=20, out=tmp_path_factory.mktemp("designed"))


@pytest.fixture(scope="session")
def many_designs(tmp_path_factory: pytest.TempPathFactory) -> AuditRun:
    """A star of more designs than anybody reads a table of."""
    settings = AuditSettings(vary=("criteria", "labels", "separators"), star=True, resamples=200)
    return evenhand.audit(SIMULATED, "starter", settings=settings, limit=12, out=tmp_path_factory.mktemp("many"))


@pytest.fixture(scope="session")
def view_of() -> Callable[[AuditRun], ReportView]:
    return lambda run: build_view(run.manifest, run.audit, counts=run.counts, answers=run.answers)


@pytest.fixture
def view(manifest: RunManifest, audit: AuditResult) -> ReportView:
    return build_view(manifest, audit, counts=COUNTS, execution=(("time", "2 min 10 s"),), pairs_examples=EXAMPLES)


HOSTILE = (
    "<script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "javascript:alert(1)",
    r"$\input{/etc/passwd}$",
    "\x1b]0;owned\x07",
    "abc\u202egnp.exe",
    "=cmd|'/C calc'!A0",
    "lone \ud800 surrogate",
    "[link](https://evil.example) | cell\n# heading",
    "n" * 1_000_000,
)


def make_hostile(text: str) -> tuple[RunManifest, AuditResult]:
    """Every text that comes from outside replaced by a hostile one."""
    manifest, audit = make_manifest(), make_audit()
    names = {AB: f"{text} 1", XY: f"{text} 2", f"{AB} | {XY}": f"{text} 1 | {text} 2"}
    findings = tuple(
        replace(
            f,
            condition=None if f.condition is None else names[f.condition],
            notes=(text,),
            table=((text, 3),),
            tests=tuple(replace(t, caveat=text, name=text) for t in f.tests),
            measures=(*f.measures, Measure(name="share_generated", estimate=Refusal(reason=text))),
        )
        for f in audit.findings
    )
    conditions = tuple(replace(c, id=names[c.id], prompt=text) for c in manifest.conditions)
    tokens = tuple((names[name], items) for name, items in manifest.label_tokens)
    judge = JudgeIdentity(spec=text, model=text, revision=text, engine=text, settings=((text, text),))
    return (
        replace(
            manifest,
            judge=judge,
            data=replace(manifest.data, spec=text),
            conditions=conditions,
            label_tokens=tokens,
            excluded=((text, text),),
            versions=((text, text),),
            command=text,
            created=text,
            log_rules=text,
        ),
        replace(audit, findings=findings, notes=(text,)),
    )


def make_hostile_view(text: str) -> ReportView:
    manifest, audit = make_hostile(text)
    example = PairExample(
        pair_id=visible(text),
        condition=visible(text),
        why="chose the first slot twice",
        readout="generated",
        verdicts=(ShownVerdict(readout="generated", ab="first (A)", ba="first (B)"),),
        gold="A",
        instruction=passage_of(text),
        response_a=passage_of(text),
        response_b=passage_of(text),
        answer_ab=excerpt_of(text, span=(1, len(text) - 1)),
        answer_ba=excerpt_of(text),
    )
    return build_view(manifest, audit, counts=COUNTS, execution=((text, text),), pairs_examples=(example,))


@pytest.fixture(params=HOSTILE, ids=lambda text: ascii(text[:12]), scope="session")
def hostile(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="session")
def hostile_view(hostile: str) -> ReportView:
    return make_hostile_view(hostile)


@pytest.fixture
def hostile_audit(hostile: str) -> tuple[RunManifest, AuditResult]:
    return make_hostile(hostile)


@pytest.fixture
def hostile_run() -> tuple[RunManifest, AuditResult]:
    """One run with several kinds of hostile text in every name."""
    return make_hostile("=<b>|$x$\x1b]0;\ud800\u202e" + "n" * 1_000_000)
