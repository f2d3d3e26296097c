"""The whole result for machines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from evenhand.analysis import AuditResult
from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.records import RunManifest
from evenhand.report.encode import Json, encode_claim, encode_finding, encode_headline
from evenhand.report.encode_displays import encode_display
from evenhand.report.encode_humans import encode_humans
from evenhand.report.model import Answers, Headline
from evenhand.report.pair_example import PairExample
from evenhand.report.text import visible_json
from evenhand.store import PlanCounts

__all__ = ["REPORT_SCHEMA_VERSION", "audit_json"]

REPORT_SCHEMA_VERSION = 1
"""Version of this file's form. It grows by new keys; a key that changes its meaning raises the number."""


def audit_json(
    manifest: RunManifest,
    audit: AuditResult,
    *,
    counts: PlanCounts,
    answers: Answers | None = None,
    biases: AuditResult | None = None,
    headline: Headline | None = None,
    pairs: Sequence[PairExample] = (),
    humans: RunBesidePeople | None = None,
) -> Json:
    """Manifest, counts and every finding, in an order of keys that never varies.

    ``headline`` is what the report says first, ``pairs`` those worth reading, without their texts: the run holds those.
    Findings of bias audits stand apart, under ``biases``: the others are of pairs as they are. ``humans`` is what
    people make of the run; None where it has no labels.

    A measure has either ``value`` (with ``interval``, ``n``, ``count``, ``clusters``, ``flags``) or ``refused`` with
    the reason. NaN and infinity never appear. Characters that hide or redirect text appear as ``[U+…]``.
    """
    tree = {
        "schema_version": REPORT_SCHEMA_VERSION,
        "audit": audit.audit,
        "manifest": _manifest(manifest),
        "counts": {
            "planned": counts.planned,
            "finished": counts.finished,
            "errors": counts.errors,
            "pending": counts.pending,
        },
        "headline": None if headline is None else _headline(headline),
        "intervals": {
            "level": audit.level,
            "resamples": audit.resamples,
            "resampled_by": audit.resampled_by,
            "seed": audit.seed,
        },
        "findings": [encode_finding(finding) for finding in audit.findings],
        "notes": list(audit.notes),
        "displays": [encode_display(display) for display in audit.displays],
        "answers": None
        if answers is None
        else {
            "answered": answers.answered,
            "notes": [{"text": text, "count": count} for text, count in answers.notes],
            "served": [{"text": text, "count": count} for text, count in answers.served],
        },
        "biases": None
        if biases is None
        else {"findings": [encode_finding(finding) for finding in biases.findings], "notes": list(biases.notes)},
        "humans": encode_humans(humans),
        "pairs": [_pair(pair) for pair in pairs],
    }
    return visible_json(tree)


def _manifest(manifest: RunManifest) -> Json:
    return {
        **asdict(manifest),
        "prompts": dict(manifest.prompts),
        "versions": dict(manifest.versions),
        "label_tokens": {condition: [asdict(token) for token in tokens] for condition, tokens in manifest.label_tokens},
        "excluded": [{"what": what, "why": why} for what, why in manifest.excluded],
    }


def _headline(headline: Headline) -> Json:
    return {
        "status": headline.status,
        **encode_headline(headline),
        "trust": [encode_claim(claim) for claim in headline.trust],
        "doubt": [encode_claim(claim) for claim in headline.doubt],
    }


def _pair(pair: PairExample) -> Json:
    return {
        "pair_id": pair.pair_id,
        "condition": pair.condition,
        "why": pair.why,
        "readout": pair.readout,
        "gold": pair.gold,
        "verdicts": [{"readout": each.readout, "AB": each.ab, "BA": each.ba} for each in pair.verdicts],
    }
