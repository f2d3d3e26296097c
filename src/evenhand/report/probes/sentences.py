"""Sentences of a probe report, one idea each; every one carries its figure and interval, or says why there is none."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.probes import Metric, PredictorKind, PredictorResult, ProbeReport
from evenhand.report.format import estimate_text, integer, is_shown, percent
from evenhand.report.probes.roles import (
    CHANCE,
    COMBINED,
    CONFIDENCE,
    NO_SIGNAL,
    PAPER,
    PROBE,
    WITH_FEATURES,
    Claim,
    claim,
    difference,
    find,
    noun,
    pooled_apart,
    shuffled,
    shuffles,
    within_folds,
)
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = [
    "auroc_claim",
    "beyond",
    "choice_matched",
    "comparisons",
    "compliance_sentence",
    "fixed_fits",
    "leak_warning",
    "learning_curve",
    "lost_pairs",
    "no_probe",
    "others_better",
    "permutation",
    "probabilities",
    "ranking",
    "retention_sentence",
    "shuffled_control",
    "transferred",
    "why",
]


def why(estimate: Estimate | Refusal | None) -> str:
    """Why there is no figure."""
    if estimate is None:
        return "it was not computed"
    return visible(estimate.reason, limit=300) if isinstance(estimate, Refusal) else "not a finite number"


def auroc_claim(report: ProbeReport, first: PredictorResult, reference: str) -> Claim:
    """Whether the main predictor ranks better than another, with pooling allowed for: see :func:`_pooled_away`.

    Nothing is shown where pooling moves one of the two so far that they can't be compared.
    """
    found = claim(difference(report, first.name, reference, Metric.AUROC), null=0.0)
    if found is not Claim.REFUSED and pooled_apart(report, first.name, reference):
        return Claim.NOT_SHOWN
    return Claim.NOT_SHOWN if found is Claim.BETTER and _pooled_away(report, first, reference) else found


def _pooled_away(report: ProbeReport, first: PredictorResult, reference: str) -> str:
    """What the reference ranks within folds, where that is in the main predictor's reach; empty where it isn't.

    Ranking all folds' predictions together costs a weak predictor more than a strong one, so that a difference of the
    pooled figures alone doesn't show the weak one to be worse.
    """
    other, auroc = find(report, reference), dict(first.metrics).get(Metric.AUROC)
    within = None if other is None else within_folds(other)
    if within is None or not isinstance(auroc, Estimate) or auroc.interval is None:
        return ""
    return f"{within:.3f}" if within >= auroc.interval.low else ""


def retention_sentence(report: ProbeReport) -> str:
    """How many of the planned pairs can be used: ``Usable: 579 of 620 pairs (93.4 %).``."""
    kept = report.retention
    return f"Usable: {integer(kept.usable)} of {integer(kept.planned)} pairs ({percent(kept.rate)})."


def compliance_sentence(report: ProbeReport) -> str:
    """How often the judge led with a label by itself, beside a flip rate of its first tokens; empty where it wrote."""
    found = report.compliance
    if found is None:
        return ""
    if not is_shown(found):
        return f"Whether the judge led with a label is not known: {why(found)}."
    return (
        f"The judge led with a label in both orders of {estimate_text(found)} of the pairs: on the others it led "
        "with another token in at least one, and what is read there is a lean between labels that it did not write."
        if isinstance(found, Estimate) and found.value < 1
        else f"The judge led with a label in both orders of {estimate_text(found)} of the pairs."
    )


def no_probe(report: ProbeReport, first: PredictorResult) -> list[str]:
    """Why the report is about another predictor than the probe; empty where it is about the probe."""
    missing = [p for p in report.predictors if p.kind is PredictorKind.PROBE and p is not first]
    return [f"There is no probe: {why(dict(p.metrics).get(Metric.AUROC))}." for p in missing]


def transferred(report: ProbeReport) -> list[str]:
    """What a transfer was trained on and applied to."""
    if report.task != "transfer" or report.trained_on is None:
        return []
    spec, pairs = report.trained_on
    return [
        f"Fitted on {integer(pairs)} pairs of {visible(spec, limit=80)} and applied to "
        f"{visible(report.data, limit=80)} without fitting anything."
    ]


def comparisons(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal | None) -> list[str]:
    """The probe against the judge's confidence and against the six features, on the same pairs and resamples."""
    if not is_shown(auroc):
        return []
    sentences = []
    for name in (CONFIDENCE, COMBINED):
        found = difference(report, first.name, name, Metric.AUROC)
        if found is None:
            continue
        pooled = _pooled_away(report, first, name) if claim(found, null=0.0) is Claim.BETTER else ""
        said = {
            Claim.BETTER: f"better, but within folds that one has {pooled}, so not shown" if pooled else "better",
            Claim.WORSE: "worse",
            Claim.NOT_SHOWN: "not shown to be better",
            Claim.REFUSED: "not compared",
        }[claim(found, null=0.0)]
        if is_shown(found) and (moved := pooled_apart(report, first.name, name)):
            said = f"not comparable, since pooling the folds moves {_moved(moved)}"
        sentences.append(
            f"Against {noun(name)}, the AUROC of {noun(first.name)} differs by "
            f"{estimate_text(found, 'score difference')}: {said}."
        )
    return sentences


def _moved(predictors: Iterable[PredictorResult]) -> str:
    """``the AUROC of “margin” from 0.628 within folds to 0.468``."""
    parts = []
    for p in predictors:
        within, pooled = p.within_folds, dict(p.metrics).get(Metric.AUROC)
        if isinstance(within, Estimate) and isinstance(pooled, Estimate):
            parts.append(f"the AUROC of {noun(p.name)} from {within.value:.3f} within folds to {pooled.value:.3f}")
    return " and ".join(parts)


def fixed_fits(report: ProbeReport, auroc: Estimate | Refusal | None) -> list[str]:
    """What the intervals of a cross-validated fit leave out: other training pairs would make other models.

    The factor was measured in ``tests/simulation/test_probes.py``.
    """
    if report.task != "fit" or not isinstance(auroc, Estimate) or auroc.interval is None:
        return []
    return [
        "Intervals hold the fitted models fixed: over other training pairs too, such figures move 1.3 to 1.6 times as "
        "much as they say, so a difference that barely leaves 0 out is weak evidence."
    ]


def others_better(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal | None) -> list[str]:
    """Where the main predictor isn't better than chance: which others are, by their own intervals."""
    if not is_shown(auroc) or claim(auroc, null=CHANCE) is Claim.BETTER:
        return []
    ranked = [p for p in report.predictors if p is not first and p.kind is not PredictorKind.CONTROL]
    ranked = [p for p in ranked if is_shown(dict(p.metrics).get(Metric.AUROC))]
    if not ranked:
        return []
    better = ranking(report, without=first)
    if not better:
        return ["No other predictor is shown to rank flips better than chance either."]
    told = ", ".join(f"{noun(p.name)} {estimate_text(dict(p.metrics)[Metric.AUROC], 'score')}" for p in better)
    return [f"Better than chance, each by its own interval: {told}."]


def ranking(report: ProbeReport, *, without: PredictorResult) -> tuple[PredictorResult, ...]:
    """The other predictors, controls aside, that are better than chance by their own intervals."""
    return tuple(
        p
        for p in report.predictors
        if p is not without
        and p.kind is not PredictorKind.CONTROL
        and claim(dict(p.metrics).get(Metric.AUROC), null=CHANCE) is Claim.BETTER
    )


def choice_matched(first: PredictorResult, auroc: Estimate | Refusal | None) -> list[str]:
    """Whether the ranking survives among pairs with the same choice in AB, which alone can tell much of flips."""
    matched = dict(first.metrics).get(Metric.CHOICE_MATCHED)
    if matched is None or not is_shown(matched) or claim(auroc, null=CHANCE) is not Claim.BETTER:
        return []
    text = estimate_text(matched, "score")
    if claim(matched, null=CHANCE) is Claim.BETTER:
        return [f"Among pairs with the same choice in AB it still ranks flips: choice-matched AUROC {text}."]
    return [
        f"Among pairs with the same choice in AB it is not shown to rank flips (choice-matched AUROC {text}): what it "
        "ranks by may be little more than which slot the judge chose."
    ]


def probabilities(report: ProbeReport, first: PredictorResult) -> list[str]:
    """Whether the predicted probabilities beat a constant, by the Brier score; lower is better."""
    found = difference(report, first.name, NO_SIGNAL, Metric.BRIER)
    if found is None or not is_shown(found):
        return []
    text = f"Brier score minus that of {noun(NO_SIGNAL)}, {estimate_text(found, 'score difference')}"
    match claim(found, null=0.0, less_is_better=True):
        case Claim.BETTER:
            return [f"As probabilities its predictions are better than a constant ({text}; lower is better)."]
        case Claim.WORSE:
            return [f"As probabilities its predictions are worse than a constant ({text}; lower is better)."]
        case _:
            return [f"As probabilities its predictions are not shown to be better than a constant ({text})."]


def beyond(report: ProbeReport, first: PredictorResult) -> list[str]:
    """What activations add to the features, and where the main predictor differs from our others."""
    sentences = []
    added = difference(report, WITH_FEATURES, COMBINED, Metric.AUROC)
    if added is not None and is_shown(added):
        said = {Claim.BETTER: "activations add to them", Claim.WORSE: "activations take from them"}.get(
            claim(added, null=0.0), "activations are not shown to add to them"
        )
        if moved := pooled_apart(report, WITH_FEATURES, COMBINED):
            said = f"not comparable, since pooling the folds moves {_moved(moved)}"
        sentences.append(
            f"Activations with the features ({noun(WITH_FEATURES)}) against the features alone ({noun(COMBINED)}): "
            f"AUROC differs by {estimate_text(added, 'score difference')}: {said}."
        )
    made = [
        (p, found)
        for p in report.predictors
        if p.kind is PredictorKind.BEYOND and is_shown(found := difference(report, first.name, p.name, Metric.AUROC))
    ]
    apart = [p for p, _ in made if pooled_apart(report, first.name, p.name)]
    made = [(p, e) for p, e in made if p not in apart]
    clear = [(p, e) for p, e in made if claim(e, null=0.0) in (Claim.BETTER, Claim.WORSE)]
    if made or apart:
        told = "; ".join(f"minus {noun(p.name)} {estimate_text(e, 'score difference')}" for p, e in clear)
        rest = ", ".join(noun(p.name) for p, e in made if (p, e) not in clear)
        parts = (
            told,
            f"not shown to differ from {rest}" if rest else "",
            f"not comparable with {', '.join(noun(p.name) for p in apart)} (pooling)" if apart else "",
        )
        sentences.append(
            f"Beyond the paper ({PAPER}), AUROC of {noun(first.name)}: {'; '.join(filter(None, parts))}. These "
            "intervals are not adjusted for their number."
        )
    return sentences


def leak_warning(report: ProbeReport) -> str:
    """A warning where the control ranks what cannot be ranked; empty else."""
    found = shuffles(report)
    if found is None or not found.leaks:
        return ""
    return (
        f"Warning: with shuffled labels the same procedure has a mean AUROC of {found.text}; chance is 0.5. Something "
        "leaks between the folds, or there are too few groups."
    )


def shuffled_control(report: ProbeReport) -> list[str]:
    """What nothing looks like; or that it was not looked at."""
    control, found = shuffled(report), shuffles(report)
    if report.task == "transfer":
        return []  # nothing is fitted on the evaluated pairs, so nothing of them can leak
    if control is None:
        return ["The shuffled-label control was left out, so leakage was not looked for."]
    if found is None:
        return []
    chance = f"With shuffled labels the same procedure has a mean AUROC of {found.text}: {found.judged}."
    return [" ".join(filter(None, (chance, found.against, permutation(report))))]


def permutation(report: ProbeReport) -> str:
    """Where the interval of the probe's AUROC and the permutation p say otherwise: what each speaks of; empty else."""
    found, probe = shuffles(report), find(report, PROBE)
    if found is None or found.permutation_p is None or probe is None:
        return ""
    alpha, better = 1 - report.level, claim(dict(probe.metrics).get(Metric.AUROC), null=CHANCE) is Claim.BETTER
    each = (
        "p sets this procedure against itself on shuffled labels, which pooling moves alike; the interval is of the "
        "pooled ranking against 0.5, its models fixed."
    )
    if not better and found.permutation_p <= alpha:
        return f"That p is small although the interval does not rule out chance: {each}"
    if better and found.permutation_p > alpha and found.least <= alpha:
        return f"That p is not small although the interval rules out chance: {each}"
    return ""


def learning_curve(report: ProbeReport, first: PredictorResult) -> list[str]:
    """The ends of the learning curve, side by side; whether more pairs would help is left to the reader."""
    points = [
        (point.pairs, auroc)
        for point in sorted(report.learning_curve, key=lambda point: point.pairs)
        if point.predictor == first.name and is_shown(auroc := dict(point.metrics).get(Metric.AUROC))
    ]
    if len(points) < 2:
        return []
    (few, start), (many, end) = points[0], points[-1]
    return [
        f"Fitted on {integer(round(few))} pairs its AUROC is {estimate_text(start, 'score')}, on "
        f"{integer(round(many))} pairs {estimate_text(end, 'score')}."
    ]


def lost_pairs(report: ProbeReport) -> list[str]:
    """Why pairs are not usable, counted."""
    if not report.retention.lost:
        return []
    reasons = ", ".join(f"{integer(count)} ({visible(why, limit=120)})" for why, count in report.retention.lost)
    return [f"Not usable: {reasons}. Nothing is claimed of these pairs."]
