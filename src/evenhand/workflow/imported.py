"""Bring someone else's verdict log into the run format, and audit it as if we had asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from evenhand.logs import ColumnarLog, LogEntry, VerdictLog, read_log, read_log_columns
from evenhand.records import (
    COLUMNS_VERSION,
    Completion,
    DataIdentity,
    FinishReason,
    Readout,
    RunManifest,
    content_hash,
    pairs_hash,
)
from evenhand.records.columnar_hash import columns_hash
from evenhand.store import Journal, Recording
from evenhand.store.records_json import completion_to_json
from evenhand.workflow.analyse import analyse
from evenhand.workflow.live import default_directory
from evenhand.workflow.result import AuditRun
from evenhand.workflow.versions import now, versions

__all__ = ["import_log"]


def import_log(
    format: str,
    path: str | Path,
    *,
    out: str | Path | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: str = "auto",
    command: str | None = None,
    planned: Callable[[], None] | None = None,
    **options: str,
) -> AuditRun:
    """Import a verdict log into a run directory and audit it.

    Raw text is read again by our own parser; the log's own reading is kept beside it, under the readout ``logged``,
    and how often the two differ is a finding. Importing the same file again changes nothing; read in another way, such
    as under another ``map``, it takes the place of what was imported before.

    Parameters
    ----------
    format
        ``llmbar``, ``judgebench``, ``alpaca_eval``, ``table``, or another registered one.
    path
        The file or folder.
    out
        The run's directory; None takes ``runs/FILE--FORMAT`` below the working directory.
    planned
        Called once the log is read and the run's plan is set.
    **options
        The format's own, such as ``judge`` and ``model``, LLMBar's ``round``, or ``map``, which says where the columns
        of a table stand: ``"pair_id=q,order=shown,text=said"``.

    Raises
    ------
    DataError
        The file, a row or a field can't be read.
    StoreError
        The run's directory can't be used.
    """
    source = Path(path)
    directory = Path(out) if out is not None else default_directory(format, str(source))
    columnar = read_log_columns(format, source, **options)
    if columnar is not None:
        about = _columnar_manifest(columnar, source, seed=seed, command=command)
        with Journal.create_columnar(directory, about, columnar.columns) as journal:
            if planned is not None:
                planned()
            return analyse(journal, resamples=resamples, level=level, cluster=cluster)
    log = read_log(format, source, **options)
    manifest = _manifest(log, source, seed=seed, command=command)
    with Journal.create(directory, manifest, log.pairs) as journal:
        placed = tuple(_placed(log.entries, journal))
        journal.set_plan(entry.presentation for entry, _ in placed)
        if planned is not None:
            planned()
        journal.record_all(
            Recording(key=entry.presentation.key, completion=entry.completion) for entry, is_new in placed if is_new
        )
        return analyse(journal, resamples=resamples, level=level, cluster=cluster)


def _placed(entries: Iterable[LogEntry], journal: Journal) -> Iterator[tuple[LogEntry, bool]]:
    """Each entry with whether it is to be recorded; its key is another where the journal has another answer under it.

    A key is the file's and the place's in it. The same place may say something else when it is read under other
    options, or by a version that reads better; and an answer is never replaced.
    """
    tried = journal.attempted_keys()  # once: of a log that is read for the first time nothing is looked up

    def attempts(key: str) -> tuple[Completion, ...]:
        return journal.attempts(key) if key in tried else ()

    for entry in entries:
        presentation, kept = entry.presentation, attempts(entry.presentation.key)
        if _is_last(entry.completion, kept):
            yield entry, False
        elif any(completion.finish_reason is not FinishReason.ERROR for completion in kept):
            key = content_hash([presentation.key, completion_to_json(entry.completion)])
            other = replace(entry, presentation=replace(presentation, key=key))
            yield other, not _is_last(entry.completion, attempts(key))
        else:
            yield entry, True


def _is_last(completion: Completion, attempts: Sequence[Completion]) -> bool:
    return bool(attempts) and completion_to_json(attempts[-1]) == completion_to_json(completion)


def _manifest(log: VerdictLog, source: Path, *, seed: int, command: str | None) -> RunManifest:
    return replace(
        _of_log(log, source, seed=seed, command=command),
        data=DataIdentity(spec=f"{log.format}:{source.name}", pairs=len(log.pairs), sha256=pairs_hash(log.pairs)),
        readouts=tuple(readout.value for readout in _readouts(log)),
        excluded=tuple((excluded.pair_id, excluded.reason) for excluded in log.excluded),
    )


def _columnar_manifest(log: ColumnarLog, source: Path, *, seed: int, command: str | None) -> RunManifest:
    pairs = log.columns.pairs
    return replace(
        _of_log(log, source, seed=seed, command=command),
        schema_version=COLUMNS_VERSION,
        data=DataIdentity(spec=f"{log.format}:{source.name}", pairs=pairs.height, sha256=columns_hash(pairs)),
        readouts=(Readout.LOGGED.value,),
    )


def _of_log(log: VerdictLog | ColumnarLog, source: Path, *, seed: int, command: str | None) -> RunManifest:
    """What records and columns say in the same way; the data and the readouts are still to be named."""
    grammars = dict(log.grammars)
    return RunManifest(
        kind="log",
        judge=log.judge,
        data=DataIdentity(spec=f"{log.format}:{source.name}", pairs=0, sha256=""),
        conditions=tuple(replace(condition, grammar=grammars[condition.id]) for condition in log.conditions),
        readouts=(),
        orders=log.orders,
        slots_seen=not isinstance(log, VerdictLog) or log.slots_seen,
        seed=seed,
        log_rules=log.log_rules,
        notes=log.notes,
        versions=versions(),
        created=now(),
        command=command,
    )


def _readouts(log: VerdictLog) -> tuple[Readout, ...]:
    """What the log supports: first-token where it has log probabilities, generated where it has text, its own parse."""
    completions = [entry.completion for entry in log.entries]
    found = []
    if any(completion.first_token is not None for completion in completions):
        found.append(Readout.FIRST_TOKEN)
    if any(completion.text is not None for completion in completions):
        found.append(Readout.GENERATED)
    if any(completion.log_outcome is not None for completion in completions):
        found.append(Readout.LOGGED)
    return tuple(found)
