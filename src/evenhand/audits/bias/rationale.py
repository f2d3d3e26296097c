"""Rationales of the two orders: whether a flip comes with other reasons, or with the same words and another winner."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.finding import Finding, FindingKind, Measure
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Scope
from evenhand.analysis.sentences import of
from evenhand.audits.bias.base import BiasData, Changes
from evenhand.audits.bias.label_swap import LONGEST, likeness, words_of
from evenhand.audits.readout import outcome_counts
from evenhand.records import Condition, LabelSet, Order, Readout
from evenhand.stats import Refusal

__all__ = ["FEWEST_WORDS", "NEAR_IDENTICAL", "RationaleAudit"]

NEAR_IDENTICAL: Final = 0.9
"""Likeness from which two texts count as nearly the same: nine words of ten in the same order. A convention; likeness
among the flips and the consistent pairs of real judges, by which to judge it: docs/results/llmbar-biases.md."""

FEWEST_WORDS: Final = 8
"""Words and marks below which a text is a verdict and no rationale, such as ``[[A]]``."""

_AUDIT: Final = "rationale"
_NO_TEXTS: Final = "needs the judge's own words in both orders: the run keeps none"
_READOUTS: Final = (Readout.GENERATED, Readout.LOGGED)
_BOUNDED: Final = (
    f"Likeness compares words in order, of the first {LONGEST:,} characters of each text; nearly the same from "
    f"{NEAR_IDENTICAL:g} on."
)


@dataclass(frozen=True, slots=True)
class RationaleAudit:
    """Likeness of the two orders' rationales, among flips and among consistent pairs."""

    name: str = _AUDIT
    question: str = "When the order changes the winner, does the reasoning change too?"
    needs: str = "What the judge wrote in both orders, and at least 5 questions whose pairs flip."

    def plan(self, supplied: frozenset[tuple[str, str]]) -> tuple[Changes, ...]:  # noqa: ARG002 - nothing is asked
        """Nothing: it reads verdicts as they are."""
        return ()

    def analyse(self, data: BiasData, sampler: Sampler) -> tuple[Finding, ...]:
        """One finding for each unchanged condition whose verdicts are read from text."""
        texts = {(r.condition, r.pair_id, r.order): r.text for r in data.rationales}
        ids = list(data.wide.facts.ids)
        found = []
        for condition in data.conditions:
            if condition.changes:
                continue
            scopes = (data.wide.find(condition.id, readout) for readout in _READOUTS)
            scope = next((s for s in scopes if s is not None), None)
            if scope is not None:
                found.append(_finding(scope, condition, texts, ids, sampler))
        return tuple(found) or (_nothing(),)


def _nothing() -> Finding:
    measure = Measure(name="rationale_similarity_flips", estimate=Refusal(reason=_NO_TEXTS))
    return Finding(kind=FindingKind.BIAS, audit=_AUDIT, measures=(measure,))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Compared:
    """Pairs decided in both orders with a rationale in each; shape (n,)."""

    pairs: NDArray[np.int64]
    flips: NDArray[np.bool_]
    by_response: NDArray[np.float64]
    by_slot: NDArray[np.float64]
    short: int
    missing: int

    @property
    def near(self) -> NDArray[np.bool_]:
        return np.maximum(self.by_response, self.by_slot) >= NEAR_IDENTICAL


def _compared(
    scope: Scope, labels: LabelSet, condition: str, texts: dict[tuple[str, str, str], str], ids: list[str]
) -> _Compared:
    decided = np.flatnonzero(scope.decided_both)
    rows, similar, short, missing = [], [], 0, 0
    for row in decided.tolist():
        name = ids[scope.pairs[row]]
        ab, ba = (texts.get((condition, name, order)) for order in (Order.AB, Order.BA))
        if ab is None or ba is None:
            missing += 1
        elif min(len(words_of(ab)), len(words_of(ba))) < FEWEST_WORDS:
            short += 1
        else:
            rows.append(row)
            similar.append(likeness(ab, ba, labels))
    kept = np.array(rows, dtype=np.int64)
    return _Compared(
        pairs=scope.pairs[kept],
        flips=scope.flips[kept],
        by_response=np.array([each.by_response for each in similar], dtype=np.float64),
        by_slot=np.array([each.by_slot for each in similar], dtype=np.float64),
        short=short,
        missing=missing,
    )


def _finding(
    scope: Scope, condition: Condition, texts: dict[tuple[str, str, str], str], ids: list[str], sampler: Sampler
) -> Finding:
    compared = _compared(scope, condition.labels, condition.id, texts, ids)
    own = sampler.within(FindingKind.BIAS, _AUDIT, scope.condition, scope.readout)
    flips = compared.flips
    return Finding(
        kind=FindingKind.BIAS,
        audit=_AUDIT,
        condition=scope.condition,
        readout=scope.readout,
        subset="rationales",
        pairs=len(compared.pairs),
        presentations=2 * len(compared.pairs),
        outcomes=outcome_counts(scope),
        measures=tuple(_measures(compared, own)),
        table=(
            ("pairs decided in both orders", int(np.count_nonzero(scope.decided_both))),
            ("of these with two rationales", len(compared.pairs)),
            ("flips with two rationales", int(np.count_nonzero(flips))),
            (
                "flips nearly the same by response",
                int(np.count_nonzero(flips & (compared.by_response >= NEAR_IDENTICAL))),
            ),
            ("flips nearly the same by slot", int(np.count_nonzero(flips & (compared.by_slot >= NEAR_IDENTICAL)))),
            ("consistent pairs nearly the same", int(np.count_nonzero(~flips & compared.near))),
        ),
        notes=tuple(_notes(scope, compared)),
    )


def _measures(compared: _Compared, sampler: Sampler) -> Iterator[Measure]:
    flips, pairs = compared.flips, compared.pairs
    if not pairs.size:
        yield Measure(name="rationale_similarity_flips", estimate=Refusal(reason=_NO_TEXTS))
        return
    share = (0.0, 1.0)
    for name, values, which in (
        ("rationale_similarity_flips", compared.by_response, flips),
        ("rationale_similarity_consistent", compared.by_response, ~flips),
        ("rationale_slot_similarity_flips", compared.by_slot, flips),
    ):
        nothing = "no pair of this kind has two rationales"
        yield sampler.mean(name, values[which], pairs=pairs[which], nothing=nothing, limits=share)
    one, other = flips.astype(np.float64), (~flips).astype(np.float64)
    yield sampler.difference(
        "rationale_similarity_difference",
        (one * compared.by_response, one),
        (other * compared.by_response, other),
        pairs=pairs,
        nothing="needs flips and consistent pairs with two rationales",
    )
    yield sampler.rate(
        "near_identical_flips",
        (flips & compared.near).astype(np.int64),
        flips.astype(np.int64),
        pairs=pairs,
        nothing="no flip has two rationales",
    )


def _notes(scope: Scope, compared: _Compared) -> Iterator[str]:
    yield _BOUNDED
    decided = int(np.count_nonzero(scope.decided_both))
    if compared.missing:
        yield f"Without a text in each order: {of(compared.missing, decided, 'pairs decided in both orders')}."
    if compared.short:
        yield (
            f"Fewer than {FEWEST_WORDS} words in an order, a verdict and no rationale: "
            f"{of(compared.short, decided, 'pairs decided in both orders')}."
        )
