"""How the figures of a probe report were made, in sentences fit for a paper."""

from __future__ import annotations

from evenhand.probes import PredictorKind, ProbeReport
from evenhand.report.format import integer
from evenhand.report.probes.roles import shuffled

__all__ = ["methods_note"]

_TRANSFER = (
    "Transfer: layer and λ were chosen on the first set by grouped cross-validation, the predictors refitted on all "
    "of it, and frozen with their standardisation. Nothing was fitted on the evaluated pairs, not even a mean.",
)
_SOURCE = "The procedure is that of “Will the Judge Flip?” (2026)."


def methods_note(report: ProbeReport) -> tuple[str, ...]:
    """What was predicted, how, and what the intervals mean; a sentence or two each."""
    kinds = {p.kind for p in report.predictors}
    return (
        "A pair flips when the preferences in orders AB and BA, mapped to the responses’ identities, differ. Every "
        "feature comes from order AB alone.",
        *(_fit(report) if report.task == "fit" else _TRANSFER),
        "Candidates are standardised with the mean and deviation of the training pairs. Logistic regressions minimise "
        "mean log loss + λ/2 · |weights|² by deterministic L-BFGS, the intercept unpenalised.",
        *(
            ["Predictors under “beyond the paper” are Evenhand’s own, by the same folds and the same selection."]
            if PredictorKind.BEYOND in kinds
            else []
        ),
        "AUROC is the chance that a flip gets a higher prediction than a pair that keeps its preference, ties half; "
        "the choice-matched AUROC compares only pairs with the same choice in AB. AUPRC is average precision. The "
        "Brier score is the mean squared distance of prediction and outcome.",
        f"Intervals are percentile intervals at {report.level * 100:g} % of {integer(report.resamples)} bootstrap "
        f"resamples of question groups (seed {report.seed}), the predictions held fixed; differences use the same "
        "resamples for both predictors. They say how far the figures may move with other questions, not with another "
        "fit, prompt or model.",
        "AUROC, choice-matched AUROC and AUPRC are refused where the flip rate is below 5 % or above 95 %, and of a "
        "predictor that gives all pairs of a fold the same probability.",
        *(
            [
                "The control repeats the probe’s whole procedure with the flips dealt anew to the pairs, those of a "
                "group together: it shows what nothing looks like, as a mean over shuffles without an interval."
            ]
            if shuffled(report) is not None
            else []
        ),
        "Association, not cause: that a flip can be read off an activation doesn’t say that the activation causes it.",
        _SOURCE,
    )


def _fit(report: ProbeReport) -> tuple[str, ...]:
    return (
        f"Nested cross-validation: {integer(report.outer_folds)} outer and {integer(report.inner_folds)} inner folds "
        "of whole question groups, the same for all predictors. Layer and λ are chosen by the validation Brier score "
        "of the inner folds; each pair has one prediction, by a model that never saw its question.",
    )
