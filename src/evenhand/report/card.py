"""The disclosure card: what a paper must say of a judge, as JSON with a published schema and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from evenhand.analysis import AuditResult, Finding
from evenhand.audits.humans.beside import RunBesidePeople
from evenhand.records import Condition, Outcome, RunManifest, SwapRecord
from evenhand.report.card_biases import card_biases
from evenhand.report.card_humans import card_humans
from evenhand.report.card_text import JUDGED_ALONE, card_markdown
from evenhand.report.encode import Json, encode_estimate
from evenhand.report.methods import interval_methods, resampled
from evenhand.report.model import Answers
from evenhand.report.schemas import check_document, shipped_schema
from evenhand.report.scope import Scope, compliance_of, excluded_by_reason, of_controls, scopes_of
from evenhand.report.text import visible_json
from evenhand.stats import Estimate, Refusal
from evenhand.store import PlanCounts

__all__ = ["CARD_SCHEMA_VERSION", "build_card", "card_markdown", "card_schema", "validate_card"]

CARD_SCHEMA_VERSION = 1
_SHA256 = re.compile(r"[0-9a-f]{64}")  # a log may say "not recorded" where a hash would stand
UNKNOWN: Mapping[str, str] = {"unknown": "the log does not say"}
NOTHING_ANSWERED = "nothing answered yet"
NOT_READ = "no answer of this condition was read this way"
SINGLE_ORDER = "single order: each pair was judged in one order only"
_LIVE_UNKNOWN: Mapping[str, str] = {"unknown": "the judge does not tell"}


def build_card(
    manifest: RunManifest,
    audit: AuditResult,
    *,
    counts: PlanCounts,
    answers: Answers | None = None,
    biases: AuditResult | None = None,
    humans: RunBesidePeople | None = None,
) -> Json:
    """Fill the card; what isn't known is an object that says so, never an absent field.

    Parameters
    ----------
    biases
        What bias audits found; None where the run has none. Conditions that change pairs are not among the card's
        conditions: each is under the bias audit that it belongs to.
    humans
        What people make of the run; None where it has no labels.

    Returns
    -------
    dict
        JSON-able, keys in a fixed order, free of NaN, infinity and hidden characters. Not validated here:
        see :func:`validate_card`.
    """
    unknown: Json = dict(UNKNOWN if manifest.kind == "log" else _LIVE_UNKNOWN)
    sampling = manifest.sampling
    scopes = scopes_of(audit)
    methods = interval_methods(audit)
    card = {
        "schema_version": CARD_SCHEMA_VERSION,
        "evenhand_version": _evenhand_version(manifest),
        "created": manifest.created or unknown,
        "kind": manifest.kind,
        "orders": manifest.orders,
        "judge": {
            "spec": manifest.judge.spec,
            "model": manifest.judge.model,
            "revision": manifest.judge.revision or unknown,
            "engine": manifest.judge.engine or unknown,
            "settings": dict(manifest.judge.settings),
            "served": [] if answers is None else [{"text": text, "count": n} for text, n in answers.served],
        },
        "data": {
            "spec": manifest.data.spec,
            "pairs": manifest.data.pairs,
            "sha256": manifest.data.sha256,
            "limit": manifest.limit,
        },
        "excluded": [
            {"why": why, "count": len(what), "what": list(what)} for why, what in excluded_by_reason(manifest)
        ],
        "readouts": list(manifest.readouts),
        "generated_fraction": manifest.generated_fraction,
        "swap": _swap(manifest.swap),
        "decoding": unknown
        if sampling is None
        else {
            "temperature": sampling.temperature,
            "greedy": sampling.temperature == 0,
            "budgets": list(sampling.budgets),
        },
        "presentations": {
            "planned": counts.planned,
            "finished": counts.finished,
            "errors": counts.errors,
            "pending": counts.pending,
        },
        "conditions": [
            _condition(manifest, audit, condition, scopes, unknown) for condition in of_controls(manifest).conditions
        ],
        "biases": card_biases(manifest, biases),
        "humans": card_humans(humans),
        "variants": None if manifest.variants is None else asdict(manifest.variants),
        "intervals": {
            "level": audit.level,
            "methods": list(methods),
            "resamples": audit.resamples if resampled(methods) else None,
            "resampled_by": audit.resampled_by,
            "seed": audit.seed,
        },
        "seed": manifest.seed,
        "versions": dict(manifest.versions),
        "command": manifest.command or unknown,
        "notes": list(audit.notes) if audit.findings else [],
    }
    return visible_json(card)


def _evenhand_version(manifest: RunManifest) -> str:
    recorded = dict(manifest.versions).get("evenhand")
    if recorded:
        return recorded
    try:
        return version("evenhand")
    except PackageNotFoundError:
        return "not installed as a package"


def _condition(
    manifest: RunManifest, audit: AuditResult, condition: Condition, scopes: tuple[Scope, ...], unknown: Json
) -> Json:
    tokens = dict(manifest.label_tokens).get(condition.id)
    own = {scope.readout.value: scope for scope in scopes if scope.condition == condition.id}
    silent = NOT_READ if own else NOTHING_ANSWERED
    return {
        "id": condition.id,
        "prompt": {
            "name": condition.prompt or unknown,
            "sha256": condition.prompt_hash if _SHA256.fullmatch(condition.prompt_hash) else unknown,
        },
        "labels": {
            "first": condition.labels.first,
            "second": condition.labels.second,
            "tie": condition.labels.tie,
            "tokens": unknown
            if tokens is None
            else [{"label": t.label, "variant": t.variant, "token_id": t.token_id} for t in tokens],
        },
        "prefill": condition.prefill,
        "design": dict(condition.design),
        "compliance": {
            "pairs": _estimate(None, _no_orders(manifest))
            if manifest.orders == "single"
            else _estimate(
                compliance_of(audit, condition.id), "pair compliance was not measured" if own else NOTHING_ANSWERED
            ),
            "presentations": _estimate(
                compliance_of(audit, condition.id, name="compliance_presentations"),
                "compliance was not measured" if own else NOTHING_ANSWERED,
            ),
        },
        "readouts": [
            _readout(own[name], manifest) if name in own else _unread(name, silent)
            for name in dict.fromkeys((*manifest.readouts, *own))
        ],
    }


def _no_orders(manifest: RunManifest) -> str:
    """Why a run without both orders has no position figure."""
    return SINGLE_ORDER if manifest.slots_seen else JUDGED_ALONE


def _unread(readout: str, why: str) -> Json:
    """A readout of the run without one answered presentation: its counts are 0, its figures say why there are none."""
    return {
        "readout": readout,
        "pairs": 0,
        "outcomes": {outcome.value: 0 for outcome in Outcome},
        "flip_rate": _estimate(None, why),
        "repeat_flip_rate": _estimate(None, why),
        "prediction_powered": None,
        "selective": None,
        "notes": [],
    }


def _readout(scope: Scope, manifest: RunManifest) -> Json:
    if manifest.orders == "single":
        flips = repeat = _estimate(None, _no_orders(manifest))
    else:
        flips = _estimate(scope.flips, "the audit has no flip rate for this readout")
        repeat = _estimate(scope.repeat_flips, "noise was not measured: no repeated-AB control")
    return {
        "readout": scope.readout.value,
        "pairs": scope.finding.pairs,
        "outcomes": _outcomes(scope.finding, slots_seen=manifest.slots_seen),
        "flip_rate": flips,
        "repeat_flip_rate": repeat,
        "prediction_powered": _powered(scope.estimated) if scope.estimated is not None and scope.sampled else None,
        "selective": _selective(scope.estimated) if scope.estimated is not None and scope.selective else None,
        "notes": list(scope.finding.notes),
    }


def _outcomes(finding: Finding, *, slots_seen: bool) -> Json:
    """How presentations ended; of slots only where there were any."""
    counts = dict.fromkeys((outcome.value for outcome in Outcome), 0)
    for count in finding.outcomes:
        counts[count.outcome.value] += count.count
    if slots_seen:
        return dict(counts)
    slots = (Outcome.FIRST.value, Outcome.SECOND.value)
    refused = {slot: _estimate(None, JUDGED_ALONE) for slot in slots}
    return {**counts, **refused, "preferred": sum(counts[slot] for slot in slots)}


def _powered(finding: Finding) -> Json:
    """What was estimated for all pairs: the text of so many of them, and each figure beside the sample's own."""
    table = dict(finding.table)
    return {
        "pairs": table.get("pairs", finding.pairs),
        "pairs_generated": table.get("pairs generated for", 0),
        "figures": {measure.name: encode_estimate(measure.estimate) for measure in finding.measures},
    }


def _swap(swap: SwapRecord | None) -> Json | None:
    """How the pairs to ask in order BA were chosen; None where all are."""
    return None if swap is None else asdict(swap)


def _selective(finding: Finding) -> Json:
    """What was estimated for all pairs: order BA of so many of them, and each figure with and without the risks."""
    table = dict(finding.table)
    return {
        "pairs": table.get("pairs", finding.pairs),
        "pairs_swapped": table.get("pairs swapped", 0),
        "judgments_asked": table.get("judgments asked", finding.presentations),
        "figures": {measure.name: encode_estimate(measure.estimate) for measure in finding.measures},
        "notes": list(finding.notes),
    }


def _estimate(estimate: Estimate | Refusal | None, absent: str) -> Json:
    return {"refused": absent, "n": 0} if estimate is None else encode_estimate(estimate)


def card_schema() -> Json:
    """The card's JSON Schema (Draft 2020-12), as shipped."""
    return shipped_schema("evenhand.report", "card.schema.json")


def validate_card(card: object) -> None:
    """Check a card against its schema.

    Raises
    ------
    DataError
        With the path of the first offending field, and what is wrong, in one line. NaN and infinity are refused
        wherever they stand.
    """
    check_document(card, card_schema(), what="disclosure card", schema_file="card.schema.json")
