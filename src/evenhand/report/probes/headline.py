"""What a probe report says first: sentences that each carry the figure and the interval that they rest on."""

from __future__ import annotations

from collections.abc import Iterator

from evenhand.probes import Metric, PredictorResult, ProbeReport
from evenhand.report.format import DASH, estimate_text, integer, is_shown, percent
from evenhand.report.model import Headline, Status
from evenhand.report.numbering import claims
from evenhand.report.probes.roles import (
    CHANCE,
    COMBINED,
    CONFIDENCE,
    Claim,
    claim,
    find,
    main,
    noun,
    predicts,
    saved,
    written,
)
from evenhand.report.probes.sentences import (
    auroc_claim,
    beyond,
    choice_matched,
    comparisons,
    compliance_sentence,
    fixed_fits,
    leak_warning,
    learning_curve,
    lost_pairs,
    no_probe,
    others_better,
    probabilities,
    ranking,
    retention_sentence,
    shuffled_control,
    transferred,
    why,
)
from evenhand.stats import Estimate, Refusal

__all__ = ["build_headline"]

_SUMMARY, _DIFFERENCES, _RETENTION = "table-summary", "table-differences", "table-retention"
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
    leak = leak_warning(report)
    if first is None:
        return Headline(
            status="undecided",
            verdict="No predictor was evaluated",
            lead=_scope(report),
            rests_on=(_RETENTION,),
            steps=claims(["Collect pairs with activations (evenhand probe collect), then fit again."], _RETENTION),
        )
    auroc = dict(first.metrics).get(Metric.AUROC)
    status, verdict = _verdict(report, first, auroc)
    if leak:
        status, verdict = "failed", "Take no figure here for real: shuffled labels can be “predicted” too"
    return Headline(
        status=status,
        verdict=verdict,
        lead=f"{_lead(first, auroc, task=report.task)} {_scope(report)}",
        rests_on=(_SUMMARY,),
        more=(
            *claims([leak, *no_probe(report, first)], _SUMMARY),
            *claims(transferred(report), "reproduce"),
            *claims(comparisons(report, first, auroc), _DIFFERENCES),
            *claims(fixed_fits(report, auroc), "methods"),
            *claims([*others_better(report, first, auroc), *choice_matched(first, auroc)], _SUMMARY),
            *claims(probabilities(report, first), "table-no-signal"),
            *claims(beyond(report, first), _DIFFERENCES),
            *claims([] if leak else shuffled_control(report), _SUMMARY),
            *claims(learning_curve(report, first), "table-learning"),
            *claims(lost_pairs(report), _RETENTION),
        ),
        steps=(
            *claims([_first_step(report, first, auroc, leak=bool(leak))], _SUMMARY),
            *claims(_low_retention(report), _RETENTION),
            *claims(_no_confidence(report, auroc), _SUMMARY),
        ),
    )


def _verdict(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal | None) -> tuple[Status, str]:
    who = noun(first.name)
    subject = who.replace("the probe", "the transferred probe") if report.task == "transfer" else who
    subject = subject[:1].upper() + subject[1:]
    match claim(auroc, null=CHANCE):
        case Claim.REFUSED:
            return "undecided", f"Not judged: {why(auroc)}"
        case Claim.NOT_SHOWN:
            return "undecided", f"{subject} is not shown to rank flips better than chance"
        case Claim.WORSE if report.task == "fit":  # what pooling folds does to a predictor that knows little
            return "undecided", f"{subject} is not shown to rank flips better than chance"
        case Claim.WORSE:
            return "sensitive", f"{subject} ranks flips worse than chance on these pairs"
        case Claim.BETTER:
            pass
    found = [(name, auroc_claim(report, first, name)) for name in (CONFIDENCE, COMBINED) if name != first.name]
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


def _or(names: list[str]) -> str:
    return " or ".join(names)


def _and(names: list[str]) -> str:
    return " and ".join(names)


def _lead(first: PredictorResult, auroc: Estimate | Refusal | None, *, task: str) -> str:
    who = noun(first.name)
    subject = who[:1].upper() + who[1:]
    if not is_shown(auroc):
        return f"AUROC of {who}: {DASH} ({why(auroc)})."
    text = estimate_text(auroc, "score")
    match claim(auroc, null=CHANCE):
        case Claim.BETTER:
            return f"{subject} ranks a flip above a pair that keeps its preference with AUROC {text}; chance is 0.5."
        case Claim.WORSE if task == "fit":
            return (
                f"AUROC of {who} is {text}: below chance (0.5), as those are that know little when the predictions of "
                "several folds are ranked together."
            )
        case Claim.WORSE:
            return f"{subject} ranks flips below pairs that keep their preference: AUROC {text}; chance is 0.5."
        case _:
            return f"AUROC of {who} is {text}, which does not rule out chance (0.5)."


def _scope(report: ProbeReport) -> str:
    flips = estimate_text(report.flip_rate)
    parts = (
        retention_sentence(report),
        f"Evaluated: {integer(report.pairs)} pairs in {integer(report.groups)} question groups, flip rate {flips}.",
        compliance_sentence(report),
    )
    return " ".join(filter(None, parts))


def _first_step(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal | None, *, leak: bool) -> str:
    if leak:
        return (
            "Look for what the folds share: pairs of one question in several groups, duplicates, a feature that knows "
            "order BA. Fit again with another --seed; quote nothing before the control is at chance."
        )
    if (other := _instead(report, first, auroc)) is not None:
        return _use_other(report, first, other)
    if claim(auroc, null=CHANCE) is Claim.BETTER:
        return (
            "To see what swapping only the riskiest pairs would save and miss, run evenhand triage on these "
            "predictions: an AUROC alone chooses no threshold."
        )
    return "Collect more pairs, or swap every pair: nothing here says which pairs can be left unswapped."


def _low_retention(report: ProbeReport) -> Iterator[str]:
    if report.retention.planned and report.retention.rate < _LOW_RETENTION:
        kept = "kept the format" if written(report.subject.readout) else "gave a verdict"
        yield (
            f"Only {percent(report.retention.rate)} of the pairs {kept} in both orders. Those that did may be "
            "easier: give the judge more tokens, or a prompt that it follows."
        )


def _no_confidence(report: ProbeReport, auroc: Estimate | Refusal | None) -> Iterator[str]:
    confidence = find(report, CONFIDENCE)
    if confidence is not None and not predicts(confidence) and claim(auroc, null=CHANCE) is Claim.BETTER:
        yield (
            "Collect with the three-line prompt too: whether the probe knows more than the judge’s stated confidence "
            "can’t be told without one."
        )


def _instead(report: ProbeReport, first: PredictorResult, auroc: Estimate | Refusal | None) -> PredictorResult | None:
    """The predictor to use in place of the main one: the highest AUROC of those that can be saved; None for none.

    Only where the main one is not better than chance, or worse than that other by their paired difference.
    """
    chosen = [p for p in ranking(report, without=first) if saved(p)]
    if claim(auroc, null=CHANCE) is Claim.BETTER:
        chosen = [p for p in chosen if auroc_claim(report, first, p.name) is Claim.WORSE]
    return max(chosen, key=_auroc_value, default=None)


def _auroc_value(predictor: PredictorResult) -> float:
    auroc = dict(predictor.metrics).get(Metric.AUROC)
    return auroc.value if isinstance(auroc, Estimate) else 0.0


def _use_other(report: ProbeReport, first: PredictorResult, other: PredictorResult) -> str:
    text = estimate_text(dict(other.metrics)[Metric.AUROC], "score")
    saves = "beside this report" if report.task == "fit" else "by evenhand probe fit on the training set"
    several = len(ranking(report, without=first)) > 1
    picked = " It is the highest of several here, so expect less on new pairs." if several else ""
    return (
        f"To choose which pairs to swap, use {noun(other.name)} (AUROC {text}), saved as {saved(other)} {saves}, not "
        f"{noun(first.name)}: evenhand triage shows what swapping only the riskiest would save and miss.{picked}"
    )
