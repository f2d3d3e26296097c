"""What a run's journal tells of its pairs beside their verdicts: authors, gold preferences, and measured seconds."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.errors import ConfigError
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.activation_record import write_record
from evenhand.probes.data import ProbeData
from evenhand.probes.triage_leaderboard import Authorship, authorship
from evenhand.probes.triage_time import PairSeconds
from evenhand.records import Order, Preference, RunManifest
from evenhand.stats import Refusal
from evenhand.store import Journal

__all__ = ["RunFacts", "read_facts", "writing_seconds"]

_SAMPLED: Final = 32
"""Records that are written once more to see how long one takes."""

_Seconds = Mapping[tuple[str, Order], float]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunFacts:
    """Of the usable pairs, in the order of the data.

    Attributes
    ----------
    seconds
        A refusal where no answer tells its seconds.
    keys_ab
        Journal keys of the presentations in order AB.
    """

    authors: Authorship
    gold: tuple[Preference | None, ...]
    seconds: PairSeconds | Refusal
    keys_ab: tuple[str, ...]

    def rows(self, which: NDArray[np.bool_]) -> RunFacts:
        """The same for some of the usable pairs, by mask; pairs that can't be scored cost what they cost."""
        index = np.flatnonzero(which)
        own, seconds = self.authors, self.seconds
        if not isinstance(seconds, Refusal):
            seconds = replace(
                seconds,
                ab=seconds.ab[index],
                ba=seconds.ba[index],
                plain_ab=None if seconds.plain_ab is None else seconds.plain_ab[index],
                plain_ba=None if seconds.plain_ba is None else seconds.plain_ba[index],
            )
        return RunFacts(
            authors=replace(own, a=own.a[index], b=own.b[index]),
            gold=tuple(self.gold[i] for i in index),
            seconds=seconds,
            keys_ab=tuple(self.keys_ab[i] for i in index),
        )


def read_facts(directory: Path, data: ProbeData, *, plain: Path | None = None) -> RunFacts:
    """Read the journal once more.

    Parameters
    ----------
    directory
        The run that ``data`` was loaded from.
    plain
        A run of the same judge and prompt on the same pairs without activations, for what it costs to take them.

    Raises
    ------
    ConfigError
        ``plain`` is of another judge or prompt, or lacks a pair.
    StoreError
        A run can't be read.
    """
    with Journal.open(directory, read_only=True) as journal:
        manifest, pairs = journal.manifest, {pair.id: pair for pair in journal.pairs()}
        seconds = _seconds(journal)
        keys = {
            entry.presentation.pair_id: entry.presentation.key
            for entry in journal.completions()
            if entry.presentation.repeat == 0 and entry.presentation.order is Order.AB
        }
    own = [pairs[pair_id] for pair_id in data.pair_ids]
    return RunFacts(
        authors=authorship([pair.author_a for pair in own], [pair.author_b for pair in own]),
        gold=tuple(pair.gold for pair in own),
        seconds=_pair_seconds(data, seconds, None if plain is None else _plain(plain, data, like=manifest)),
        keys_ab=tuple(keys[pair_id] for pair_id in data.pair_ids),
    )


def writing_seconds(directory: Path, keys: Sequence[str]) -> float:
    """How long the activations of these presentations take to write, durably: a sample is written again and timed."""
    if not keys:
        return 0.0
    step = max(1, len(keys) // _SAMPLED)
    chosen = list(keys[::step])
    records = list(ActivationStore(directory).records(chosen))
    with tempfile.TemporaryDirectory(prefix="evenhand-triage-") as folder:
        began = perf_counter()
        for number, record in enumerate(records):
            write_record(Path(folder) / f"{number}.safetensors", record)
        elapsed = perf_counter() - began
    return elapsed * len(keys) / len(chosen)


def _seconds(journal: Journal) -> dict[tuple[str, Order], float]:
    """Seconds of each answered presentation that tells them; repeats are left out."""
    found: dict[tuple[str, Order], float] = {}
    for entry in journal.completions():
        completion, presentation = entry.completion, entry.presentation
        if completion is not None and completion.usage.seconds is not None and presentation.repeat == 0:
            found[presentation.pair_id, presentation.order] = completion.usage.seconds
    return found


def _plain(directory: Path, data: ProbeData, *, like: RunManifest) -> _Seconds:
    with Journal.open(directory, read_only=True) as journal:
        manifest, seconds = journal.manifest, _seconds(journal)
    ours, theirs = ((m.judge.model, [c.prompt_hash for c in m.conditions]) for m in (like, manifest))
    if ours != theirs:
        raise ConfigError(
            f"{directory}: its judge {manifest.judge.model} or its prompt isn't that of the run ({like.judge.model})"
        )
    missing = sum((pair, order) not in seconds for pair in data.pair_ids for order in Order)
    if missing:
        raise ConfigError(f"{directory}: tells no seconds of {missing:,} of {2 * len(data):,} presentations of the run")
    return seconds


def _pair_seconds(data: ProbeData, seconds: _Seconds, plain: _Seconds | None) -> PairSeconds | Refusal:
    if not seconds:
        return Refusal(reason="the judge doesn't tell the seconds of its answers", n=0)

    def column(of: _Seconds, order: Order) -> NDArray[np.float64]:
        return np.array([of.get((pair, order), np.nan) for pair in data.pair_ids])

    usable = set(data.pair_ids)
    return PairSeconds(
        ab=column(seconds, Order.AB),
        ba=column(seconds, Order.BA),
        plain_ab=None if plain is None else column(plain, Order.AB),
        plain_ba=None if plain is None else column(plain, Order.BA),
        others=sum(value for (pair, _), value in seconds.items() if pair not in usable),
    )
