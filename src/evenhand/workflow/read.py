"""From a run's journal to the verdict table: every readout of every completion, in the plan's order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar, assert_never

import numpy as np

from evenhand.errors import DataError
from evenhand.readouts import DecisionGrammar, ReadAll, read
from evenhand.records import (
    Completion,
    Outcome,
    Pair,
    Presentation,
    Reading,
    Readout,
    RunManifest,
    Verdict,
    verdict_table,
)
from evenhand.records.columnar import VerdictColumns
from evenhand.store import JournalEntry

if TYPE_CHECKING:
    import polars as pl

__all__ = ["read_verdicts", "some_verdicts"]

_MOST_ROWS = 200_000
_STREAM = 3_141
"""Beside a run's seed, so that this draws nothing that another part of the run draws."""

Named = TypeVar("Named")


def read_verdicts(manifest: RunManifest, pairs: Iterable[Pair], entries: Iterable[JournalEntry]) -> pl.DataFrame:
    """Read every completion with every readout that the run reports.

    A presentation that was not asked yet has no row: the run's counts tell of it. One that failed has a row with
    outcome ``error`` under every readout asked for, so that it is counted and never dropped.
    """
    return verdict_table(_verdicts(manifest, {pair.id: pair for pair in pairs}, entries))


def some_verdicts(verdicts: pl.DataFrame | VerdictColumns, *, seed: int, rows: int = _MOST_ROWS) -> pl.DataFrame:
    """A verdict table to look for single pairs in.

    Of columns in more than about ``rows`` rows, those of pairs drawn at random: as a table of texts all of them would
    take many times the room.
    """
    if not isinstance(verdicts, VerdictColumns):
        return verdicts
    height, n_pairs = verdicts.presentations.height, verdicts.pairs.height
    if height > rows:
        rng = np.random.default_rng((seed, _STREAM))
        drawn = rng.choice(n_pairs, size=max(1, n_pairs * rows // height), replace=False, shuffle=False)
        verdicts = verdicts.of_pairs(drawn.tolist())
    return verdicts.verdict_table()


def _verdicts(manifest: RunManifest, pairs: Mapping[str, Pair], entries: Iterable[JournalEntry]) -> Iterator[Verdict]:
    conditions = {condition.id: condition for condition in manifest.conditions}
    grammars = {
        condition.id: DecisionGrammar.from_hint(condition.labels, condition.grammar)
        for condition in manifest.conditions
    }
    readouts = tuple(Readout(name) for name in manifest.readouts)
    live = manifest.kind == "live"
    for entry in entries:
        if entry.completion is None:
            continue
        condition = _known(conditions, entry.presentation.condition, "condition", entry.presentation)
        asked = entry.presentation.ask.readouts(readouts)
        readings = read(entry.completion, condition.labels, asked, grammars[condition.id], expected=live)
        for readout in asked:
            reading = _reading(readout, readings, entry.completion)
            if reading is not None:
                pair = _known(pairs, entry.presentation.pair_id, "pair", entry.presentation)
                yield _verdict(readout, reading, readings, entry.presentation, pair, entry.completion)


def _known(known: Mapping[str, Named], name: str, kind: str, presentation: Presentation) -> Named:
    """What a presentation names, which a journal that nobody changed has."""
    found = known.get(name)
    if found is None:
        raise DataError(
            f"presentation {presentation.key}: the run has no {kind} {name!r}",
            remedy="the journal is damaged, or was changed by another program: restore the run directory from a copy",
        )
    return found


def _reading(readout: Readout, readings: ReadAll, completion: Completion) -> Reading | None:
    match readout:
        case Readout.FIRST_TOKEN:
            return readings.first_token
        case Readout.GENERATED:
            return readings.generated
        case Readout.HYBRID:
            return None if readings.hybrid is None else readings.hybrid.reading
        case Readout.PREFILLED:
            return readings.prefilled
        case Readout.CONSTRAINED:
            return readings.constrained
        case Readout.LOGGED:
            if completion.log_outcome is None:
                return None
            return Reading(outcome=completion.log_outcome, rule="log")
        case _:
            assert_never(readout)


def _verdict(
    readout: Readout,
    reading: Reading,
    readings: ReadAll,
    presentation: Presentation,
    pair: Pair,
    completion: Completion,
) -> Verdict:
    led = readings.compliance
    return Verdict(
        pair_id=pair.id,
        group=pair.group,
        source=pair.source,
        gold=pair.gold,
        condition=presentation.condition,
        readout=readout,
        order=presentation.order,
        repeat=presentation.repeat,
        outcome=reading.outcome,
        compliant=led.compliant,
        lead=led.lead,
        log_odds=reading.log_odds,
        mass=reading.mass,
        log_outcome=_log_outcome(readout, completion),
        generated=_generated(readout, readings),
    )


def _log_outcome(readout: Readout, completion: Completion) -> Outcome | None:
    """The log's own reading beside ours; it is no second opinion on itself."""
    return None if readout is Readout.LOGGED else completion.log_outcome


def _generated(readout: Readout, readings: ReadAll) -> bool | None:
    match readout:
        case Readout.FIRST_TOKEN | Readout.PREFILLED:
            return False
        case Readout.GENERATED | Readout.CONSTRAINED:
            return True
        case Readout.HYBRID:
            return None if readings.hybrid is None else readings.hybrid.generated
        case Readout.LOGGED:
            return None
        case _:
            assert_never(readout)
