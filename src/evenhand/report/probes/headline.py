"""What a probe report says first: sentences that each carry the figure and the interval that they rest on."""

from __future__ import annotations

from evenhand.probes import Metric, PredictorKind, PredictorResult, ProbeReport
from evenhand.report.format import DASH, estimate_text, integer, is_shown, percent
from evenhand.report.model import Headline, Status
from evenhand.report.probes.roles import (
    COMBINED,
    CONFIDENCE,
    NO_SIGNAL,
    WITH_FEATURES,
    Claim,
    claim,
    difference,
    find,
    main,
    noun,
    shuffled,
    shuffles,
)
from evenhand.report.text import visible
from evenhand.stats import Estimate, Refusal

__all__ = ["CHANCE", "build_headline", "retention_sentence"]

CHANCE = 0.5
"""AUROC of a predictor that knows nothing."""
_LOW_RETENTION = 0.8
"""Share of usable pairs below which the report says that those left out may differ. A convention of this report: the
judges of "Will the Judge Flip?" (2026) kept 88 to 95 % of 620 pairs."""


def build_headline(report: ProbeReport) -> Headline:
    """Choose the sentences.

    The order of rules: a shuffled-label control off chance puts every figure in doubt and stands in the title; no
    predictor, or a refused AUROC, claims nothing; then the main predictor's AUROC against chance and its paired
    differences to the judge's confidence and to the combined features, each read by its interval alone.
    """
    first = main(report)
    leak = _leak(report)
    if first is None:
        return Headline(
            status="undecided",
            verdict="No predictor was evaluated",
            lead=_scope(report),
            next_steps=("Collect pairs with activations (evenhand probe collect), then fit again.",),
        )
    auroc = first.metric(Metric.AUROC)
    status, verdict = _verdict(report, first, auroc)
    if leak:
        status, verdict = "failed", "Take no figure here for real: shuffled labels can be “predicted” too"
    return Headline(
        status=status,
        verdict=verdict,
        lead=f"{_lead(first, auroc)} {_scope(report)}",
        meaning=(
            *([leak] if leak else []),
            *_transferred(report),
            *_comparisons(report, first, auroc),
            *_choice(first, auroc),
            *_probabilities(report, first),
            *_beyond(report, first),
            *([] if leak else _control(report)),
            *_learning(report, first),
            *_lost(report),
        ),
        next_steps=_next_steps(report, auroc, leak=bool(leak)),
    )


def _verdict(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal) -> tuple[Status, str]:
    who = noun(first.name)
    subject = who.replace("the probe", "the transferred probe") if report.task == "transfer" else who
    subject = subject[:1].upper() + subject[1:]
    match claim(auroc, null=CHANCE):
        case Claim.REFUSED:
            return "undecided", f"Not judged: {_why(auroc)}"
        case Claim.NOT_SHOWN:
            return "undecided", f"{subject} is not shown to rank flips better than chance"
        case Claim.WORSE:
            return "sensitive", f"{subject} ranks flips worse than chance on these pairs"
        case Claim.BETTER:
            pass
    found = [(name, _auroc_claim(report, first, name)) for name in (CONFIDENCE, COMBINED) if name != first.name]
    named = {kind: [noun(name) for name, claimed in found if claimed is kind] for kind in Claim}
    if named[Claim.WORSE]:
        return "sensitive", f"{subject} ranks flips better than chance, but worse than {_or(named[Claim.WORSE])}"
    if named[Claim.NOT_SHOWN]:
        return (
            "described",
            f"{subject} ranks flips better than chance, but is not shown to be better than "
            f"{_or(named[Claim.NOT_SHOWN])}",
        )
    if named[Claim.BETTER]:
        status: Status = "described" if named[Claim.REFUSED] else "steady"
        return status, f"{subject} ranks flips better than chance, and better than {_and(named[Claim.BETTER])}"
    return "described", f"{subject} ranks flips better than chance"


def _why(estimate: Estimate | Refusal) -> str:
    """Why there is no figure."""
    return visible(estimate.reason, limit=300) if isinstance(estimate, Refusal) else "not a finite number"


def _auroc_claim(report: ProbeReport, first: PredictorResult, reference: str) -> Claim:
    return claim(difference(report, first.name, reference, Metric.AUROC), null=0.0)


def _or(names: list[str]) -> str:
    return " or ".join(names)


def _and(names: list[str]) -> str:
    return " and ".join(names)


def _lead(first: PredictorResult, auroc: Estimate | Refusal) -> str:
    who = noun(first.name)
    subject = who[:1].upper() + who[1:]
    if not is_shown(auroc):
        return f"AUROC of {who}: {DASH} ({_why(auroc)})."
    text = estimate_text(auroc, "score")
    match claim(auroc, null=CHANCE):
        case Claim.BETTER:
            return f"{subject} ranks a flip above a pair that keeps its preference with AUROC {text}; chance is 0.5."
        case Claim.WORSE:
            return f"{subject} ranks flips below pairs that keep their preference: AUROC {text}; chance is 0.5."
        case _:
            return f"AUROC of {who} is {text}, which does not rule out chance (0.5)."


def _scope(report: ProbeReport) -> str:
    flips = estimate_text(report.flip_rate)
    return (
        f"{retention_sentence(report)} Evaluated: {integer(report.pairs)} pairs in {integer(report.groups)} question "
        f"groups, flip rate {flips}."
    )


def retention_sentence(report: ProbeReport) -> str:
    """How many of the planned pairs can be used: ``Usable: 579 of 620 pairs (93.4 %).``."""
    kept = report.retention
    return f"Usable: {integer(kept.usable)} of {integer(kept.planned)} pairs ({percent(kept.rate)})."


def _transferred(report: ProbeReport) -> list[str]:
    if report.task != "transfer" or report.trained_on is None:
        return []
    spec, pairs = report.trained_on
    return [
        f"Fitted on {integer(pairs)} pairs of {visible(spec, limit=80)} and applied to "
        f"{visible(report.data, limit=80)} without fitting anything."
    ]


def _comparisons(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal) -> list[str]:
    """The probe against the judge's confidence and against the six features, on the same pairs and resamples."""
    if not is_shown(auroc):
        return []
    sentences = []
    for name in (CONFIDENCE, COMBINED):
        found = difference(report, first.name, name, Metric.AUROC)
        if found is None:
            continue
        said = {
            Claim.BETTER: "better",
            Claim.WORSE: "worse",
            Claim.NOT_SHOWN: "not shown to be better",
            Claim.REFUSED: "not compared",
        }[claim(found, null=0.0)]
        sentences.append(
            f"Against {noun(name)}, the AUROC of {noun(first.name)} differs by "
            f"{estimate_text(found, 'score difference')}: {said}."
        )
    return sentences


def _choice(first: PredictorResult, auroc: Estimate | Refusal) -> list[str]:
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


def _probabilities(report: ProbeReport, first: PredictorResult) -> list[str]:
    """Whether the predicted probabilities beat a constant, by the Brier score; lower is better."""
    found = difference(report, first.name, NO_SIGNAL, Metric.BRIER)
    if found is None or not is_shown(found):
        return []
    text = f"Brier score minus that of {noun(NO_SIGNAL)}: {estimate_text(found, 'score difference')}"
    match claim(found, null=0.0, less_is_better=True):
        case Claim.BETTER:
            return [f"As probabilities its predictions are better than a constant ({text}; lower is better)."]
        case Claim.WORSE:
            return [f"As probabilities its predictions are worse than a constant ({text}; lower is better)."]
        case _:
            return [f"As probabilities its predictions are not shown to be better than a constant ({text})."]


def _beyond(report: ProbeReport, first: PredictorResult) -> list[str]:
    """What activations add to the features, and where the main predictor differs from our others."""
    sentences = []
    added = difference(report, WITH_FEATURES, COMBINED, Metric.AUROC)
    if added is not None and is_shown(added):
        said = {Claim.BETTER: "activations add to them", Claim.WORSE: "activations take from them"}.get(
            claim(added, null=0.0), "activations are not shown to add to them"
        )
        sentences.append(
            f"Activations with the six features against the six alone: AUROC differs by "
            f"{estimate_text(added, 'score difference')}: {said}."
        )
    made = [
        (p, found)
        for p in report.predictors
        if p.kind is PredictorKind.BEYOND and is_shown(found := difference(report, first.name, p.name, Metric.AUROC))
    ]
    clear = [(p, e) for p, e in made if claim(e, null=0.0) in (Claim.BETTER, Claim.WORSE)]
    if made:
        told = "; ".join(f"minus {noun(p.name)} {estimate_text(e, 'score difference')}" for p, e in clear)
        rest = ", ".join(noun(p.name) for p, e in made if (p, e) not in clear)
        parts = (told, f"not shown to differ from {rest}" if rest else "")
        sentences.append(
            f"Beyond the paper, AUROC of {noun(first.name)}: {'; '.join(filter(None, parts))}. These intervals are not "
            "adjusted for their number."
        )
    return sentences


def _leak(report: ProbeReport) -> str:
    """A warning where the control ranks what cannot be ranked; empty else."""
    found = shuffles(report)
    if found is None or not found.leaks:
        return ""
    return (
        f"Warning: with shuffled labels the same procedure has a mean AUROC of {found.text}; chance is 0.5. Something "
        "leaks between the folds, or there are too few groups."
    )


def _control(report: ProbeReport) -> list[str]:
    control, found = shuffled(report), shuffles(report)
    if control is None:
        return ["The shuffled-label control was not run, so leakage was not looked for."]
    if found is None:
        return []
    against = "".join(f" {_sentence(visible(note, limit=200))}" for note in control.notes)
    return [f"With shuffled labels the same procedure has a mean AUROC of {found.text}: no more than chance.{against}"]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('.') else '.'}"


def _learning(report: ProbeReport, first: PredictorResult) -> list[str]:
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


def _lost(report: ProbeReport) -> list[str]:
    if not report.retention.lost:
        return []
    reasons = ", ".join(f"{integer(count)} ({visible(why, limit=120)})" for why, count in report.retention.lost)
    return [f"Not usable: {reasons}. Nothing is claimed of these pairs."]


def _next_steps(report: ProbeReport, auroc: Estimate | Refusal, *, leak: bool) -> tuple[str, ...]:
    steps = []
    if leak:
        steps.append(
            "Look for what the folds share: pairs of one question in several groups, duplicates, a feature that knows "
            "order BA. Fit again with another --seed; quote nothing before the control is at chance."
        )
    elif claim(auroc, null=CHANCE) is Claim.BETTER:
        steps.append(
            "To see what swapping only the riskiest pairs would save and miss, run evenhand triage on these "
            "predictions: an AUROC alone chooses no threshold."
        )
    else:
        steps.append("Collect more pairs, or swap every pair: nothing here says which pairs can be left unswapped.")
    if report.retention.planned and report.retention.rate < _LOW_RETENTION:
        steps.append(
            f"Only {percent(report.retention.rate)} of the pairs kept the format in both orders. Those that did may be "
            "easier: give the judge more tokens, or a prompt that it follows."
        )
    if find(report, CONFIDENCE) is None:
        steps.append("Ask for a confidence (the three-line prompt) to see whether the probe knows more than it says.")
    return tuple(steps)
