"""From a run's journal to the arrays that mitigations work on: one condition under one readout, with its labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from evenhand.analysis.scope import Scope, WideTable
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.analysis.wide import widen, widen_columns
from evenhand.audits.sample import in_a_table
from evenhand.datasets.response_scores import ResponseScores
from evenhand.errors import ConfigError, DataError
from evenhand.mitigation.judged import NONE, Floats, JudgedPairs
from evenhand.readouts import DecisionGrammar
from evenhand.readouts.scores import stated_scores
from evenhand.readouts.three_lines import ThreeLines, read_three_lines
from evenhand.records import (
    Completion,
    Condition,
    FinishReason,
    Order,
    Outcome,
    Pair,
    Preference,
    Readout,
    RunManifest,
)
from evenhand.store import Journal, JournalEntry
from evenhand.workflow.read import read_verdicts
from evenhand.workflow.readout_choice import TEXT_FIRST

__all__ = ["JudgedRun", "judged_run"]

_ORDERS: Final = tuple(Order)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedRun:
    """A run as mitigations see it.

    Attributes
    ----------
    judged
        The arrays, labels included.
    records
        The pairs by id, as a table holds it.
    clusters
        What one cluster is, in words.
    notes
        What was chosen or left out.
    """

    directory: Path
    manifest: RunManifest
    condition: Condition
    readout: Readout
    judged: JudgedPairs
    records: Mapping[str, Pair]
    clusters: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What one presentation's completion tells beside its verdict; slots, not identities."""

    tokens: float | None
    first: float | None
    second: float | None
    confidence: float | None


def judged_run(
    directory: str | Path,
    *,
    readout: Readout | None = None,
    condition: str | None = None,
    labels: Mapping[str, Preference] | None = None,
    alone: ResponseScores | None = None,
    cluster: ClusterBy = "auto",
) -> JudgedRun:
    """Read a run.

    Parameters
    ----------
    readout
        None: the generated one where the run has it, else what it has.
    condition
        Id of a condition; None: the first without changes.
    labels
        By pair id, in place of the pairs' own gold; pairs without one are unlabelled.
    alone
        Scores given to each response by itself.

    Raises
    ------
    ConfigError
        A condition or readout that the run doesn't have; or order BA was asked of chosen pairs only.
    DataError
        The run has no verdict under them.
    StoreError
        The run can't be read.
    """
    directory = Path(directory)
    with Journal.open(directory, read_only=True) as journal:
        manifest, pairs = journal.manifest, journal.pairs()
        _check_orders(directory, manifest)
        chosen = _condition(directory, manifest, condition)
        read = _readout(directory, manifest, readout)
        facts: dict[tuple[str, Order], _Facts] = {}
        if journal.columns is not None:  # verdicts alone: there is nothing else that an answer tells
            wide = widen_columns(journal.columns.of_condition(chosen.id))
        else:
            entries = _watched(journal.completions(), chosen, read, facts)
            wide = widen(read_verdicts(manifest, pairs, entries))
    records = {in_a_table(pair.id): pair for pair in pairs}
    scope = wide.find(chosen.id, read)
    if scope is None:
        raise DataError(
            f"no answer was read under condition {chosen.id!r} and readout {read.value}",
            path=directory,
            remedy="finish the run, or name another with --condition and --readout",
        )
    unit = resampling_unit(wide.facts, cluster)
    judged = _judged(manifest.judge.model, wide, scope, unit.clusters, records, facts, labels=labels, alone=alone)
    return JudgedRun(
        directory=directory,
        manifest=manifest,
        condition=chosen,
        readout=read,
        judged=judged,
        records=records,
        clusters=unit.name,
        notes=tuple(_notes(manifest, chosen, read, condition, labels, judged)),
    )


def _check_orders(directory: Path, manifest: RunManifest) -> None:
    if manifest.swap is not None:
        raise ConfigError(
            f"{directory}: order BA was asked of likely flips and a random floor only, so what both orders give there "
            "says nothing of all pairs; mitigations need a run with both orders of every pair"
        )


def _condition(directory: Path, manifest: RunManifest, name: str | None) -> Condition:
    if name is None:
        controls = [each for each in manifest.conditions if not each.changes]
        return controls[0] if controls else manifest.conditions[0]
    found = next((each for each in manifest.conditions if each.id == name), None)
    if found is None:
        known = ", ".join(repr(each.id) for each in manifest.conditions[:12])
        raise ConfigError(f"{directory}: has no condition {name!r}; it has {known}")
    return found


def _readout(directory: Path, manifest: RunManifest, readout: Readout | None) -> Readout:
    known = [Readout(name) for name in manifest.readouts]
    if readout is None:
        return next(each for each in TEXT_FIRST if each in known)
    if readout not in known:
        raise ConfigError(f"{directory}: has no readout {readout.value}; it has {', '.join(manifest.readouts)}")
    return readout


def _watched(
    entries: Iterator[JournalEntry], condition: Condition, readout: Readout, facts: dict[tuple[str, Order], _Facts]
) -> Iterator[JournalEntry]:
    """The entries of the condition and readout; what else their completions tell is put into ``facts``."""
    grammar = DecisionGrammar.from_hint(condition.labels, condition.grammar)
    for entry in entries:
        presentation = entry.presentation
        if presentation.condition != condition.id or not presentation.ask.readouts([readout]):
            continue
        if entry.completion is not None and presentation.repeat == 0:
            facts[in_a_table(presentation.pair_id), presentation.order] = _facts(
                entry.completion, readout, condition, grammar
            )
        yield entry


def _facts(completion: Completion, readout: Readout, condition: Condition, grammar: DecisionGrammar) -> _Facts:
    usage = completion.usage
    wrote = None if readout in (Readout.FIRST_TOKEN, Readout.PREFILLED) else completion.text
    # Of a first token that was read from a longer text, only one token was needed.
    written = usage.completion_tokens if wrote is not None or readout is not Readout.FIRST_TOKEN else 1
    scores = confidence = None
    if wrote is not None and grammar.scale is not None:
        cut = completion.finish_reason in (FinishReason.LENGTH, FinishReason.SETTLED)
        scores = stated_scores(wrote, grammar, complete=not cut)
    elif wrote is not None and condition.prompt == "brief-reasoning":
        lines = read_three_lines(wrote, condition.labels)
        confidence = lines.confidence / 100 if isinstance(lines, ThreeLines) else None
    return _Facts(
        tokens=None if usage.prompt_tokens is None or written is None else float(usage.prompt_tokens + written),
        first=None if scores is None else scores.first,
        second=None if scores is None else scores.second,
        confidence=confidence,
    )


def _judged(
    judge: str,
    wide: WideTable,
    scope: Scope,
    clusters: np.ndarray,
    records: Mapping[str, Pair],
    facts: Mapping[tuple[str, Order], _Facts],
    *,
    labels: Mapping[str, Preference] | None,
    alone: ResponseScores | None,
) -> JudgedPairs:
    ids = tuple(str(wide.facts.ids[int(index)]) for index in scope.pairs)
    n, codes = len(ids), tuple(Preference)
    columns = {name: np.full((n, 2), np.nan) for name in ("tokens", "first", "second", "confidence")}
    for row, pair_id in enumerate(ids):
        for column, order in enumerate(_ORDERS):
            fact = facts.get((pair_id, order))
            for name, values in columns.items():
                value = None if fact is None else getattr(fact, name)
                if value is not None:
                    values[row, column] = value
    own = [records[pair_id] for pair_id in ids]
    gold = wide.facts.gold[scope.pairs]
    if labels is not None:
        gold = np.array([codes.index(labels[i]) if i in labels else NONE for i in ids], dtype=np.int8)
    given = {} if alone is None else alone.scores
    alone_scores = [(given[i].a, given[i].b, given[i].tokens) if i in given else (None, None, None) for i in ids]
    table = np.array(alone_scores, dtype=np.float64).reshape(n, 3)
    first, second = columns["first"], columns["second"]
    return JudgedPairs(
        judge=judge,
        ids=ids,
        clusters=clusters[scope.pairs],
        preference=scope.preference,
        asked=scope.asked,
        gold=gold,
        log_odds=scope.log_odds.astype(np.float64) * np.array([1.0, -1.0]),
        score_a=np.column_stack([first[:, 0], second[:, 1]]),
        score_b=np.column_stack([second[:, 0], first[:, 1]]),
        confidence=columns["confidence"],
        tokens=columns["tokens"],
        length_a=_lengths([pair.response_a for pair in own], own),
        length_b=_lengths([pair.response_b for pair in own], own),
        authors=tuple((pair.author_a, pair.author_b) for pair in own),
        alone=table[:, :2],
        alone_tokens=table[:, 2],
    )


def _lengths(texts: list[str], pairs: list[Pair]) -> Floats:
    """Characters; NaN for a pair whose texts a log didn't keep."""
    kept = [bool(pair.response_a or pair.response_b) for pair in pairs]
    return np.array([float(len(text)) if has else np.nan for text, has in zip(texts, kept, strict=True)])


def _notes(
    manifest: RunManifest,
    condition: Condition,
    readout: Readout,
    asked: str | None,
    labels: Mapping[str, Preference] | None,
    judged: JudgedPairs,
) -> Iterator[str]:
    others = [each for each in manifest.conditions if each.id != condition.id and not each.changes]
    if asked is None and others:
        yield f"{judged.judge}: condition {condition.id!r} was taken, the first of {len(others) + 1} (--condition)."
    if not manifest.slots_seen:
        yield f"{judged.judge}: {NO_SLOTS}. What stands as the order asked is what a pair's two scores make."
    if manifest.generated_fraction is not None and readout is Readout.GENERATED:
        yield f"{judged.judge}: text was asked for of a sample of the pairs; these figures describe the sample."
    unlabelled = int((~judged.labelled).sum())
    if unlabelled:
        of = "human label" if labels is not None else "gold label"
        yield f"{judged.judge}: {unlabelled:,} of {len(judged):,} pairs have no {of} and don't enter."
    without = int((judged.asked & (judged.preference == NONE)).sum())
    if without:
        yield (
            f"{judged.judge}: {without:,} of {int(judged.asked.sum()):,} answers have no verdict "
            f"({', '.join(str(o) for o in Outcome if not o.is_verdict)}); they are no ties."
        )
