"""From runs to what each mitigation buys on them: the front door of ``evenhand mitigate``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evenhand.analysis.unit import ClusterBy
from evenhand.datasets.labels import Labels, read_labels
from evenhand.datasets.response_scores import read_response_scores
from evenhand.errors import ConfigError, DataError
from evenhand.mitigation.all_effects import MitigationResults, Truncation, chosen_kinds, measure_all
from evenhand.mitigation.judged import NONE, JudgedPairs
from evenhand.mitigation.panel import assemble
from evenhand.mitigation.review_queue import ReviewItem, review_queue
from evenhand.records import Pair, Preference, Readout
from evenhand.stats import Refusal
from evenhand.store import Journal
from evenhand.workflow.judged_run import JudgedRun, judged_run
from evenhand.workflow.review_file import check_review_path, write_review
from evenhand.workflow.truncated_file import TruncatedFile, write_truncated

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["MitigationRun", "mitigate", "truncate_run"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MitigationRun:
    """What was measured, on which runs.

    Attributes
    ----------
    queue
        Pairs for human review, most urgent first.
    labels
        The label file, where one was given.
    notes
        What was chosen, left out or not compared.
    """

    runs: tuple[JudgedRun, ...]
    results: MitigationResults
    queue: tuple[ReviewItem, ...]
    labels: Labels | None
    seed: int
    resamples: int
    level: float
    notes: tuple[str, ...] = ()

    def study(self) -> Study:
        """It all as a report has it."""
        from evenhand.report.studies.mitigation import MitigationFacts, mitigation_study

        return mitigation_study(
            self.results,
            MitigationFacts(
                runs=tuple(str(run.directory) for run in self.runs),
                judges=tuple(run.judged.judge for run in self.runs),
                condition=" | ".join(dict.fromkeys(run.condition.id for run in self.runs)),
                readout=self.runs[0].readout,
                labels="gold of the pairs" if self.labels is None else self.labels.path.name,
                annotators=() if self.labels is None else self.labels.annotators,
                clusters=self.runs[0].clusters,
                queue=self.queue,
                seed=self.seed,
                resamples=self.resamples,
                notes=self.notes,
            ),
        )


def mitigate(
    runs: str | Path | Sequence[str | Path],
    *,
    labels: str | Path | None = None,
    only: Sequence[str] = (),
    readout: Readout | str | None = None,
    condition: str | None = None,
    truncated: str | Path | None = None,
    alone: str | Path | None = None,
    review: str | Path | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> MitigationRun:
    """Measure what mitigations buy on the verdicts of one run, or of several judges on the same pairs.

    Parameters
    ----------
    labels
        A file of human labels (:func:`evenhand.datasets.labels.read_labels`), in place of the pairs' own gold. Several
        annotators of a pair count by majority.
    only
        Of :data:`evenhand.mitigation.all_effects.KINDS`; empty: all that the runs allow.
    readout, condition
        Of every run; see :func:`evenhand.workflow.judged_run.judged_run`.
    truncated
        A run of the first run's judge on its truncated pairs (:func:`truncate_run`).
    alone
        Scores given to each response by itself, by the first run's judge
        (:func:`evenhand.datasets.response_scores.read_response_scores`).
    review
        Where the review queue goes (``.csv`` or ``.jsonl``).

    Raises
    ------
    ConfigError
        A setting that can't be, a missing extra, or runs that don't go together.
    DataError
        A file, row or field can't be read, or the runs' pairs differ in their texts.
    StoreError
        A run can't be read, or the queue not written.
    """
    directories = [Path(each) for each in ([runs] if isinstance(runs, str | Path) else runs)]
    _check(directories, resamples=resamples, level=level, seed=seed)
    chosen_kinds(only)  # before anything is read
    read_by = None if readout is None else _readout(readout)
    if review is not None:
        check_review_path(Path(review))
    known = _pair_ids(directories[0])
    given = None if labels is None else read_labels(labels, known)
    consensus = None if given is None else given.consensus()
    scores = None if alone is None else read_response_scores(alone, known)
    read = _named(
        [
            judged_run(
                each,
                readout=read_by,
                condition=condition,
                labels=consensus,
                alone=scores if index == 0 else None,
                cluster=cluster,
            )
            for index, each in enumerate(directories)
        ]
    )
    _check_same_pairs(read)
    truncations = [] if truncated is None else [_truncation(read[0], Path(truncated), consensus, cluster)]
    results = measure_all(
        [run.judged for run in read],
        seed=seed,
        resamples=resamples,
        level=level,
        only=only,
        truncations=truncations,
    )
    panel = assemble([run.judged for run in read], fewest=1)
    queue = () if isinstance(panel, Refusal) else review_queue(panel)
    if review is not None:
        write_review(Path(review), queue, read[0].records)
    notes = [note for run in read for note in run.notes]
    if given is not None:
        notes += _label_notes(given)
    return MitigationRun(
        runs=tuple(read),
        results=results,
        queue=queue,
        labels=given,
        seed=seed,
        resamples=resamples,
        level=level,
        notes=tuple(notes),
    )


def truncate_run(directory: str | Path, path: str | Path) -> TruncatedFile:
    """Write a run's pairs with the longer response cut to the length of the shorter.

    Raises
    ------
    ConfigError, DataError, StoreError
        See :func:`evenhand.workflow.truncated_file.write_truncated`.
    """
    with Journal.open(Path(directory), read_only=True) as journal:
        return write_truncated(Path(path), journal.pairs())


def _check(directories: Sequence[Path], *, resamples: int, level: float, seed: int) -> None:
    if not directories:
        raise ConfigError("mitigate: expected the directory of at least one run")
    resolved = [each.resolve() for each in directories]
    if len(set(resolved)) != len(resolved):
        raise ConfigError("mitigate: a run is named twice")
    if resamples < 100:
        raise ConfigError(f"resamples is {resamples}: an interval needs at least 100")
    if not 0.5 <= level < 1:
        raise ConfigError(f"level is {level}: expected from .5 up to below 1, such as .95")
    if seed < 0:
        raise ConfigError(f"seed is {seed}: expected 0 or more")


def _readout(name: Readout | str) -> Readout:
    try:
        return Readout(name)
    except ValueError:
        raise ConfigError(f"readout {name!r}: expected one of {', '.join(map(str, Readout))}") from None


def _pair_ids(directory: Path) -> frozenset[str]:
    with Journal.open(directory, read_only=True, check=False) as journal:
        return frozenset(pair.id for pair in journal.pairs())


def _named(runs: Sequence[JudgedRun]) -> list[JudgedRun]:
    """Judges' names, told apart by the run's folder where two runs are of one judge."""
    names = [run.judged.judge for run in runs]
    return [
        run
        if names.count(name) == 1
        else replace(run, judged=replace(run.judged, judge=f"{name} ({_place(run, runs)})"))
        for name, run in zip(names, runs, strict=True)
    ]


def _place(run: JudgedRun, runs: Sequence[JudgedRun]) -> str:
    same = [each for each in runs if each.directory.name == run.directory.name]
    return run.directory.name if len(same) == 1 else str(run.directory)


def _check_same_pairs(runs: Sequence[JudgedRun]) -> None:
    first = runs[0]
    for run in runs[1:]:
        shared = first.records.keys() & run.records.keys()
        if not shared:
            raise DataError(f"shares no pair with {first.directory}: a panel judges the same pairs", path=run.directory)
        changed = next((i for i in sorted(shared) if _texts(first.records[i]) != _texts(run.records[i])), None)
        if changed is not None:
            raise DataError(f"pair {changed!r} has other texts or gold than in {first.directory}", path=run.directory)


def _texts(pair: Pair) -> tuple[str, str, str, Preference | None]:
    return pair.instruction, pair.response_a, pair.response_b, pair.gold


def _truncation(
    run: JudgedRun, directory: Path, labels: Mapping[str, Preference] | None, cluster: ClusterBy
) -> Truncation:
    condition = run.condition.id
    cut = judged_run(directory, readout=run.readout, condition=condition, labels=labels, cluster=cluster)
    if cut.manifest.judge.model != run.manifest.judge.model or cut.condition.prompt_hash != run.condition.prompt_hash:
        raise ConfigError(
            f"{directory}: truncated pairs must be judged by the same judge under the same prompt as {run.directory}"
        )
    place = {pair_id: row for row, pair_id in enumerate(cut.judged.ids)}
    if not place.keys() & set(run.judged.ids):
        raise DataError(f"shares no pair with {run.directory}: write them with --write-truncated", path=directory)
    return Truncation(judge=run.judged.judge, pairs=_aligned(cut.judged, run.judged, place))


def _aligned(cut: JudgedPairs, whole: JudgedPairs, place: Mapping[str, int]) -> JudgedPairs:
    """The whole run's rows with the verdicts and tokens of the truncated one."""
    rows = np.array([place.get(pair_id, -1) for pair_id in whole.ids])
    has = (rows >= 0)[:, None]
    return replace(
        whole,
        preference=np.where(has, cut.preference[rows], np.int8(NONE)),
        asked=has & cut.asked[rows],
        tokens=np.where(has, cut.tokens[rows], np.nan),
    )


def _label_notes(labels: Labels) -> list[str]:
    notes = []
    if labels.elsewhere:
        notes.append(f"{labels.path.name}: {labels.elsewhere:,} labels are of pairs that this run doesn't have.")
    if labels.empty:
        notes.append(f"{labels.path.name}: {labels.empty:,} rows have no preference; they are no ties.")
    counts: dict[str, int] = {}
    for label in labels.labels:
        counts[label.pair_id] = counts.get(label.pair_id, 0) + 1
    several = sum(count > 1 for count in counts.values())
    if several:
        notes.append(
            f"{labels.path.name}: {several:,} of {len(counts):,} pairs have several labels; the most frequent counts, "
            "a draw is a tie."
        )
    return notes
