"""The human labels of a run, for its own report: those in its folder, or of a file or store that is named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from evenhand.analysis.scope import WideTable
from evenhand.analysis.unit import ClusterBy
from evenhand.analysis.wide import widen, widen_columns
from evenhand.audits.humans.beside import LabelledScope, LabelSource, RunBesidePeople, beside_people
from evenhand.datasets.labels import Label, Labels, last_labels, read_labels
from evenhand.errors import DataError, EvenhandError
from evenhand.records import RunManifest
from evenhand.records.columnar import VerdictColumns
from evenhand.records.hashing import content_hash
from evenhand.store.label_store import LABELS, LabelStore, is_label_store
from evenhand.store.label_store_pairs import LabelPairs
from evenhand.store.label_store_records import Drawn
from evenhand.workflow.human_scopes import labelled_scope
from evenhand.workflow.labelling_current import LabelState, counted, state_labels
from evenhand.workflow.run_verdicts import measured_orders_of, readouts_of

if TYPE_CHECKING:
    import polars as pl

__all__ = ["labels_of_run", "people_of_run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Labels of judged pairs, and where they come from."""

    labels: Labels
    source: LabelSource


def people_of_run(
    directory: Path,
    manifest: RunManifest,
    table: pl.DataFrame | VerdictColumns,
    *,
    labels: str | Path | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: str = "auto",
) -> RunBesidePeople | None:
    """Hold a run beside people, every condition and readout that was asked of all pairs.

    The figures are those of :func:`evenhand.workflow.humans.compare_with_humans` with the same seed, whose default is 0
    too.

    Parameters
    ----------
    table
        The run's verdicts.
    labels
        A label file, a label store, or the directory of a run that has one; None: the store in ``directory``.

    Returns
    -------
    RunBesidePeople or None
        None where there are no labels of this run. Labels in the run's own folder that can't be read make no report
        fail: ``unread`` says why then.

    Raises
    ------
    DataError, StoreError
        ``labels`` is given and can't be read, or has no label of a judged pair.
    """
    if labels is None and not (directory / LABELS).is_file():
        return None
    try:
        found = labels_of_run(directory, table, labels=labels)
    except EvenhandError as error:
        if labels is not None:
            raise
        return RunBesidePeople(unread=str(error))
    if found is None:
        return None
    wide = widen_columns(table) if isinstance(table, VerdictColumns) else widen(table)
    scopes = tuple(
        _scopes(
            wide,
            manifest,
            found.labels,
            seed=seed,
            resamples=resamples,
            level=level,
            cluster=cast("ClusterBy", cluster),
        )
    )
    return RunBesidePeople(
        scopes=beside_people(scopes, resamples=resamples),
        source=found.source,
        asked=measured_orders_of(manifest),
        resampled_by=scopes[0].unit if scopes else "",
        resamples=resamples,
        level=level,
        seed=seed,
    )


def labels_of_run(
    directory: Path, table: pl.DataFrame | VerdictColumns, *, labels: str | Path | None = None
) -> _Found | None:
    """Read the labels; None where the run's own store has none of its pairs."""
    path = Path(directory if labels is None else labels)
    store = path / LABELS if path.is_dir() else path
    ids = table.pairs["id"] if isinstance(table, VerdictColumns) else table["pair_id"].unique()
    if labels is None or path.is_dir() or is_label_store(store):
        found = _of_store(store, directory, ids)
        if found is None and labels is not None:
            raise DataError(
                "holds no label of a pair that was judged", path=store, remedy="label with `evenhand serve RUN`"
            )
        return found
    read = read_labels(store, cast("Collection[str]", frozenset(ids)))
    return _Found(labels=read, source=_source(read, blind=False))


def _of_store(path: Path, directory: Path, ids: pl.Series) -> _Found | None:
    events = LabelStore(path, create=False).events()
    here = frozenset(ids.filter(ids.is_in(list({event.showing.pair_id for event in events}))))
    if not here:
        return None
    stated = state_labels(events, text_sha256=LabelPairs([directory]).text_sha256)
    own = [each for each in stated if each.event.showing.pair_id in here]
    count = [each.event for each in own if each.state is LabelState.LABEL]
    labels = counted(own)
    states = Counter(each.state for each in own)
    read = Labels(
        path=path,
        sha256=content_hash([_told(label) for label in labels]),
        labels=labels,
        elsewhere=len(counted(stated)) - len(labels),
    )
    return _Found(
        labels=read,
        source=_source(
            read,
            blind=True,
            skipped=states[LabelState.SKIPPED],
            changed=states[LabelState.CHANGED],
            after_results=sum(event.after_results for event in count),
            informative=sum(event.showing.drawn is Drawn.INFORMATIVE for event in count),
        ),
    )


def _told(label: Label) -> list[str | None]:
    return [label.pair_id, label.preference.value, label.annotator, label.date]


def _source(
    read: Labels, *, blind: bool, skipped: int = 0, changed: int = 0, after_results: int = 0, informative: int = 0
) -> LabelSource:
    return LabelSource(
        path=str(read.path),
        sha256=read.sha256,
        blind=blind,
        labels=len(last_labels(read.labels)),
        annotators=len({label.annotator for label in read.labels}),
        empty=read.empty,
        skipped=skipped,
        changed=changed,
        elsewhere=read.elsewhere,
        after_results=after_results,
        informative=informative,
    )


def _scopes(
    wide: WideTable,
    manifest: RunManifest,
    labels: Labels,
    *,
    seed: int,
    resamples: int,
    level: float,
    cluster: ClusterBy,
) -> Iterator[LabelledScope]:
    """Every condition without changes, under every readout that was asked of all pairs, in the run's order."""
    readouts = readouts_of(manifest)
    for condition in manifest.conditions:
        for readout in () if condition.changes else readouts:
            scope = wide.find(condition.id, readout)
            if scope is not None:
                yield labelled_scope(
                    wide,
                    scope,
                    labels,
                    judge=manifest.judge.model or manifest.judge.spec,
                    asked=measured_orders_of(manifest),
                    seed=seed,
                    resamples=resamples,
                    level=level,
                    cluster=cluster,
                )
