"""Whether what was collected is what the model computes: saved tokens read again, one by one through the cache."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from evenhand.errors import ConfigError
from evenhand.judges import Captures
from evenhand.probes.activation_files import ActivationRecord, ActivationStore
from evenhand.probes.places import Position
from evenhand.records import Readout, content_hash
from evenhand.runner import Progress, SilentProgress
from evenhand.store import Journal, JournalEntry
from evenhand.store.atomic import write_text_atomically
from evenhand.store.codec import dump

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.judges.hf.replay import Replayed

__all__ = ["REPLAY", "ReplayCheck", "verify_replay"]

REPLAY: Final = "replay.json"
"""Beside the activations: what the latest replay found."""
_TOLERANCES: Final = {"float32": 1e-3}
_HALF_TOLERANCE: Final = 0.1
"""Relative to the vector's length. In float32 a batch and a row alone agree within 3e-6 on tiny models of four
families. Half precision keeps 8 or 11 bits, and a sum in another order can turn the last of them at every block; what
lies at another position is about its whole length away, so a tenth still tells the two apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayCheck:
    """What a replay found.

    Attributes
    ----------
    replayed, of
        Presentations that were replayed, of those with a verdict token.
    wrong_verdicts
        Where the recorded verdict is not the greedy next token. Under a first-token readout: where the most probable
        token is not the recorded one.
    wrong_vectors
        Where a vector lies farther off than the tolerance.
    largest
        The largest distance of a replayed vector from the kept one, relative to its length.
    tolerance
        Allowed for it.
    first
        The first mismatch, for people; None where there is none.
    seconds
        Wall-clock time.
    """

    replayed: int
    of: int
    wrong_verdicts: int
    wrong_vectors: int
    largest: float
    tolerance: float
    first: str | None
    seconds: float

    @property
    def passed(self) -> bool:
        """Whether everything replayed agrees; also where there was nothing to replay."""
        return not self.wrong_verdicts and not self.wrong_vectors


@dataclass(slots=True, kw_only=True)
class _Tally:
    tolerance: float
    wrong_verdicts: int = 0
    wrong_vectors: int = 0
    largest: float = 0.0
    first: str | None = None

    def add(self, entry: JournalEntry, record: ActivationRecord, replayed: Replayed, expected: int) -> None:
        found = replayed.greedy[-1]
        off = max(_distances(record, replayed), default=0.0)
        self.largest = max(self.largest, off)
        if found != expected:
            self.wrong_verdicts += 1
            self._note(entry, f"token {found} instead of {expected}")
        if not off <= self.tolerance:
            self.wrong_vectors += 1
            self._note(entry, f"an activation is {off:.2g} of its length away")

    def _note(self, entry: JournalEntry, what: str) -> None:
        if self.first is None:
            asked = entry.presentation
            repeat = f", repeat {asked.repeat}" if asked.repeat else ""
            self.first = f"pair {asked.pair_id!r}, order {asked.order}{repeat}: {what}"


def verify_replay(
    judge: Captures,
    directory: str | Path,
    *,
    limit: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> ReplayCheck:
    """Replay a collected run's presentations, and write what was found beside its activations.

    Each is read alone: the prompt in one pass, then its written tokens one by one, as the judge reads its own writing.
    The verdict must be the greedy next token, and the vectors at both positions must be those kept. In half precision
    a verdict that was nearly a tie can turn, for it was written in the company of others.

    Parameters
    ----------
    limit
        Only so many, chosen by a seeded hash; None: all that have a verdict token.

    Raises
    ------
    StoreError
        The directory holds no such run, or is damaged.
    JudgeError
        The model failed.
    ConfigError
        A limit below 1, or the judge isn't the run's.
    """
    if limit is not None and limit < 1:
        raise ConfigError(f"replay limit is {limit}: expected at least 1")
    began = time.monotonic()
    store = ActivationStore(directory)
    with Journal.open(Path(directory), read_only=True) as journal:
        if (judge.identity.model, judge.identity.revision) != (
            journal.manifest.judge.model,
            journal.manifest.judge.revision,
        ):
            raise ConfigError(f"{directory} was judged by {journal.manifest.judge.spec}, not by {judge.identity.spec}")
        entries = [entry for entry in journal.completions() if _has_verdict(store, entry)]
    chosen = _chosen(entries, limit=limit, seed=seed)
    tally = _Tally(tolerance=_TOLERANCES.get(dict(judge.identity.settings).get("dtype", ""), _HALF_TOLERANCE))
    told = progress or SilentProgress()
    told.start(len(chosen), 0)
    try:
        for entry in chosen:
            record = store.get(entry.presentation.key)
            written = record.token_ids[: record.verdict_index]
            replayed = judge.replay(record.prompt_ids, written, layers=record.layers)
            tally.add(entry, record, replayed, _expected(entry, record, store.meta.readout))
            if entry.completion is not None:
                told.advance(entry.presentation, entry.completion)
    finally:
        told.finish()
    check = ReplayCheck(
        replayed=len(chosen),
        of=len(entries),
        wrong_verdicts=tally.wrong_verdicts,
        wrong_vectors=tally.wrong_vectors,
        largest=tally.largest,
        tolerance=tally.tolerance,
        first=tally.first,
        seconds=time.monotonic() - began,
    )
    write_text_atomically(store.folder / REPLAY, dump(check, indent=2) + "\n")
    return check


def _has_verdict(store: ActivationStore, entry: JournalEntry) -> bool:
    facts = store.facts(entry.presentation.key)
    answered = entry.completion is not None and entry.completion.error is None
    return answered and facts is not None and facts.verdict_index is not None


def _chosen(entries: Sequence[JournalEntry], *, limit: int | None, seed: int) -> list[JournalEntry]:
    if limit is None or limit >= len(entries):
        return list(entries)
    return sorted(entries, key=lambda entry: content_hash([seed, entry.presentation.key]))[:limit]


def _expected(entry: JournalEntry, record: ActivationRecord, readout: Readout) -> int:
    """The token that was recorded at the verdict's place."""
    if readout is Readout.GENERATED and record.verdict_index is not None:
        return record.token_ids[record.verdict_index]
    first = None if entry.completion is None else entry.completion.first_token
    # -1 is no token: nothing was recorded that a replay could agree with.
    return -1 if first is None or first.argmax.token_id is None else first.argmax.token_id


def _distances(record: ActivationRecord, replayed: Replayed) -> list[float]:
    if replayed.vectors is None or record.verdict_index is None:
        return []
    places = {Position.BEFORE_VERDICT: record.verdict_index, Position.PROMPT_END: 0}
    return [
        distance
        for position, kept in record.vectors.items()
        for distance in _relative(replayed.vectors[places[position]], kept)
    ]


def _relative(one: NDArray[np.float32], kept: NDArray[np.float32]) -> list[float]:
    """Distance of each layer's vector, relative to the kept one's length."""
    length = np.linalg.norm(kept.astype(np.float64), axis=1)
    apart = np.linalg.norm(one.astype(np.float64) - kept, axis=1)
    distances: list[float] = np.divide(apart, length, out=apart.copy(), where=length > 0).tolist()
    return distances
