"""The probe report for machines, with a published schema."""

from __future__ import annotations

from evenhand.probes import LearningPoint, Metric, PredictorResult, ProbeReport, Selection
from evenhand.report.encode import Json, encode_estimate, encode_headline, finite
from evenhand.report.probes.encode import encode_retention, encode_subject
from evenhand.report.probes.view import build_probe_view, evenhand_version
from evenhand.report.schemas import check_document, shipped_schema
from evenhand.report.text import visible_json
from evenhand.stats import Estimate, Refusal, ReliabilityCurve

__all__ = ["PROBES_SCHEMA_VERSION", "probe_json", "probe_schema", "validate_probe_json"]

PROBES_SCHEMA_VERSION = 1
"""Version of this file's form. It grows by new keys; a key that changes its meaning raises the number."""


def probe_json(report: ProbeReport, *, command: str | None = None, created: str | None = None) -> Json:
    """Everything that the report holds, in an order of keys that never varies.

    A figure has either ``value`` (with ``interval``, ``n``, ``count``, ``clusters``, ``flags``) or ``refused`` with the
    reason. NaN and infinity never appear: a penalty where there is none is null. Characters that hide or redirect text
    appear as ``[U+…]``.
    """
    head = build_probe_view(report).headline
    tree = {
        "schema_version": PROBES_SCHEMA_VERSION,
        "evenhand_version": evenhand_version(),
        "created": created,
        "command": command,
        "task": report.task,
        "headline": {
            **encode_headline(head),
            "meaning": list(head.meaning),
            "next_steps": list(head.next_steps),
        },
        "subject": encode_subject(report.subject),
        "data": {"spec": report.data, "sha256": report.sha256, "pairs": report.pairs, "groups": report.groups},
        "trained_on": None
        if report.trained_on is None
        else {"spec": report.trained_on[0], "pairs": report.trained_on[1]},
        "retention": encode_retention(report.retention),
        "flip_rate": encode_estimate(report.flip_rate),
        "compliance": None if report.compliance is None else encode_estimate(report.compliance),
        "predictors": [_predictor(p) for p in report.predictors],
        "differences": [
            {
                "predictor": d.predictor,
                "reference": d.reference,
                "metric": d.metric.value,
                **encode_estimate(d.estimate),
            }
            for d in report.differences
        ],
        "learning_curve": [_learning(p) for p in report.learning_curve],
        "procedure": {
            "outer_folds": report.outer_folds,
            "inner_folds": report.inner_folds,
            "seed": report.seed,
            "resamples": report.resamples,
            "level": report.level,
        },
        "notes": list(report.notes),
        "seconds": [{"what": name, "seconds": finite(seconds)} for name, seconds in report.seconds],
    }
    return visible_json(tree)


def _predictor(predictor: PredictorResult) -> Json:
    return {
        "name": predictor.name,
        "kind": predictor.kind.value,
        "features": list(predictor.features),
        "selections": [_selection(selection) for selection in predictor.selections],
        "metrics": _metrics(predictor.metrics),
        "calibration": _calibration(predictor.calibration),
        "within_folds": None if predictor.within_folds is None else encode_estimate(predictor.within_folds),
        "shuffles": [finite(value) for value in predictor.shuffles],
        "permutation_p": finite(predictor.permutation_p),
        "notes": list(predictor.notes),
    }


def _selection(selection: Selection) -> Json:
    return {
        "fold": selection.fold,
        "candidate": selection.candidate,
        "l2": finite(selection.l2),
        "validation_brier": finite(selection.validation_brier),
    }


def _metrics(metrics: tuple[tuple[Metric, Estimate | Refusal], ...]) -> Json:
    return {metric.value: encode_estimate(estimate) for metric, estimate in metrics}


def _calibration(curve: ReliabilityCurve | Refusal) -> Json:
    if isinstance(curve, Refusal):
        return encode_estimate(curve)
    return {
        "expected_calibration_error": finite(curve.expected_calibration_error),
        "strategy": curve.strategy,
        "n": curve.n,
        "bins": [
            {"low": b.low, "high": b.high, "mean_probability": b.mean_probability, "rate": b.rate, "n": b.n}
            for b in curve.bins
        ],
    }


def _learning(point: LearningPoint) -> Json:
    return {"predictor": point.predictor, "pairs": finite(point.pairs), "metrics": _metrics(point.metrics)}


def probe_schema() -> Json:
    """The JSON Schema (Draft 2020-12) of ``probes.json``, as shipped."""
    return shipped_schema("evenhand.report.probes", "probes.schema.json")


def validate_probe_json(document: object) -> None:
    """Check a document against the schema.

    Raises
    ------
    DataError
        With the path of the first offending field, and what is wrong, in one line.
    """
    check_document(document, probe_schema(), what="probe report", schema_file="probes.schema.json")
