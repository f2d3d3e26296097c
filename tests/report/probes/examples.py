"""Probe reports made by hand: a weak probe, and every case that the headline tells apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from evenhand.probes import (
    Difference,
    LearningPoint,
    Metric,
    PredictorKind,
    PredictorResult,
    ProbeReport,
    ProbeSubject,
    Retention,
    Selection,
)
from evenhand.records import Readout
from evenhand.stats import Estimate, Interval, Refusal, reliability_curve

METHOD = "percentile cluster bootstrap, 470 clusters, 2,000 resamples"
CONSTANT = Refusal(reason="ranks nothing: every pair of a fold has the same probability", n=579)
TOO_RARE = Refusal(reason="the flip rate is 0.021: nothing discriminative is reported outside of 0.05 to 0.95", n=579)
TOO_FEW = Refusal(reason="needs at least 5 clusters, has 3", n=9)


def figure(value: float, low: float, high: float, *, flags: tuple[str, ...] = ()) -> Estimate:
    interval = Interval(low=low, high=high, method=METHOD)
    return Estimate(value=value, interval=interval, n=579, clusters=470, flags=flags)


def around(value: float, *, by: float = 0.06) -> Estimate:
    return figure(value, value - by, value + by)


def make_predictions(report: ProbeReport | None = None) -> pl.DataFrame:
    """120 pairs with the columns of ``fit_probes``; flips are likelier where the probabilities are higher."""
    rng = np.random.default_rng(3)
    flips = rng.random(120) < 0.315
    made = report or make_report()
    names = [p.name[:99] for p in made.predictors if p.kind is not PredictorKind.CONTROL and "\ud800" not in p.name]
    risks = {
        f"p_{name.replace('-', '_')}": 1 / (1 + np.exp(1 - rng.normal(size=120) - (1.2 - 0.2 * index) * flips))
        for index, name in enumerate(names)
    }
    return pl.DataFrame(
        {
            "pair_id": [f"p{i}" for i in range(120)],
            "group": [f"g{i // 2}" for i in range(120)],
            "fold": [i // 2 % 5 for i in range(120)],
            "flip": flips,
            **risks,
        }
    )


def result(
    name: str, kind: PredictorKind, auroc: Estimate | Refusal, *, features: tuple[str, ...] = (), l2: float = 0.01
) -> PredictorResult:
    rng = np.random.default_rng(len(name))
    p = rng.random(200)
    ranked = isinstance(auroc, Estimate)
    layers = ("before-verdict@14", "before-verdict@21", "before-verdict@27")
    chosen = layers if kind is PredictorKind.PROBE else (name,)
    return PredictorResult(
        name=name,
        kind=kind,
        features=features or (name,),
        selections=tuple(
            Selection(fold=fold, candidate=chosen[fold % len(chosen)], l2=l2, validation_brier=0.21 + fold / 100)
            for fold in range(5)
        ),
        metrics=(
            (Metric.AUROC, auroc),
            (Metric.AUPRC, around(0.43) if ranked else auroc),
            (Metric.BRIER, around(0.204, by=0.011)),
            (Metric.CHOICE_MATCHED, around(auroc.value - 0.01) if ranked else auroc),
        ),
        calibration=reliability_curve(p, rng.random(200) < p, bins=5, strategy="quantile"),
    )


def make_report() -> ProbeReport:
    """A probe that ranks better than chance, and is not shown to be better than the judge's own confidence."""
    names = ("confidence", "margin", "ab-choice", "combined")
    predictors = (
        result("probe", PredictorKind.PROBE, figure(0.664, 0.601, 0.723), features=("before-verdict@14",)),
        *(result(n, PredictorKind.BASELINE, around(0.58 + 0.01 * i)) for i, n in enumerate(names)),
        result("probe-with-features", PredictorKind.BEYOND, around(0.67)),
        result("boosted-trees", PredictorKind.BEYOND, around(0.62), l2=float("nan")),
        replace(
            result("no-signal", PredictorKind.CONTROL, CONSTANT),
            selections=(),
            calibration=reliability_curve(np.full(200, 0.31), np.arange(200) < 63, bins=1),
        ),
        shuffled(0.497, 0.431, 0.561),
    )
    made = {
        ("probe", "confidence"): figure(0.041, -0.021, 0.102),
        ("probe", "combined"): figure(0.023, -0.031, 0.075),
        ("probe", "probe-with-features"): figure(-0.006, -0.02, 0.01),
        ("probe", "boosted-trees"): figure(0.044, 0.004, 0.081),
        ("probe-with-features", "combined"): figure(0.03, -0.01, 0.07),
    }
    return ProbeReport(
        task="fit",
        subject=ProbeSubject(
            model="Qwen/Qwen3-1.7B",
            revision="70d244cc86ccca08cf5af4e1e306ecf908b1ad5e",
            dtype="bfloat16",
            prompt="three-line",
            prompt_hash="d4" * 32,
            labels="A/B",
            readout=Readout.GENERATED,
            blocks=28,
            size=2048,
            settings=(("thinking", "off"),),
        ),
        data="judgebench:gpt",
        sha256="c2" * 32,
        pairs=579,
        groups=470,
        retention=Retention(
            planned=620, usable=579, lost=(("AB: no confidence line", 24), ("BA: the token budget was used up", 17))
        ),
        flip_rate=Estimate(
            value=182 / 579, interval=Interval(low=0.276, high=0.354, method=METHOD), n=579, count=182, clusters=470
        ),
        predictors=predictors,
        differences=(
            *(
                Difference(predictor=first, reference=second, metric=Metric.AUROC, estimate=estimate)
                for (first, second), estimate in made.items()
            ),
            Difference(
                predictor="probe", reference="no-signal", metric=Metric.BRIER, estimate=figure(-0.012, -0.02, -0.004)
            ),
        ),
        learning_curve=tuple(
            LearningPoint(predictor="probe", pairs=pairs, metrics=((Metric.AUROC, around(auroc)),))
            for pairs, auroc in ((58.2, 0.56), (116.0, 0.60), (231.6, 0.63), (463.2, 0.664))
        ),
        notes=("Pairs of one question are never in a training and a held-out fold at once.",),
        seconds=(("fit", 12.345),),
    )


def make_transfer() -> ProbeReport:
    """The same figures as of frozen predictors."""
    report = make_report()
    return replace(
        report,
        task="transfer",
        data="mt_bench",
        trained_on=("judgebench:gpt", 534),
        predictors=tuple(
            replace(p, selections=p.selections[:1]) for p in report.predictors if p.name != "shuffled-labels"
        ),
        learning_curve=(),
    )


def pooled(predictor: PredictorResult, within: float) -> PredictorResult:
    """The predictor with another AUROC within the outer folds."""
    return replace(predictor, within_folds=Estimate(value=within, interval=None, n=579))


def shuffled(mean: float, low: float, high: float, *, count: int = 20) -> PredictorResult:
    """The control as :func:`evenhand.probes.shuffled.shuffled_result` makes it."""
    flags = ("no interval over groups: the mean over shuffles", f"{count} shuffles, {low:.3f} to {high:.3f}")
    auroc = Estimate(value=mean, interval=None, n=579, flags=flags)
    return PredictorResult(
        name="shuffled-labels",
        kind=PredictorKind.CONTROL,
        features=("before-verdict@14",),
        selections=(),
        metrics=((Metric.AUROC, auroc),),
        calibration=Refusal(reason="labels are shuffled: there is nothing to calibrate", n=579),
        shuffles=(low, *(mean,) * (count - 2), high),
        permutation_p=1 / (count + 1),
    )


def changed(report: ProbeReport, name: str, auroc: Estimate | Refusal) -> ProbeReport:
    """The report with another AUROC of a predictor."""
    return replace(
        report,
        predictors=tuple(
            replace(p, metrics=tuple((m, auroc if m is Metric.AUROC else e) for m, e in p.metrics))
            if p.name == name
            else p
            for p in report.predictors
        ),
    )


def compared(
    report: ProbeReport, predictor: str, reference: str, estimate: Estimate | Refusal, metric: Metric = Metric.AUROC
) -> ProbeReport:
    """The report with another difference of two predictors."""
    kept = [d for d in report.differences if (d.predictor, d.reference, d.metric) != (predictor, reference, metric)]
    made = Difference(predictor=predictor, reference=reference, metric=metric, estimate=estimate)
    return replace(report, differences=(*kept, made))


def refused(report: ProbeReport, refusal: Refusal) -> ProbeReport:
    """The report as it is where nothing discriminative may be said."""
    return replace(
        report,
        predictors=tuple(
            replace(p, metrics=tuple((m, e if m is Metric.BRIER else refusal) for m, e in p.metrics))
            for p in report.predictors
        ),
        differences=tuple(d if d.metric is Metric.BRIER else replace(d, estimate=refusal) for d in report.differences),
        learning_curve=(),
    )


def make_hostile(text: str) -> ProbeReport:
    """Every text that comes from outside replaced by a hostile one."""
    report = make_report()
    names = {
        p.name: p.name if p.name in ("probe", "confidence") else f"{text} {i}" for i, p in enumerate(report.predictors)
    }
    return replace(
        report,
        subject=replace(
            report.subject,
            model=text,
            revision=text,
            dtype=text,
            prompt=text,
            prompt_hash=text,
            labels=text,
            settings=((text, text),),
        ),
        data=text,
        sha256=text,
        task="transfer",
        trained_on=(text, 534),
        retention=replace(report.retention, lost=((text, 24), (f"{text}2", 17))),
        predictors=tuple(
            replace(
                p,
                name=names[p.name],
                features=(text,),
                selections=tuple(replace(s, candidate=text) for s in p.selections),
                metrics=(*p.metrics[:-1], (Metric.CHOICE_MATCHED, Refusal(reason=text))),
                calibration=p.calibration if p.name == "probe" else Refusal(reason=text),
                notes=(text,),
            )
            for p in report.predictors
        ),
        differences=tuple(
            replace(d, predictor=names[d.predictor], reference=names[d.reference]) for d in report.differences
        ),
        learning_curve=(
            *report.learning_curve,
            LearningPoint(predictor=text, pairs=9.0, metrics=((Metric.AUROC, around(0.5)),)),
        ),
        notes=(text,),
        seconds=((text, 1.0),),
    )
