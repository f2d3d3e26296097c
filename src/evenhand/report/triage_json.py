"""A triage as JSON, with a published schema: every figure with its interval or its refusal."""

from __future__ import annotations

from typing import Final

from evenhand.probes.triage_budget import BudgetPoint
from evenhand.probes.triage_chance import AgainstChance
from evenhand.probes.triage_guarantee import Guarantee
from evenhand.probes.triage_leaderboard import AuthorRow, LeaderboardError
from evenhand.probes.triage_report import TriageReport
from evenhand.probes.triage_time import NetTime
from evenhand.report.encode import Json, encode_estimate, encode_headline
from evenhand.report.probes.encode import encode_retention, encode_subject
from evenhand.report.probes.view import evenhand_version
from evenhand.report.schemas import check_document, shipped_schema
from evenhand.report.text import visible_json
from evenhand.report.triage_view import build_triage_view
from evenhand.stats import Estimate, Refusal
from evenhand.store.codec import encode

__all__ = ["TRIAGE_SCHEMA_VERSION", "triage_json", "triage_schema", "validate_triage_json"]

TRIAGE_SCHEMA_VERSION: Final = 1
"""Version of this file's form. It grows by new keys; a key that changes its meaning raises the number."""
_SCHEMA_FILE = "triage.schema.json"


def triage_json(report: TriageReport, *, command: str | None = None, created: str | None = None) -> Json:
    """Everything that the report holds, as plain JSON values without control characters."""
    times = report.times
    headline = build_triage_view(report).headline
    tree: Json = {
        "schema_version": TRIAGE_SCHEMA_VERSION,
        "evenhand_version": evenhand_version(),
        "command": command,
        "created": created,
        "headline": {"status": headline.status, **encode_headline(headline)},
        "subject": encode_subject(report.subject),
        "data": {"spec": report.data, "sha256": report.sha256},
        "pairs": report.pairs,
        "groups": report.groups,
        "flips": report.flips,
        "largest_group": report.largest_group,
        "retention": encode_retention(report.retention),
        "question": encode(report.question),
        "scores": encode(report.scores),
        "budgets": [_budget(point) for point in report.budgets],
        "guarantees": [
            {"score": name, **(encode_estimate(found) if isinstance(found, Refusal) else {"levels": _levels(found)})}
            for name, found in report.guarantees
        ],
        "leaderboard": [_board(each) for each in report.leaderboard],
        "closely": report.closely,
        "authors": [_author(row) for row in report.authors],
        "times": encode_estimate(times) if isinstance(times, Refusal) else [_time(each) for each in times],
        "policy": encode(report.policy),
        "policy_swaps": report.policy_swaps,
        "flips_unranked": report.unranked,
        "pair_compliance": report.led,
        "notes": list(report.notes),
    }
    return visible_json(tree)


def triage_schema() -> Json:
    """The JSON Schema (Draft 2020-12) of ``triage.json``, as shipped."""
    return shipped_schema("evenhand.report", _SCHEMA_FILE)


def validate_triage_json(document: object) -> None:
    """Check a document against the schema.

    Raises
    ------
    DataError
        With the path of the first offending field, and what is wrong, in one line.
    """
    check_document(document, triage_schema(), what="triage", schema_file=_SCHEMA_FILE)


def _optional(figure: Estimate | Refusal | None) -> Json | None:
    return None if figure is None else encode_estimate(figure)


def _budget(point: BudgetPoint) -> Json:
    return {
        "score": point.score,
        "budget": point.budget,
        "swapped": point.swapped,
        "judgments_saved": point.saved,
        "missed": encode_estimate(point.missed),
        "against_random": _optional(point.against_random),
        "against_confidence": _optional(point.against_confidence),
    }


def _levels(found: tuple[Guarantee, ...]) -> list[Json]:
    return [
        {
            "alpha": each.alpha,
            "delta": each.delta,
            "exact": each.proved,
            "guarantee": each.text,
            "first_split": {
                "calibration": encode(each.first),
                "missed": encode_estimate(each.missed),
                "swapped": each.swapped,
            },
            "splits": each.splits,
            "mean_missed": each.mean_missed,
            "mean_swapped": each.mean_swapped,
            "judgments_saved": (1 - each.mean_swapped) / 2,
            "splits_above": each.above,
            "splits_infeasible": each.infeasible,
            "swapped_against_chance": _against_chance(each.against_chance),
        }
        for each in found
    ]


def _against_chance(found: AgainstChance | Refusal | None) -> Json | None:
    if found is None:
        return None
    if isinstance(found, Refusal):
        return encode_estimate(found)
    return {"mean": found.mean, "low": found.low, "high": found.high, "fewer": found.fewer, "level": found.level}


def _board(each: LeaderboardError) -> Json:
    return {
        "policy": each.policy,
        "swapped": each.swapped,
        "largest_error": encode_estimate(each.largest_error),
        "mean_error": encode_estimate(each.mean_error),
        "kendall_tau": encode_estimate(each.kendall),
        "win_rate_a": encode_estimate(each.win_rate_a),
        "accuracy": encode_estimate(each.accuracy),
    }


def _author(row: AuthorRow) -> Json:
    return {
        "author": row.author,
        "pairs": row.pairs,
        "both_orders": row.full,
        "policy": row.policy,
        "order_ab": row.order_ab,
        "error": encode_estimate(row.error),
    }


def _time(each: NetTime) -> Json:
    return {
        "policy": each.policy,
        "both_orders_seconds": each.both_orders,
        "judging_seconds": each.judging,
        "overhead_seconds": encode(each.overhead),
        "judging_saved": encode_estimate(each.judging_saved),
        "net_saved": encode_estimate(each.saved),
        "measured_without_extraction": each.plain,
        "judgments_saved": each.judgments_saved,
        "saved_by_chance": each.chance_saved,
    }
