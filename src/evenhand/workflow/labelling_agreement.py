"""How far annotators agree with each other and with themselves, and how far the place of a response sways them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import ABSENT
from evenhand.analysis.unit import ENOUGH_SOURCES
from evenhand.audits.humans.agreement import FEWEST_LABELS, HumanAgreement, human_agreement
from evenhand.audits.humans.among import raw_agreement, two_people
from evenhand.audits.humans.labelled import LabelledPairs
from evenhand.datasets.labels import Label
from evenhand.records import Pair
from evenhand.stats import Estimate, Refusal
from evenhand.store.label_store import LabelStore
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.store.label_store_records import Choice, LabelEvent
from evenhand.workflow.labelling_current import LabelState, StatedLabel, counted, state_labels

__all__ = ["AnnotatorFigures", "LabelAgreement", "label_agreement", "measure_agreement"]

EVERYBODY = "everybody"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorFigures:
    """One annotator, or everybody together.

    Attributes
    ----------
    labels
        Pairs with a preference that counts; ``ties`` are among them.
    skipped
        Pairs on which the annotator could not tell.
    revised
        Pairs whose label the annotator changed to another choice.
    after_results
        Labels given after a look at the results.
    seconds
        Median time of a label; None where no clock was right.
    first_chosen
        Among labels that chose a response, share that chose the one shown first. The order is drawn at random, so that
        a person whom it does not sway has .5, whatever the responses are.
    repeated
        Pairs labelled a second time, in the other order, with a preference in both.
    consistency
        Of them, share with the same preference.
    """

    name: str
    labels: int
    ties: int
    skipped: int
    revised: int
    after_results: int
    seconds: float | None
    first_chosen: Estimate | Refusal
    repeated: int
    consistency: Estimate | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelAgreement:
    """What the labels say of those who gave them. No judge enters.

    Attributes
    ----------
    people
        Krippendorff's alpha, one person beside the others, and every two annotators
        (:func:`evenhand.audits.humans.agreement.human_agreement`).
    raw
        Share of equal preferences among all twos of labels of one pair by different annotators, a tie being one.
    labelled, several
        Pairs with a label that counts; those of them with labels of two annotators or more.
    changed, elsewhere
        Labels of pairs that have other texts by now, which count nowhere; labels of pairs that aren't in these runs.
    resampled_by
        What is resampled, in words.
    version
        The store's, when it was read.
    without_text, conflicting
        Pairs that can't be labelled: their log kept no texts; two runs have them with other texts.
    """

    annotators: tuple[AnnotatorFigures, ...]
    everybody: AnnotatorFigures
    people: HumanAgreement
    raw: Estimate | Refusal
    labelled: int
    several: int
    changed: int
    elsewhere: int
    resampled_by: str
    resamples: int
    level: float
    version: int
    without_text: int = 0
    conflicting: int = 0


def label_agreement(
    store: LabelStore, pairs: LabelPairs, *, seed: int = 0, resamples: int = 2000, level: float = 0.95
) -> LabelAgreement:
    """Measure the labels of a store on the pairs of some runs.

    Raises
    ------
    DataError, StoreError
        Store or runs can't be read.
    """
    version = store.version()
    stated = state_labels(store.events(), text_sha256=pairs.text_sha256)
    made = measure_agreement(stated, pairs, seed=seed, resamples=resamples, level=level, version=version)
    return replace(made, without_text=pairs.without_text, conflicting=len(pairs.conflicting))


def measure_agreement(
    stated: Sequence[StatedLabel],
    pairs: LabelPairs,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    version: int = 0,
) -> LabelAgreement:
    """The same of labels that were read. Intervals resample question groups, or sources where there are enough."""
    here = [each for each in stated if each.event.showing.pair_id in pairs]
    ids = tuple(dict.fromkeys(each.event.showing.pair_id for each in here))
    unit = _unit([pairs.pair(pair_id) for pair_id in ids])
    labels = counted(here)
    labelled = _labelled(ids, unit.clusters, labels)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level)
    place = {pair_id: row for row, pair_id in enumerate(ids)}
    by_name: dict[str, list[StatedLabel]] = {}
    for each in here:
        by_name.setdefault(each.event.annotator, []).append(each)

    def figures(name: str, own: Sequence[StatedLabel]) -> AnnotatorFigures:
        return _figures(name, own, place, sampler.within("labelling", name))

    people = labelled.table.counts.sum(axis=1)
    return LabelAgreement(
        annotators=tuple(figures(name, own) for name, own in by_name.items()),
        everybody=figures(EVERYBODY, here),
        people=human_agreement(labelled, sampler, resamples=resamples),
        raw=raw_agreement(two_people(labelled.table.counts), sampler.within("labelling", "raw")),
        labelled=int(np.count_nonzero(people)),
        several=int(np.count_nonzero(people > 1)),
        changed=sum(each.state is LabelState.CHANGED for each in here),
        elsewhere=len(stated) - len(here),
        resampled_by=unit.name,
        resamples=resamples,
        level=level,
        version=version,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Unit:
    name: str
    clusters: NDArray[np.int64]


def _unit(pairs: Sequence[Pair]) -> _Unit:
    """The rule of :func:`evenhand.analysis.unit.resampling_unit`, over the labelled pairs."""
    sources = {pair.source for pair in pairs}
    by_source = len(sources) >= ENOUGH_SOURCES
    codes: dict[str, int] = {}
    clusters = [codes.setdefault(pair.source if by_source else pair.group, len(codes)) for pair in pairs]
    return _Unit(name="source" if by_source else "question group", clusters=np.array(clusters, dtype=np.int64))


def _labelled(ids: tuple[str, ...], clusters: NDArray[np.int64], labels: Iterable[Label]) -> LabelledPairs:
    own: dict[str, list[Label]] = {pair_id: [] for pair_id in ids}
    for label in labels:
        own[label.pair_id].append(label)
    nothing = np.full(len(ids), ABSENT, dtype=np.int8)
    return LabelledPairs(
        judge="",
        ids=ids,
        clusters=clusters,
        ab=nothing,
        ba=nothing,
        labels=tuple(tuple(each) for each in own.values()),
        authors=((None, None),) * len(ids),
    )


def _figures(name: str, own: Sequence[StatedLabel], place: dict[str, int], sampler: Sampler) -> AnnotatorFigures:
    by_state = Counter(each.state for each in own)
    count = [each.event for each in own if each.state is LabelState.LABEL]
    seconds = [event.seconds for event in count if event.seconds is not None]
    said: dict[int, set[Choice]] = {}
    for each in own:
        said.setdefault(each.event.showing.id, set()).add(each.event.choice)
    twice = _twice(own)
    return AnnotatorFigures(
        name=name,
        labels=len(count),
        ties=sum(event.choice is Choice.TIE for event in count),
        skipped=by_state[LabelState.SKIPPED],
        revised=sum(len(choices) > 1 for choices in said.values()),
        after_results=sum(event.after_results for event in count),
        seconds=median(seconds) if seconds else None,
        first_chosen=_share(
            "first chosen",
            [
                (event.showing.pair_id, event.choice is Choice.FIRST)
                for event in count
                if event.choice is not Choice.TIE
            ],
            place,
            sampler,
            what="labels that chose a response",
        ),
        repeated=len(twice),
        consistency=_share(
            "consistency",
            [(first.showing.pair_id, first.preference == again.preference) for first, again in twice],
            place,
            sampler,
            what="pairs labelled twice with a preference",
        ),
    )


def _twice(own: Sequence[StatedLabel]) -> list[tuple[LabelEvent, LabelEvent]]:
    """First label and repeat of one annotator and pair, both with a preference."""
    first = {
        (each.event.annotator, each.event.showing.pair_id): each.event for each in own if each.state is LabelState.LABEL
    }
    again = [each.event for each in own if each.state is LabelState.REPEAT and each.event.preference is not None]
    keys = [(event.annotator, event.showing.pair_id) for event in again]
    return [(first[key], event) for key, event in zip(keys, again, strict=True) if key in first]


def _share(
    name: str, cases: Sequence[tuple[str, bool]], place: dict[str, int], sampler: Sampler, *, what: str
) -> Estimate | Refusal:
    """Share of the cases that hold, each of a pair."""
    if len(cases) < FEWEST_LABELS:
        return Refusal(reason=f"needs at least {FEWEST_LABELS} {what}, has {len(cases)}", n=len(cases))
    rows = np.array([place[pair_id] for pair_id, _ in cases])
    holds = np.array([flag for _, flag in cases], dtype=np.float64)
    size = len(place)
    return sampler.rate(
        name,
        np.bincount(rows, weights=holds, minlength=size),
        np.bincount(rows, minlength=size).astype(np.float64),
        pairs=np.arange(size),
        nothing=f"needs {what}",
    ).estimate
