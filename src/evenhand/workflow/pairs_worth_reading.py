"""The pairs of a run that are worth reading: chosen by rule from its verdicts, with the texts that its journal has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.audits.worth_reading import BothVerdicts, ChosenPair, choose_pairs
from evenhand.readouts import DecisionGrammar
from evenhand.readouts.scores import decide
from evenhand.records import Completion, Condition, FinishReason, Order, Outcome, Pair, RunManifest, preference_of
from evenhand.report.format import DASH
from evenhand.report.pair_example import Excerpt, PairExample, ShownVerdict, excerpt_of, passage_of
from evenhand.report.text import visible
from evenhand.store.pair_texts import PairTexts, read_pair_texts

if TYPE_CHECKING:
    import polars as pl

__all__ = ["pairs_worth_reading"]

_INSTRUCTION = 800  # characters of an instruction: it stands open, the responses are folded
_STREAM = 1_207
"""Beside a run's seed, so that choosing pairs draws nothing that another part of the run draws."""


def pairs_worth_reading(directory: Path, manifest: RunManifest, table: pl.DataFrame) -> tuple[PairExample, ...]:
    """Choose pairs by :func:`evenhand.audits.worth_reading.choose_pairs`, and read what the run has of their texts.

    The same run gives the same pairs. Pairs as they are alone are looked at: those that a bias audit changed are left
    to its study.

    Parameters
    ----------
    directory
        The run; without a journal there, the pairs are shown without texts.
    table
        The run's verdicts.

    Raises
    ------
    StoreError, DataError
        The journal is damaged.
    """
    controls = {condition.id: condition for condition in manifest.conditions if not condition.changes}
    rng = np.random.default_rng((manifest.seed, _STREAM))
    chosen = choose_pairs(table, rng=rng, conditions=tuple(controls))
    texts = read_pair_texts(directory, {pair.pair_id for pair in chosen})
    pairs = {pair.id: pair for pair in texts.pairs}
    names = _names(manifest)
    return tuple(_example(pair, pairs.get(pair.pair_id), texts, controls.get(pair.condition), names) for pair in chosen)


def _names(manifest: RunManifest) -> Mapping[str, str]:
    """What the reports call the conditions."""
    from evenhand.report.scope import of_controls, short_names

    return short_names(of_controls(manifest))


def _example(
    chosen: ChosenPair, pair: Pair | None, texts: PairTexts, condition: Condition | None, names: Mapping[str, str]
) -> PairExample:
    answers = _answers(chosen, texts)
    return PairExample(
        pair_id=visible(chosen.pair_id),
        condition=visible(names.get(chosen.condition, chosen.condition)),
        why=chosen.rule.value,
        readout=chosen.readout.value,
        verdicts=tuple(_shown(verdicts) for verdicts in chosen.verdicts),
        gold=None if chosen.gold is None else chosen.gold.value,
        instruction=None if pair is None else passage_of(pair.instruction, limit=_INSTRUCTION),
        response_a=None if pair is None else passage_of(pair.response_a),
        response_b=None if pair is None else passage_of(pair.response_b),
        answer_ab=_excerpt(answers.get(Order.AB, ()), condition),
        answer_ba=_excerpt(answers.get(Order.BA, ()), condition),
    )


def _answers(chosen: ChosenPair, texts: PairTexts) -> Mapping[Order, Sequence[Completion]]:
    """What was answered under the pair's condition, by order; a repetition is not what the rule looked at."""
    found: dict[Order, list[Completion]] = {}
    for entry in texts.entries:
        shown = entry.presentation
        own = (shown.pair_id, shown.condition, shown.repeat) == (chosen.pair_id, chosen.condition, 0)
        if own and entry.completion is not None:
            found.setdefault(shown.order, []).append(entry.completion)
    return found


def _shown(verdicts: BothVerdicts) -> ShownVerdict:
    return ShownVerdict(
        readout=verdicts.readout.value,
        ab=_verdict(verdicts.ab, Order.AB, verdicts.log_odds_ab),
        ba=_verdict(verdicts.ba, Order.BA, verdicts.log_odds_ba),
    )


def _verdict(outcome: Outcome | None, order: Order, log_odds: float | None) -> str:
    """``first (A), log-odds +1.16``: the slot, the response that stood there, and how decided it was."""
    if outcome is None:
        return DASH
    chosen = f" ({preference_of(outcome, order)})" if outcome.is_decided else ""
    odds = "" if log_odds is None else f"{log_odds:+.2f}".replace("-", "−")
    return f"{outcome.value}{chosen}{f', log-odds {odds}' if odds else ''}"


def _excerpt(answers: Sequence[Completion], condition: Condition | None) -> Excerpt | None:
    """Of the first answer that has a text, the part around its decision; else the token that the judge led with."""
    written = next((answer for answer in answers if answer.text), None)
    if written is not None and written.text is not None:
        return excerpt_of(written.text, span=None if condition is None else _span(written, condition))
    failed = next((answer for answer in answers if answer.error), None)
    if failed is not None and failed.error is not None:
        return excerpt_of(f"(no answer: {failed.error})")
    led = next((answer.first_token for answer in answers if answer.first_token is not None), None)
    return None if led is None else excerpt_of(led.argmax.text, span=(0, len(led.argmax.text)))


def _span(answer: Completion, condition: Condition) -> tuple[int, int] | None:
    """Where the decision stands that the generated readout reads."""
    cut = answer.finish_reason in (FinishReason.LENGTH, FinishReason.SETTLED)
    grammar = DecisionGrammar.from_hint(condition.labels, condition.grammar)
    return decide(answer.text or "", grammar, complete=not cut).span
