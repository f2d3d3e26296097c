"""The card's bias audits for people: rows of text, and a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from evenhand.report.cells import info_of
from evenhand.report.format import DASH, estimate_text, integer, p_text
from evenhand.report.text import markdown_text
from evenhand.stats import Estimate, Interval, Refusal, TestResult

__all__ = ["bias_lines", "bias_rows"]

_Node = Mapping[str, Any]


def bias_rows(card: _Node) -> list[tuple[str, str]]:
    """(name, text) for each bias audit; none for a card without any, or made before they were on it."""
    return [(f"bias audit: {entry['audit']}", _text(entry)) for entry in card.get("biases", ())]


def bias_lines(card: _Node) -> list[str]:
    """A Markdown table with a row for each finding, and one for each audit without."""
    rows = [row for entry in card.get("biases", ()) for row in _table_rows(entry)]
    if not rows:
        return []
    names = ("bias audit", "comparison", "readout", "main figure", "p, Holm-adjusted", "pairs")
    return [
        "Biases beside order: what each change turned, against the same pairs without it.",
        "",
        f"| {' | '.join(names)} |",
        "|---|---|---|---|---|---:|",
        *(f"| {' | '.join(markdown_text(text, limit=400) for text in row)} |" for row in rows),
        "",
    ]


def _text(entry: _Node) -> str:
    if not entry["findings"]:
        return f"no finding ({entry['without']})"
    said = (
        f"{found['comparison'] or entry['audit']}, {found['readout'] or DASH}: {_main(found)}, {_adjusted(found)}"
        for found in entry["findings"]
    )
    return "; ".join(said)


def _table_rows(entry: _Node) -> Iterator[tuple[str, ...]]:
    for found in entry["findings"]:
        yield (
            entry["audit"],
            found["comparison"] or DASH,
            found["readout"] or DASH,
            _main(found),
            _adjusted(found).removeprefix("adjusted "),
            integer(found["pairs"]),
        )
    if not entry["findings"]:
        yield entry["audit"], DASH, DASH, f"{DASH} ({entry['without']})", DASH, "0"


def _main(found: _Node) -> str:
    name, figure = next(iter(found["figures"].items()))
    return f"{info_of(name).label} {_figure(name, figure)}"


def _figure(name: str, figure: _Node) -> str:
    if "refused" in figure:
        return estimate_text(Refusal(reason=figure["refused"], n=figure["n"]))
    bounds = figure["interval"]
    interval = None if bounds is None else Interval(low=bounds["low"], high=bounds["high"])
    return estimate_text(Estimate(value=figure["value"], interval=interval, n=figure["n"]), info_of(name).unit)


def _adjusted(found: _Node) -> str:
    test = found["test_adjusted"]
    if test is None:
        return "not tested"
    p_value, log10_p = test["p_value"], test["log10_p"]
    return f"adjusted {p_text(TestResult(name='', p_value=p_value or 0.0, log10_p=log10_p or 0.0, n=test['n']))}"
