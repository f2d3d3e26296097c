"""Blind labelling of the pairs of some runs: what is put before whom, and what they said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from evenhand.errors import ConfigError
from evenhand.records import Order
from evenhand.store.label_store import LABELS, LabelStore
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.store.label_store_records import Annotator, Showing, text_sha256
from evenhand.workflow.labelling_design import LabelDesign, Progress
from evenhand.workflow.labelling_settings import LabelSettings

__all__ = ["Labelling", "ShownPair", "open_labelling"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPair:
    """What an annotator sees of a pair: three texts, and nothing else."""

    instruction: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labelling:
    """The labelling of some runs' pairs.

    Attributes
    ----------
    store, pairs, design
        Where labels go, what is labelled, and who gets what.
    """

    store: LabelStore
    pairs: LabelPairs
    design: LabelDesign
    settings: LabelSettings

    def next(self, annotator: Annotator) -> Showing | None:
        """The annotator's open showing, or a new one, recorded; None where nothing is left for them."""
        now = datetime.now(UTC)
        return self.store.show(annotator, lambda states: self.design.next(annotator, states, now=now))

    def progress(self, annotator: Annotator) -> Progress:
        """Where the annotator stands."""
        return self.design.progress(annotator, self.store.states(), now=datetime.now(UTC))

    def shown(self, showing: Showing) -> ShownPair | None:
        """The texts in the order of the showing; None where the pair has other texts by now, or is gone."""
        if showing.pair_id not in self.pairs:
            return None
        pair = self.pairs.pair(showing.pair_id)
        # Of the texts that were read just now: the run may have been made anew since the page was delivered.
        if text_sha256(pair) != showing.text_sha256:
            return None
        texts = (pair.response_a, pair.response_b)
        first, second = texts if showing.shown_order is Order.AB else texts[::-1]
        return ShownPair(instruction=pair.instruction, first=first, second=second)


def open_labelling(
    runs: Sequence[str | Path], path: str | Path | None = None, *, settings: LabelSettings | None = None
) -> Labelling:
    """Open, or begin, the labelling of the pairs of some runs.

    Parameters
    ----------
    path
        The label store; None: ``labels.sqlite`` in the first run's directory.
    settings
        None: the defaults of :class:`~evenhand.workflow.labelling_settings.LabelSettings`.

    Raises
    ------
    ConfigError
        No run, or no pair whose texts are known.
    StoreError
        A run can't be read, or the labels not written.
    """
    directories = [Path(run) for run in runs]
    if not directories:
        raise ConfigError("nothing to label: name at least one run directory")
    chosen = settings or LabelSettings()
    pairs = LabelPairs(directories)
    if not pairs.ids:
        raise ConfigError(f"{directories[0]}: nothing to label: no pair has the texts of its responses")
    priority = None
    if chosen.order == "informative":
        from evenhand.workflow.labelling_priority import informative_pairs

        priority = informative_pairs(directories)
    store = LabelStore(Path(path) if path is not None else directories[0] / LABELS, seed=chosen.seed)
    design = LabelDesign(
        pairs.ids, text_sha256=pairs.text_sha256, settings=chosen, seed=store.facts().seed, priority=priority
    )
    return Labelling(store=store, pairs=pairs, design=design, settings=chosen)
