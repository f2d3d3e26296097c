"""Figures of many runs in one file, and a control chart that tells a drift from noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from evenhand.analysis.unit import ClusterBy
from evenhand.audits.drift.chart import FALSE_ALARM, SMOOTHING
from evenhand.audits.drift.levels import Level, measure_levels
from evenhand.audits.drift.measures import DRIFT_MEASURES, drift_measure
from evenhand.audits.drift.requirements import readout_named
from evenhand.audits.drift.series import HistorySeries, chart_series
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout, RunManifest, content_hash
from evenhand.stats import Estimate, Refusal
from evenhand.store.history_file import HistoryEntry, HistoryFigure, add_entry, read_history
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_verdicts import RunVerdicts, read_run
from evenhand.workflow.versions import now

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["DEFAULT_MEASURES", "MOST_DRAWN", "History", "add_to_history", "show_history"]

DEFAULT_MEASURES = ("flip_rate", "compliance_pairs", "verdict_rate", "position_bias_strength", "accuracy")
"""What is charted where nothing is named."""

MOST_DRAWN: Final = 12
"""Charts that are drawn where no measure is named, those that signal first: a convention, what a reader looks through.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Charts of a history file.

    Attributes
    ----------
    path, entries
        The file and its runs.
    series
        One chart a condition, readout and measure.
    most_drawn
        How many charts are drawn; None: all. Every one has its limits, its table and its signals.
    """

    path: Path
    entries: tuple[HistoryEntry, ...]
    series: tuple[HistorySeries, ...]
    most_drawn: int | None = None

    @property
    def signals(self) -> tuple[HistorySeries, ...]:
        """Charts on which the newest run is beyond its limits, or has no figure though the baseline runs have."""
        return tuple(series for series in self.series if series.newest_signals)

    def study(self) -> Study:
        """The charts as a report has them."""
        from evenhand.report.studies.history import history_study

        return history_study(self.entries, self.series, place=str(self.path), most_drawn=self.most_drawn)


def add_to_history(
    path: str | Path,
    run: str | Path | AuditRun,
    *,
    baseline: bool = False,
    note: str = "",
    replace: bool = False,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> HistoryEntry:
    """Append a run's figures to a history file.

    Parameters
    ----------
    path
        Made where it is missing.
    run
        Its directory. A run that isn't finished is added with what it has; adding it again later replaces that.
    baseline
        Mark it as a run of a judge in control.
    note
        At most 500 characters.
    replace
        Put it in the place of the same run's earlier entry.

    Raises
    ------
    ConfigError
        A run without any answer, or a note that is too long.
    DataError
        The run is there already, or the file can't be read.
    StoreError
        The directory is no run, or the file can't be written.
    """
    if len(note) > 500:
        raise ConfigError(f"note: has {len(note):,} characters, expected at most 500")
    read = read_run(run)
    if not read.counts.finished:
        raise ConfigError(f"{read.directory}: no presentation has an answer: there is nothing to add")
    entry = _entry(read, baseline=baseline, note=note, resamples=resamples, level=level, cluster=cluster)
    add_entry(Path(path), entry, replace=replace)
    return entry


def _entry(
    read: RunVerdicts, *, baseline: bool, note: str, resamples: int, level: float, cluster: ClusterBy
) -> HistoryEntry:
    manifest = read.manifest
    levels = measure_levels(
        read.table, orders=read.measured, seed=manifest.seed, resamples=resamples, level=level, cluster=cluster
    )
    kept = {condition.id for condition in read.controls}
    return HistoryEntry(
        run=_run_hash(manifest),
        created=manifest.created,
        added=now(),
        judge=manifest.judge.spec,
        judge_hash=_judge_hash(manifest),
        data=manifest.data.spec,
        data_hash=manifest.data.sha256,
        settings_hash=_settings_hash(manifest),
        planned=read.counts.planned,
        finished=read.counts.finished,
        level=level,
        figures=tuple(
            _figure(each) for each in levels.levels if each.condition in kept and each.readout in read.readouts
        ),
        baseline=baseline,
        note=note,
    )


def _figure(level: Level) -> HistoryFigure:
    estimate = level.estimate
    found = estimate if isinstance(estimate, Estimate) else None
    interval = None if found is None else found.interval
    return HistoryFigure(
        condition=level.condition,
        readout=str(level.readout),
        measure=level.measure,
        value=None if found is None else found.value,
        low=None if interval is None else interval.low,
        high=None if interval is None else interval.high,
        standard_error=level.standard_error,
        n=estimate.n,
        clusters=None if found is None else found.clusters,
        pairs=level.pairs,
        reason=estimate.reason if isinstance(estimate, Refusal) else None,
    )


def _judge_hash(manifest: RunManifest) -> str:
    judge = manifest.judge
    return content_hash([judge.spec, judge.model, judge.revision, judge.engine, list(map(list, judge.settings))])


def _settings_hash(manifest: RunManifest) -> str:
    sampling = manifest.sampling
    conditions = [[each.id, each.prompt_hash, each.labels.name, each.prefill] for each in manifest.conditions]
    decoding = None if sampling is None else [sampling.temperature, list(sampling.budgets)]
    return content_hash([conditions, decoding])


def _run_hash(manifest: RunManifest) -> str:
    return content_hash([_judge_hash(manifest), manifest.data.sha256, _settings_hash(manifest), manifest.created])


def show_history(
    path: str | Path,
    *,
    measures: Sequence[str] = (),
    condition: str | None = None,
    readout: str | Readout | None = None,
    baseline: int | None = None,
    false_alarm: float = FALSE_ALARM,
    smoothing: float = SMOOTHING,
) -> History:
    """Chart a history file.

    Parameters
    ----------
    measures
        Keys of DRIFT_MEASURES or their short names; none: :data:`DEFAULT_MEASURES` that any run has.
    condition, readout
        To which the charts are limited; None: all that the newest run has.
    baseline
        The first so many runs are taken to be in control; None: those that are marked, or where none is, the first 8.
    false_alarm, smoothing
        See :func:`evenhand.audits.drift.chart.control_chart`.

    Raises
    ------
    ConfigError
        A measure, condition or readout that there isn't.
    DataError
        A file that can't be read, with the row of the line that is wrong.
    """
    path = Path(path)
    entries = read_history(path)
    _check_values(entries, path)
    if not entries:
        raise ConfigError(f"{path}: has no run yet: evenhand history add {path} RUN")
    names = [drift_measure(name).name for name in measures]
    wanted = None if readout is None else str(readout_named(str(readout)))
    scopes = _scopes(entries, condition=condition, readout=wanted)
    if not scopes:
        have = sorted({f"{f.condition}, {f.readout}" for e in entries for f in e.figures})
        raise ConfigError(f"{path}: no such condition and readout; it has {'; '.join(have) or 'no figure'}")
    chosen = names or [name for name in DEFAULT_MEASURES if _is_measured(entries, name)]
    series = [
        chart_series(
            entries,
            measure=name,
            condition=own,
            readout=read,
            baseline=baseline,
            false_alarm=false_alarm,
            smoothing=smoothing,
        )
        for own, read in scopes
        for name in chosen
    ]
    kept = tuple(each for each in series if names or each.has_figures)
    return History(path=path, entries=entries, series=kept, most_drawn=None if names else MOST_DRAWN)


def _check_values(entries: Sequence[HistoryEntry], path: Path) -> None:
    """A figure outside of what its measure can be is a slip of whoever wrote the line."""
    for row, entry in enumerate(entries, start=1):
        for number, figure in enumerate(entry.figures, start=1):
            measure = DRIFT_MEASURES.get(figure.measure)
            if measure is None or figure.value is None or measure.lowest <= figure.value <= 1.0:
                continue
            raise DataError(
                f"{figure.value:g} is no {measure.info.label}: expected {measure.lowest:g} to 1",
                path=path,
                row=row,
                field=f"figures, {number}, value",
                remedy="correct the line, or add the run again with --replace",
            )


def _scopes(
    entries: Sequence[HistoryEntry], *, condition: str | None, readout: str | None
) -> tuple[tuple[str, str], ...]:
    """Conditions and readouts of the newest run, or those named, of any run."""
    named = condition is not None or readout is not None
    pool: Iterable[HistoryEntry] = reversed(entries) if named else entries[-1:]
    found = dict.fromkeys((f.condition, f.readout) for e in pool for f in e.figures)
    return tuple(
        (own, read)
        for own, read in found
        if (condition is None or own == condition) and (readout is None or read == readout)
    )


def _is_measured(entries: Sequence[HistoryEntry], name: str) -> bool:
    return any(f.measure == name and f.value is not None for e in entries for f in e.figures)
