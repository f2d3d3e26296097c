"""The card's human labels: how many of whose, and how the judge stands beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evenhand.audits.humans.beside import JudgedScope, RunBesidePeople
from evenhand.report.encode import Json, encode_estimate
from evenhand.report.format import estimate_text, how_many, integer
from evenhand.report.text import markdown_text
from evenhand.stats import Estimate, Interval, Refusal

__all__ = ["card_humans", "human_lines", "human_rows"]

_Node = Mapping[str, Any]


def card_humans(made: RunBesidePeople | None) -> Json | None:
    """What a card says of human labels; None where the run has none, an ``unknown`` where they can't be read.

    Annotators are counted, not named: a card is made to be published.
    """
    if made is None:
        return None
    if made.source is None:
        return {"unknown": made.unread}
    source = made.source
    return {
        "labels": source.labels,
        "pairs": max((scope.people.labelled for scope in made.scopes), default=0),
        "annotators": source.annotators,
        "blind": source.blind and not source.after_results,
        "sha256": source.sha256,
        "findings": [_finding(scope) for scope in made.scopes],
    }


def _finding(scope: JudgedScope) -> Json:
    return {
        "condition": scope.condition,
        "readout": scope.readout.value,
        "pairs": scope.verdict.pairs,
        "without_verdict": scope.judge.without_verdict,
        "unlabelled": scope.judge.unlabelled,
        "agreement": encode_estimate(scope.verdict.rate),
        "one_person": encode_estimate(scope.people.agreement.ceiling),
        "judge_minus_person": encode_estimate(scope.judge.gap),
    }


def human_rows(card: _Node, *, figures: bool) -> list[tuple[str, str]]:
    """(name, text) of a card's human labels; none for a card without any, or made before they were on it."""
    humans = card.get("humans")
    if humans is None:
        return []
    if "unknown" in humans:
        return [("human labels", f"can't be read: {humans['unknown']}")]
    blind = "given blind" if humans["blind"] else "not known to be blind"
    rows = [
        (
            "human labels",
            f"{integer(humans['labels'])} of {integer(humans['pairs'])} pairs, by "
            f"{how_many(humans['annotators'], 'annotator')}, {blind}; sha256:{humans['sha256']}",
        )
    ]
    for found in humans["findings"] if figures else ():
        agreement, gap = _figure(found["agreement"], "share"), _figure(found["judge_minus_person"], "difference")
        name = f"judge and humans: {found['condition']}, {found['readout']}"
        rows.append((name, f"agreement {agreement}; judge − person {gap}"))
    return rows


def human_lines(card: _Node) -> list[str]:
    """A Markdown table with a row for each condition and readout."""
    humans = card.get("humans")
    if humans is None or not humans.get("findings"):
        return []
    names = ("condition", "readout", "agreement with people", "one person", "judge − person", "pairs")
    rows = [
        (
            found["condition"],
            found["readout"],
            _figure(found["agreement"], "share"),
            _figure(found["one_person"], "share"),
            _figure(found["judge_minus_person"], "difference"),
            integer(found["pairs"]),
        )
        for found in humans["findings"]
    ]
    return [
        "Judge and humans: agreement with most annotators, and judge and person beside the same other people.",
        "",
        f"| {' | '.join(names)} |",
        "|---|---|---|---|---|---:|",
        *(f"| {' | '.join(markdown_text(text, limit=400) for text in row)} |" for row in rows),
        "",
    ]


def _figure(figure: _Node, unit: str) -> str:
    if "refused" in figure:
        return estimate_text(Refusal(reason=figure["refused"], n=figure["n"]))
    bounds = figure["interval"]
    interval = None if bounds is None else Interval(low=bounds["low"], high=bounds["high"])
    return estimate_text(Estimate(value=figure["value"], interval=interval, n=figure["n"]), unit)
