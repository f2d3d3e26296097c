"""The disclosure card for people: rows of text, and Markdown short enough for a paper's appendix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from evenhand.analysis.sentences import NO_SLOTS
from evenhand.records import Readout
from evenhand.report.card_bias_text import bias_lines, bias_rows
from evenhand.report.card_humans import human_lines, human_rows
from evenhand.report.format import DASH, date_text, how_many, integer, interval_text, percent, refusal_text
from evenhand.report.text import markdown_text, visible
from evenhand.stats import Interval

__all__ = ["JUDGED_ALONE", "card_markdown", "card_rows"]

JUDGED_ALONE = f"no order: {NO_SLOTS}"
"""Why a card has no figure on order or slots where each response was judged by itself: its text is known by it."""

_Node = Mapping[str, Any]


def card_rows(card: Mapping[str, object], *, figures: bool = True) -> tuple[tuple[str, str], ...]:
    """The card as (name, text), in the order of reading. Texts are clean but not escaped.

    Parameters
    ----------
    figures
        Whether each readout's outcome counts and flip rates are among the rows.
    """
    if not card:
        return ()
    c = cast("_Node", card)
    judge, data, done = c["judge"], c["data"], c["presentations"]
    single = _one_order(c)
    rows = [
        ("judge", f"{_known(judge['model'])} ({judge['spec']})"),
        ("revision or file hash", _known(judge["revision"])),
        ("engine", _known(judge["engine"]) + _settings(judge["settings"])),
        ("data", f"{data['spec']}, {how_many(data['pairs'], 'pair')}{single}; sha256:{data['sha256']}"),
        ("excluded before judging", _excluded(c["excluded"])),
        ("readouts", ", ".join(c["readouts"])),
        *_budget(c.get("generated_fraction")),
        *_swap(c.get("swap")),
        *_served(judge.get("served", ())),
        ("decoding", _decoding(c["decoding"], generates=not set(c["readouts"]) <= _UNWRITTEN)),
        (
            "presentations",
            f"{integer(done['planned'])} planned, {integer(done['finished'])} finished, "
            f"{integer(done['errors'])} failed, {integer(done['pending'])} pending",
        ),
    ]
    for condition in c["conditions"]:
        rows += _condition_rows(condition)
        rows += _readout_rows(condition) if figures else []
    rows += bias_rows(c) if figures else []
    rows += human_rows(c, figures=figures)
    rows += [
        ("intervals", _intervals(c["intervals"])),
        ("seed of the run", str(c["seed"])),
        ("versions", ", ".join(f"{name} {version}" for name, version in c["versions"].items()) or "unknown"),
        ("created", date_text(c["created"]) if isinstance(c["created"], str) else _known(c["created"])),
        ("command", _known(c["command"])),
    ]
    return tuple((visible(name), visible(text, limit=800)) for name, text in rows)


def _budget(fraction: float | None) -> list[tuple[str, str]]:
    asked = f"{percent(fraction)} of the pairs, drawn at random" if fraction is not None else ""
    return [("text asked of", asked)] if asked else []


def _swap(swap: _Node | None) -> list[tuple[str, str]]:
    """Of which pairs order BA was asked, where not of all; keys that older cards lack are read as empty."""
    if swap is None:
        return []
    promise = f"; guarantee: {swap['guarantee']}" if swap["guarantee"] else ""
    return [
        (
            "order BA asked of",
            f"{swap['rule']}, pairs of unknown risk, and a random {percent(swap['floor'])} of the others (at least "
            f"{integer(swap['floor_pairs'])}), from which the flip rate of all pairs is estimated; predictor "
            f"{swap['predictor']} of {swap['probe']}, sha256:{swap['probe_sha256']}{promise}",
        )
    ]


def _served(served: Sequence[_Node]) -> list[tuple[str, str]]:
    """Which models answered; keys that older cards lack are read as empty."""
    named = "; ".join(f"{_known(entry['text'])} ({integer(entry['count'])} answers)" for entry in served)
    return [("answered by", named)] if named else []


def _condition_rows(condition: _Node) -> list[tuple[str, str]]:
    name, labels, prompt = condition["id"], condition["labels"], condition["prompt"]
    pairs, presentations = (_figure(condition["compliance"][unit]) for unit in ("pairs", "presentations"))
    tie = "" if labels["tie"] is None else f", tie {labels['tie']}"
    digest = prompt["sha256"]
    design = ", ".join(f"{axis}={level}" for axis, level in condition.get("design", {}).items())
    known = f"sha256:{digest}" if isinstance(digest, str) else f"hash {_known(digest)}"
    return [
        (f"{name}: prompt", f"{_known(prompt['name'])}; {known}"),
        (
            f"{name}: labels",
            f"first {labels['first']}, second {labels['second']}{tie}; token ids: {_tokens(labels['tokens'])}",
        ),
        *([(f"{name}: design", design)] if design else []),
        *([(f"{name}: prefill", f"“{condition['prefill']}”")] if condition.get("prefill") else []),
        (
            f"{name}: compliance",
            pairs if pairs == presentations else f"pairs: {pairs}; presentations: {presentations}",
        ),
    ]


def _readout_rows(condition: _Node) -> list[tuple[str, str]]:
    rows = []
    for readout in condition["readouts"]:
        states = ", ".join(f"{state} {_count(count)}" for state, count in readout["outcomes"].items())
        flips, repeat = _figure(readout["flip_rate"]), _figure(readout["repeat_flip_rate"])
        rows.append(
            (
                f"{condition['id']}: {readout['readout']} readout",
                f"flip rate {flips}{_estimated(readout)}; repeat flip rate {repeat}; outcomes: {states}",
            )
        )
    return rows


def _estimated(readout: _Node) -> str:
    """Of how many pairs the text or order BA was asked, where the flip rate is estimated; empty where it is counted."""
    swapped, powered = readout.get("selective"), readout.get("prediction_powered")
    if swapped is not None:
        return f" (estimated: order BA of {integer(swapped['pairs_swapped'])} of {integer(swapped['pairs'])} pairs)"
    if powered is None:
        return ""
    return f" (prediction-powered: text of {integer(powered['pairs_generated'])} of {integer(powered['pairs'])} pairs)"


def _intervals(intervals: _Node) -> str:
    """Level, methods and clusters; a number of resamples only where there was a bootstrap."""
    resamples = intervals["resamples"]
    drawn = [] if resamples is None else [f"{integer(resamples)} resamples where a bootstrap, seed {intervals['seed']}"]
    parts = (f"{intervals['level'] * 100:g} %", *intervals["methods"], f"clusters are {intervals['resampled_by']}s")
    return "; ".join((*parts, *drawn))


def _known(value: object) -> str:
    """The text, or ``unknown (why)``."""
    return f"unknown ({cast('_Node', value)['unknown']})" if isinstance(value, Mapping) else str(value)


def _settings(settings: _Node) -> str:
    return f"; {', '.join(f'{name} {value}' for name, value in settings.items())}" if settings else ""


def _excluded(excluded: Sequence[_Node]) -> str:
    return "; ".join(f"{integer(entry['count'])}: {entry['why']}" for entry in excluded) or "nothing"


_UNWRITTEN = frozenset(readout.value for readout in (Readout.FIRST_TOKEN, Readout.PREFILLED))
"""Readouts of what the judge would write first: nothing is generated for them alone."""


def _decoding(decoding: _Node, *, generates: bool) -> str:
    if "unknown" in decoding:
        return _known(decoding)
    how = "greedy" if decoding["greedy"] else f"temperature {decoding['temperature']:g}"
    if not generates:
        return f"{how}; nothing is generated: the verdict is read from the first token's probabilities"
    return f"{how}; at most {', then '.join(integer(budget) for budget in decoding['budgets'])} tokens"


def _tokens(tokens: Sequence[_Node] | _Node) -> str:
    if isinstance(tokens, Mapping):
        return _known(tokens)
    if tokens and all(t["token_id"] is None for t in tokens):
        return "unknown: the endpoint does not tell its tokens"
    shown = (f"“{t['variant']}” {'not one token' if t['token_id'] is None else t['token_id']}" for t in tokens)
    return ", ".join(shown) or "none"


def _figure(estimate: _Node) -> str:
    """An encoded estimate in words, as :func:`evenhand.report.format.estimate_text` does for a live one."""
    if "refused" in estimate:
        return refusal_text(estimate["refused"])
    bounds = estimate["interval"]
    interval = "" if bounds is None else interval_text(Interval(low=bounds["low"], high=bounds["high"]))
    count = "" if estimate["count"] is None else f", {integer(estimate['count'])}/{integer(estimate['n'])}"
    flags = f" ({', '.join(estimate['flags'])})" if estimate["flags"] else ""
    return f"{percent(estimate['value'])} {interval or '(no interval)'}{count}{flags}"


_SHORT_REFUSALS = (
    ("noise was not measured", "not measured"),
    ("single order", "not given: one order"),
    ("no order", "not given: judged alone"),
)


def _one_order(card: _Node) -> str:
    """Why there is no position figure: one order, or none; empty where there are both orders."""
    if card["orders"] != "single":
        return ""
    reasons = [condition["compliance"]["pairs"].get("refused", "") for condition in card["conditions"]]
    if reasons and all(reason == JUDGED_ALONE for reason in reasons):
        return "; each response judged by itself: no position figure"
    return "; one order of each pair: no position figure"


def _short_figure(estimate: _Node) -> str:
    """A figure for a table's cell, where a common reason is said in few words."""
    reason = estimate.get("refused", "")
    return next((short for start, short in _SHORT_REFUSALS if reason.startswith(start)), _figure(estimate))


def _count(count: int | _Node) -> str:
    """A count of outcomes; of slots there is none where each response was judged by itself."""
    return integer(count) if isinstance(count, int) else DASH


def _figures_table(card: _Node) -> list[str]:
    """Flip rate beside repeat flip rate, and the count of every state, one row for each condition and readout."""
    rows = []
    states: list[str] = []
    for condition in card["conditions"]:
        for readout in condition["readouts"]:
            states = list(dict.fromkeys((*states, *readout["outcomes"])))
            texts = (
                condition["id"],
                readout["readout"],
                _short_figure(readout["flip_rate"]) + _estimated(readout),
                _short_figure(readout["repeat_flip_rate"]),
                *(_count(count) for count in readout["outcomes"].values()),
            )
            rows.append(f"| {' | '.join(markdown_text(text, limit=400) for text in texts)} |")
    if not rows:
        return []
    names = ("condition", "readout", "flip rate", "repeat flip rate", *states)
    return [
        "Flip rate under swapping, beside the flip rate of mere repetition, and how the presentations ended (counts):",
        "",
        f"| {' | '.join(names)} |",
        f"|---|---|---|---|{'---:|' * len(states)}",
        *rows,
        "",
    ]


def card_markdown(card: Mapping[str, object]) -> str:
    """The card as two Markdown tables, facts and figures, every text of the data escaped."""
    facts = card_rows(card, figures=False)
    rows = [f"| {markdown_text(name)} | {markdown_text(text, limit=800)} |" for name, text in facts]
    version = markdown_text(str(card.get("evenhand_version", "")))
    lines = [
        "# Disclosure card",
        "",
        "| | |",
        "|---|---|",
        *rows,
        "",
        *(_figures_table(cast("_Node", card)) if card else []),
        *(bias_lines(cast("_Node", card)) if card else []),
        *(human_lines(cast("_Node", card)) if card else []),
        f"Made by Evenhand {version}; card schema {card.get('schema_version')}. "
        "Compliance belongs to model, prompt and task together and can't be inherited.",
        "",
    ]
    return "\n".join(lines)
