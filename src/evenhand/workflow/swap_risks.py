"""The flip risk of each pair, from order AB alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from evenhand.audits.sample import in_a_table
from evenhand.audits.swap_design import PairRisk
from evenhand.judges import Captures
from evenhand.probes.activation_files import ActivationStore
from evenhand.probes.data import ProbeData, ProbeSubject, Retention
from evenhand.probes.places import Place
from evenhand.probes.saved import SavedProbe
from evenhand.probes.saved_card import Overlap
from evenhand.records import Order, Outcome, Pair, RunManifest
from evenhand.store import Journal
from evenhand.workflow.judged import Judged, ProbedCondition, read_judged
from evenhand.workflow.pair_tokens import count_pair_tokens
from evenhand.workflow.read import read_verdicts

__all__ = ["PairRisks", "pair_risks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRisks:
    """What order AB tells.

    Attributes
    ----------
    risks
        Of every pair of the run, in its order.
    overlap
        What these pairs share with those that the probe was trained on.
    """

    risks: tuple[PairRisk, ...]
    overlap: Overlap


def pair_risks(
    judge: Captures,
    probe: SavedProbe,
    journal: Journal,
    store: ActivationStore,
    *,
    manifest: RunManifest,
    asked: ProbedCondition,
    subject: ProbeSubject,
) -> PairRisks:
    """Apply a probe to what was answered and captured in order AB.

    Parameters
    ----------
    judge
        Counts the responses' tokens.
    manifest
        Of the run.
    asked, subject
        How the run asks, and whose activations it keeps; checked against the probe's.

    Raises
    ------
    ConfigError, DataError, StoreError
        As of :meth:`evenhand.probes.saved.SavedProbe.probabilities` and the activation files.
    """
    pairs = {pair.id: pair for pair in journal.pairs()}
    entries = {
        entry.presentation.pair_id: entry
        for entry in journal.completions()
        if entry.presentation.order is Order.AB and entry.presentation.repeat == 0
    }
    judged: dict[str, Judged] = {}
    for pair_id in pairs:
        entry = entries.get(pair_id)
        if entry is None:
            continue
        found = read_judged(entry.completion, store.facts(entry.presentation.key), asked)
        if isinstance(found, Judged):
            judged[pair_id] = found
    keys = [entries[pair_id].presentation.key for pair_id in judged]
    places = tuple(Place.parse(name) for name in probe.card.features if "@" in name)
    data = _data(judge, judged, pairs, keys, store, places=places, manifest=manifest, subject=subject)
    risks = dict(zip(data.pair_ids, probe.probabilities(data).tolist(), strict=True)) if judged else {}
    decided = _decided(journal, manifest, asked)
    return PairRisks(
        risks=tuple(
            PairRisk(pair_id=pair_id, risk=risks.get(pair_id), decided=decided.get(in_a_table(pair_id)))
            for pair_id in pairs
        ),
        overlap=probe.overlap(data),
    )


def _decided(journal: Journal, manifest: RunManifest, asked: ProbedCondition) -> dict[str, bool | None]:
    """Whether each pair's answer in AB chose a slot, as the audit reads it; None where the call failed."""
    table = read_verdicts(manifest, journal.pairs(), journal.completions())
    rows = table.filter(
        (table["readout"] == asked.readout.value) & (table["order"] == Order.AB.value) & (table["repeat"] == 0)
    )
    found: dict[str, bool | None] = {}
    for pair_id, name in zip(rows["pair_id"].to_list(), rows["outcome"].to_list(), strict=True):
        outcome = Outcome(name)
        found[pair_id] = None if outcome is Outcome.ERROR else outcome.is_decided
    return found


def _data(
    judge: Captures,
    judged: Mapping[str, Judged],
    all_pairs: Mapping[str, Pair],
    keys: list[str],
    store: ActivationStore,
    *,
    places: tuple[Place, ...],
    manifest: RunManifest,
    subject: ProbeSubject,
) -> ProbeData:
    """Order AB of the pairs whose verdict and its token were found; whether they flip isn't known, and isn't read."""
    pairs = [all_pairs[pair_id] for pair_id in judged]
    tokens = count_pair_tokens(judge, pairs)
    return ProbeData(
        subject=subject,
        pair_ids=tuple(judged),
        groups=tuple(pair.group for pair in pairs),
        flips=np.zeros(len(pairs), dtype=np.bool_),
        choice_ab=np.array([each.outcome is Outcome.SECOND for each in judged.values()], dtype=np.int8),
        confidence=np.array([each.confidence for each in judged.values()], dtype=np.float64),
        margin=np.array([each.margin for each in judged.values()], dtype=np.float64),
        length_difference=np.array([tokens[pair.id].difference for pair in pairs], dtype=np.float64),
        activations={place: store.stack(keys, place.position, layers=[place.layer])[:, 0] for place in places}
        if pairs
        else {},
        retention=Retention(planned=len(all_pairs), usable=len(pairs)),
        spec=manifest.data.spec,
        sha256=manifest.data.sha256,
    )
