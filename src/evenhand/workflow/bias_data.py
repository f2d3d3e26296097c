"""From a run's journal to what bias audits look at: verdicts of controls and changed conditions, pairs, rationales."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasData, Rationale
from evenhand.audits.bias.registry import BIAS_AUDITS
from evenhand.audits.sample import in_a_table
from evenhand.records import Ask, Condition, Pair, Readout, RunManifest
from evenhand.store import Journal, JournalEntry
from evenhand.workflow.bias_plan import PairChanger
from evenhand.workflow.variants_file import kept_variants

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BiasWatch", "bias_data", "control_rows", "known_biases"]


class BiasWatch:
    """Notes, of answers that pass by, which pairs each changed condition is asked of, and what controls wrote.

    Parameters
    ----------
    manifest
        Of the run whose answers pass by.
    rationales
        Whether texts are kept: those of controls, of the first time that they were asked.
    """

    def __init__(self, manifest: RunManifest, *, rationales: bool) -> None:
        self._changed = frozenset(condition.id for condition in manifest.conditions if condition.changes)
        self._texts = rationales and Readout.GENERATED.value in manifest.readouts
        self._asked: dict[str, set[str]] = {}
        self._rationales: list[Rationale] = []

    def watch(self, entries: Iterable[JournalEntry]) -> Iterator[JournalEntry]:
        """Hand the entries on as they are."""
        for entry in entries:
            presentation = entry.presentation
            if presentation.condition in self._changed:
                self._asked.setdefault(presentation.condition, set()).add(presentation.pair_id)
            elif self._texts and presentation.repeat == 0 and presentation.ask in (Ask.OPEN, Ask.WRITTEN):
                self._keep(entry)
            yield entry

    def _keep(self, entry: JournalEntry) -> None:
        text = None if entry.completion is None else entry.completion.text
        if text and text.strip():
            asked = entry.presentation
            pair_id, order = in_a_table(asked.pair_id), asked.order.value
            self._rationales.append(Rationale(pair_id=pair_id, condition=asked.condition, order=order, text=text))

    @property
    def asked(self) -> dict[str, frozenset[str]]:
        """Per changed condition's id: the pairs planned under it."""
        return {condition: frozenset(pair_ids) for condition, pair_ids in self._asked.items()}

    @property
    def rationales(self) -> tuple[Rationale, ...]:
        """What was kept so far."""
        return tuple(self._rationales)


def bias_data(journal: Journal, table: pl.DataFrame, watch: BiasWatch, *, pairs: Sequence[Pair]) -> BiasData:
    """Put together what bias audits are given.

    Parameters
    ----------
    table
        All verdicts of the run.
    watch
        Whom all its answers have passed.

    Raises
    ------
    StoreError
        The run was made with rewrites whose copy is gone or was changed.
    """
    manifest = journal.manifest
    changer = PairChanger(pairs, kept_variants(journal.directory, manifest, pairs))
    return BiasData(
        table=table,
        wide=widen(table),
        conditions=manifest.conditions,
        pairs={in_a_table(pair.id): pair for pair in pairs},
        left_out=changer.left_out(manifest.conditions, watch.asked),
        rationales=watch.rationales,
        judge=manifest.judge.model or manifest.judge.spec,
    )


def known_biases(manifest: RunManifest) -> tuple[str, ...]:
    """The run's bias audits but for those of a package that isn't installed here: their answers are still there."""
    return tuple(name for name in manifest.biases if name in BIAS_AUDITS)


def control_rows(table: pl.DataFrame, conditions: Iterable[Condition]) -> pl.DataFrame:
    """The verdicts on pairs as they are: what every audit but the bias audits looks at."""
    import polars as pl

    changed = [condition.id for condition in conditions if condition.changes]
    return table.filter(~pl.col("condition").is_in(changed)) if changed else table
