"""A run beside people as JSON: the key ``humans`` of ``audit.json``."""

from __future__ import annotations

from dataclasses import asdict

from evenhand.audits.humans.beside import JudgedScope, RunBesidePeople
from evenhand.audits.humans.by_flip import FlipSplit
from evenhand.report.encode import Json, encode_estimate

__all__ = ["encode_humans"]


def encode_humans(made: RunBesidePeople | None) -> Json | None:
    """Everything that the labels show; None where the run has none, and ``unread`` says why where they can't be read.

    Annotators are counted, not named: who agrees with whom is in the study beside the report.
    """
    if made is None:
        return None
    return {
        "labels": None if made.source is None else asdict(made.source),
        "unread": made.unread or None,
        "asked": made.asked,
        "intervals": {
            "level": made.level,
            "resamples": made.resamples,
            "resampled_by": made.resampled_by,
            "seed": made.seed,
        },
        "scopes": [_scope(scope) for scope in made.scopes],
    }


def _scope(scope: JudgedScope) -> Json:
    verdict, people = scope.verdict, scope.people
    return {
        "condition": scope.condition,
        "readout": scope.readout.value,
        "verdict": verdict.first,
        "pairs": verdict.pairs,
        "without_verdict": scope.judge.without_verdict,
        "unlabelled": scope.judge.unlabelled,
        "agreement": encode_estimate(verdict.rate),
        "agreement_decided": encode_estimate(verdict.decided),
        "kappa": encode_estimate(verdict.kappa),
        "judge_minus_person": encode_estimate(scope.judge.gap),
        "people": {
            "annotators": people.agreement.annotators,
            "labelled": people.labelled,
            "several": people.several,
            "one_person": encode_estimate(people.agreement.ceiling),
            "two_people": encode_estimate(people.raw),
            "alpha": encode_estimate(people.agreement.alpha),
        },
        "by_flip": None if scope.by_flip is None else _split(scope.by_flip),
    }


def _split(split: FlipSplit) -> Json:
    return {
        "flips": split.flips,
        "steady": split.steady,
        "neither": split.neither,
        "two_people_on_flips": encode_estimate(split.people_on_flips),
        "two_people_on_steady": encode_estimate(split.people_on_steady),
        "difference": encode_estimate(split.difference),
        "judge_on_steady": encode_estimate(split.judge_on_steady),
    }
