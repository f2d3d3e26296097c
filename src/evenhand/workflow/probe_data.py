"""From a collected run to what probes learn from: usable pairs as arrays, and what became of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.errors import ConfigError, DataError, StoreError
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.activation_meta import ActivationMeta
from evenhand.probes.data import ProbeData, ProbeSubject, Retention
from evenhand.probes.places import Place
from evenhand.records import Order, Outcome, Pair, Presentation, Readout, RunManifest, preference_of
from evenhand.stats import Estimate, Refusal, cluster_rate
from evenhand.store import Journal, JournalEntry
from evenhand.workflow.judged import Judged, Lost, ProbedCondition, read_judged
from evenhand.workflow.pair_tokens import PairTokens, read_pair_tokens

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PAIR_TOKENS", "check_all_kept", "load_probe_data", "pair_compliance", "probe_subject", "shared_pairs"]

PAIR_TOKENS = "pairs.parquet"
"""Beside the activations: :mod:`evenhand.workflow.pair_tokens`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Usable:
    """A pair that was judged in both orders, in the format asked for."""

    pair: Pair
    key: str
    ab: Judged
    ba: Judged

    @property
    def flips(self) -> bool:
        return preference_of(self.ab.outcome, Order.AB) is not preference_of(self.ba.outcome, Order.BA)


def load_probe_data(directory: str | Path, *, places: Sequence[Place] | None = None) -> ProbeData:
    """Read the usable pairs of a run of ``evenhand probe collect``, finished or not.

    A pair is usable where both orders were answered in the format asked for, with a decided verdict whose token was
    found. Everything else is counted under its first reason, AB before BA.

    Parameters
    ----------
    directory
        The run.
    places
        Whose activations to read; None: all that are kept. None of them: ``()``, which is quick.

    Raises
    ------
    StoreError
        Not such a run, damaged, or an answer without its activation.
    ConfigError
        A place that isn't kept.
    DataError
        Another command has replaced the run's plan, or order BA was asked of a part of the pairs only.
    """
    directory = Path(directory)
    store = ActivationStore(directory)
    # The journal first: a record is written before its answer, so whatever it answers has its record then.
    with Journal.open(directory, read_only=True) as journal:
        manifest, pairs = journal.manifest, journal.pairs()
        entries = tuple(journal.completions())
    if manifest.swap is not None:
        raise DataError(
            f"{directory}: order BA was asked where a flip was likely, so its pairs are no fair sample to learn from",
            remedy="collect pairs in both orders with evenhand probe collect",
        )
    wanted = _places(store, places)
    asked = ProbedCondition.of(manifest, store.meta.readout)
    check_all_kept(store, [e.presentation for e in entries if e.completion is not None and e.completion.error is None])
    usable, retention = _sorted_out(pairs, entries, store, asked)
    tokens = read_pair_tokens(store.folder / PAIR_TOKENS, [each.pair for each in usable])
    return _data(
        usable,
        retention,
        tokens,
        subject=probe_subject(manifest, store.meta, asked),
        activations=dict(_activations(store, [each.key for each in usable], wanted)),
        manifest=manifest,
    )


def probe_subject(manifest: RunManifest, meta: ActivationMeta, asked: ProbedCondition) -> ProbeSubject:
    """Whose activations these are."""
    judge, condition = manifest.judge, asked.condition
    settings = dict(judge.settings)
    dtype = settings.pop("dtype", "unknown")
    if asked.readout is Readout.PREFILLED and condition.prefill is not None:
        settings["prefill"] = condition.prefill
    return ProbeSubject(
        model=judge.model,
        revision=judge.revision,
        dtype=dtype,
        prompt=condition.prompt,
        prompt_hash=condition.prompt_hash,
        labels=condition.labels.name,
        readout=asked.readout,
        blocks=meta.blocks,
        size=meta.size,
        settings=tuple(settings.items()),
    )


def shared_pairs(datas: Sequence[ProbeData]) -> tuple[str, ...]:
    """The pairs that are usable for every judge, in the order of the first.

    Raises
    ------
    ConfigError
        No data at all, or runs on different pairs.
    """
    if not datas:
        raise ConfigError("no runs to share pairs: name at least one directory")
    other = next((data for data in datas if data.sha256 != datas[0].sha256), None)
    if other is not None:
        raise ConfigError(
            f"the runs are on different pairs: {datas[0].spec!r} ({datas[0].retention.planned:,} pairs, sha256 "
            f"{datas[0].sha256[:12]}…) and {other.spec!r} ({other.retention.planned:,} pairs, {other.sha256[:12]}…)"
        )
    common = set(datas[0].pair_ids).intersection(*(data.pair_ids for data in datas[1:]))
    return tuple(pair_id for pair_id in datas[0].pair_ids if pair_id in common)


def check_all_kept(store: ActivationStore, answered: Iterable[Presentation]) -> None:
    """Refuse answers without activations: those could only be got by asking again.

    Parameters
    ----------
    answered
        The presentations that have an answer.

    Raises
    ------
    StoreError
        Some of them have no activation; the message counts them.
    """
    kept = store.keys() if store.exists else frozenset()
    missing = [presentation for presentation in answered if presentation.key not in kept]
    if missing:
        first = missing[0]
        raise StoreError(
            f"{store.folder}: {len(missing):,} answers have no activation (the first is of pair {first.pair_id!r}, "
            f"order {first.order}): another command asked them, or a file is gone; collect into another directory"
        )


def _places(store: ActivationStore, places: Sequence[Place] | None) -> tuple[Place, ...]:
    kept = store.meta.places
    if places is None:
        return kept
    for place in places:
        if place not in kept:
            raise ConfigError(f"place {place.name}: {store.folder} keeps {', '.join(each.name for each in kept)}")
    return tuple(dict.fromkeys(places))


def _sorted_out(
    pairs: Sequence[Pair], entries: Iterable[JournalEntry], store: ActivationStore, asked: ProbedCondition
) -> tuple[list[_Usable], Retention]:
    found: dict[tuple[str, Order], JournalEntry] = {
        (entry.presentation.pair_id, entry.presentation.order): entry
        for entry in entries
        if entry.presentation.repeat == 0
    }

    def judged(pair: Pair, order: Order) -> Judged | Lost:
        entry = found.get((pair.id, order))
        if entry is None:
            return Lost(reason="not asked yet")
        return read_judged(entry.completion, store.facts(entry.presentation.key), asked)

    usable: list[_Usable] = []
    lost: Counter[str] = Counter()
    for pair in pairs:
        ab, ba = judged(pair, Order.AB), judged(pair, Order.BA)
        if isinstance(ab, Lost):
            lost[ab.reason] += 1
        elif isinstance(ba, Lost):
            lost[ba.reason] += 1
        else:
            key = found[pair.id, Order.AB].presentation.key
            usable.append(_Usable(pair=pair, key=key, ab=ab, ba=ba))
    reasons = sorted(lost.items(), key=lambda item: (-item[1], item[0]))
    return usable, Retention(planned=len(pairs), usable=len(usable), lost=tuple(reasons))


def _activations(
    store: ActivationStore, keys: Sequence[str], places: Sequence[Place]
) -> Iterator[tuple[Place, NDArray[np.float32]]]:
    for position in dict.fromkeys(place.position for place in places):
        chosen = [place for place in places if place.position is position]
        stacked = store.stack(keys, position, layers=[place.layer for place in chosen])
        for column, place in enumerate(chosen):
            yield place, np.ascontiguousarray(stacked[:, column])


def _data(
    usable: Sequence[_Usable],
    retention: Retention,
    tokens: Mapping[str, PairTokens],
    *,
    subject: ProbeSubject,
    activations: Mapping[Place, NDArray[np.float32]],
    manifest: RunManifest,
) -> ProbeData:
    return ProbeData(
        subject=subject,
        pair_ids=tuple(each.pair.id for each in usable),
        groups=tuple(each.pair.group for each in usable),
        flips=np.array([each.flips for each in usable], dtype=np.bool_),
        choice_ab=np.array([each.ab.outcome is Outcome.SECOND for each in usable], dtype=np.int8),
        confidence=np.array([each.ab.confidence for each in usable], dtype=np.float64),
        margin=np.array([each.ab.margin for each in usable], dtype=np.float64),
        length_difference=np.array([tokens[each.pair.id].difference for each in usable], dtype=np.float64),
        activations=activations,
        retention=retention,
        spec=manifest.data.spec,
        sha256=manifest.data.sha256,
        led=_led(usable, subject.readout),
    )


def _led(usable: Sequence[_Usable], readout: Readout) -> NDArray[np.bool_] | None:
    """Whether each pair was led with a label in both orders; None where that isn't asked or some isn't known."""
    if readout not in (Readout.FIRST_TOKEN, Readout.PREFILLED):
        return None
    if any(judged.led is None for each in usable for judged in (each.ab, each.ba)):
        return None
    return np.array([bool(each.ab.led and each.ba.led) for each in usable], dtype=np.bool_)


def pair_compliance(data: ProbeData, *, level: float = 0.95) -> Estimate | Refusal | None:
    """Share of the pairs on which the judge led with a label in both orders, with its interval over question groups.

    None under a readout of what the judge wrote, whose format is checked.
    """
    if data.subject.readout not in (Readout.FIRST_TOKEN, Readout.PREFILLED):
        return None
    if data.led is None:
        return Refusal(reason="first tokens are not known of every pair", n=len(data))
    # The interval draws nothing; a generator is asked for all the same.
    return cluster_rate(data.led, None, data.groups, rng=np.random.default_rng(0), level=level)
