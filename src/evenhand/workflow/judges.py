"""Several runs on the same pairs: one report of all their judges, and which of them differ beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.judges.comparison import ComparedRun, JudgesComparison, compare_judge_tables
from evenhand.audits.judges.figures import figures_of
from evenhand.audits.judges.lined_up import JudgeTable
from evenhand.errors import ConfigError
from evenhand.records import Condition, Readout
from evenhand.workflow.readout_choice import TEXT_FIRST
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_verdicts import RunVerdicts, count_sentences, read_run

if TYPE_CHECKING:
    from evenhand.analysis.study import Study
    from evenhand.report.study.write import WrittenStudy

__all__ = ["FOLDER", "JudgesReport", "report_runs"]

FOLDER = "judges"
"""Below the first run's directory: where the report goes unless another place is named."""
_LISTED = 6  # names in one message or sentence


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgesReport:
    """What several runs show beside each other.

    Attributes
    ----------
    runs
        In the order given, each with its own figures.
    comparison
        Every two of them on the pairs that they share.
    notes
        What was chosen, and what is missing.
    """

    runs: tuple[ComparedRun, ...]
    comparison: JudgesComparison
    notes: tuple[str, ...] = ()

    @property
    def compared(self) -> bool:
        """Whether any two judges have a figure for the same pairs."""
        return any(family.known for family in self.comparison.measures)

    def study(self) -> Study:
        """It all as a report has it."""
        from evenhand.report.studies.judges import judges_study

        return judges_study(self.runs, self.comparison, notes=self.notes)

    def write_report(self, directory: str | Path | None = None, *, command: str | None = None) -> WrittenStudy:
        """Write the study's HTML, JSON, Markdown, tables and figures (None: ``judges/`` below the first run)."""
        from evenhand.report.study.write import write_study
        from evenhand.workflow.versions import now

        target = Path(self.runs[0].place) / FOLDER if directory is None else Path(directory)
        return write_study(target, self.study(), command=command, created=now())


def report_runs(
    runs: Sequence[str | Path | AuditRun],
    *,
    condition: str | None = None,
    readout: str | Readout | None = None,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: str = "auto",
) -> JudgesReport:
    """Put several finished runs side by side; nothing is asked or written.

    Each run's own figures are those of its report. Differences are paired: over exactly the pairs (or presentations)
    that both runs know the measure for, with p-values that are adjusted over every two judges under each measure.

    Parameters
    ----------
    runs
        Two or more directories or opened runs, live or imported, finished or not.
    condition
        What stands for each judge. None: the first condition that all runs have, or else each run's first.
    readout
        None: what the judge wrote, where all runs have it; the first readout that all have; or else each run's own.
    seed, resamples, level, cluster
        As in :func:`evenhand.audit`.

    Raises
    ------
    ConfigError
        Fewer than two runs, one named twice, or a condition or readout that one of them lacks.
    StoreError
        A directory that is no run, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import tempfile, evenhand
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runs = [
    ...         evenhand.audit(f"simulated:position={lean}", "starter", limit=12, out=f"{folder}/{lean}")
    ...         for lean in (0.0, 2.0)
    ...     ]
    ...     made = evenhand.report_runs(runs)
    >>> [run.name for run in made.runs], made.comparison.in_all
    (['simulated (0.0)', 'simulated (2.0)'], 12)
    """
    given: object = runs
    if isinstance(given, str | Path | AuditRun) or len(runs) < 2:
        raise ConfigError("judges are compared in two runs or more: name their directories")
    wanted = None if readout is None else _known(readout)
    directories = [run.directory if isinstance(run, AuditRun) else Path(run) for run in runs]
    places = [directory.resolve() for directory in directories]
    twice = next((d for d, place in zip(directories, places, strict=True) if places.count(place) > 1), None)
    if twice is not None:
        raise ConfigError(f"run {twice} is named twice")
    read = [read_run(directory) for directory in directories]
    conditions, about_conditions = _conditions(read, condition)
    readouts, about_readouts = _readouts(read, wanted)
    names = _names(read)
    by = cast("Literal['auto', 'group', 'source']", cluster)
    tables = [
        JudgeTable(name=name, condition=own.id, readout=how, pairs=run.pairs, orders=run.measured, table=run.table)
        for name, run, own, how in zip(names, read, conditions, readouts, strict=True)
    ]
    comparison = compare_judge_tables(tables, seed=seed, resamples=resamples, level=level, cluster=by)
    compared = tuple(
        ComparedRun(
            name=name,
            place=str(run.directory),
            manifest=run.manifest,
            counts=run.counts,
            condition=own,
            readout=how,
            figures=figures_of(
                run.table,
                conditions=(own.id, *(each.id for each in run.controls if each.id != own.id)),
                readouts=(how, *(each for each in run.readouts if each is not how)),
                orders=run.measured,
                seed=seed,
                resamples=resamples,
                level=level,
                cluster=by,
            ),
        )
        for name, run, own, how in zip(names, read, conditions, readouts, strict=True)
    )
    notes = (
        *about_conditions,
        *about_readouts,
        *_without_texts(read),
        *_incomplete(read, names),
        *_orders(read, names),
    )
    return JudgesReport(runs=compared, comparison=comparison, notes=notes)


def _known(readout: str | Readout) -> Readout:
    if readout not in list(Readout):
        raise ConfigError(f"readout {str(readout)!r}: expected {', '.join(Readout)}")
    return Readout(readout)


def _conditions(read: Sequence[RunVerdicts], wanted: str | None) -> tuple[list[Condition], list[str]]:
    if wanted is not None:
        return [_named_condition(run, wanted) for run in read], []
    for each in read[0].controls:
        found = [run.condition(each.id) for run in read]
        if all(own is not None and not own.changes for own in found):
            return [own for own in found if own is not None], []
    chosen = [_first_control(run) for run in read]
    return chosen, [
        "The runs have no condition in common: each judge is looked at under its first one, so that what differs may "
        "be the prompt's or the labels' doing."
    ]


def _named_condition(run: RunVerdicts, name: str) -> Condition:
    found = run.condition(name)
    if found is None or found.changes:
        have = ", ".join(repr(each.id) for each in run.controls[:_LISTED]) or "none"
        raise ConfigError(f"{run.directory}: has no unchanged condition {name!r}; it has {have}")
    return found


def _first_control(run: RunVerdicts) -> Condition:
    if not run.controls:
        raise ConfigError(f"{run.directory}: every condition has changed pairs: compare it with evenhand biases")
    return run.controls[0]


def _readouts(read: Sequence[RunVerdicts], wanted: Readout | None) -> tuple[list[Readout], list[str]]:
    for run in read:
        have = ", ".join(run.readouts)
        if wanted is not None and wanted not in run.readouts:
            raise ConfigError(f"{run.directory}: has no readout {wanted.value} of all pairs; it has {have or 'none'}")
        if not have:
            raise ConfigError(f"{run.directory}: no readout was asked of all pairs, so there is nothing to compare")
    if wanted is not None:
        return [wanted] * len(read), []
    shared = next((each for each in TEXT_FIRST if all(each in run.readouts for run in read)), None)
    if shared is not None:
        return [shared] * len(read), []
    own = [next(each for each in TEXT_FIRST if each in run.readouts) for run in read]
    told = ", ".join(f"{readout.value} ({count})" for readout, count in Counter(own).items())
    return own, [
        f"The runs have no readout in common: each judge is looked at under its own ({told}). Readouts measure "
        "different things, so that what differs may be the readout's doing."
    ]


def _names(read: Sequence[RunVerdicts]) -> list[str]:
    """The judges' names; where two share one, with their folders' too, or else their paths."""
    models = [run.manifest.judge.model or run.manifest.judge.spec for run in read]
    folders = [f"{model} ({run.directory.name})" for model, run in zip(models, read, strict=True)]
    paths = [f"{model} ({run.directory})" for model, run in zip(models, read, strict=True)]
    choices = zip(models, folders, paths, strict=True)
    return [
        next((name for names, name in zip((models, folders), own[:2], strict=True) if names.count(name) == 1), own[2])
        for own in choices
    ]


def _without_texts(read: Sequence[RunVerdicts]) -> Iterator[str]:
    """That pairs without texts can't be told from others of the same name."""
    seen: Counter[str] = Counter()
    for run in read:
        seen.update(pair.id for pair in run.pairs if not (pair.instruction or pair.response_a or pair.response_b))
    shared = sum(count > 1 for count in seen.values())
    if shared:
        pairs = "1 pair has" if shared == 1 else f"{shared:,} pairs have"
        yield (
            f"{pairs} no texts in two of the runs or more, as their logs kept none: they are taken for the same by "
            "their ids, gold, sources and question groups, and nobody can check that their texts are."
        )


def _incomplete(read: Sequence[RunVerdicts], names: Sequence[str]) -> Iterator[str]:
    for run, name in zip(read, names, strict=True):
        yield from count_sentences(run.counts, which=f"run of {name}")


def _orders(read: Sequence[RunVerdicts], names: Sequence[str]) -> Iterator[str]:
    for run, name in zip(read, names, strict=True):
        if run.orders == "AB":
            yield (
                f"{name}: order BA was asked where a flip was likely. Its figures here are of order AB alone; the "
                "estimates for both orders are in its own report."
            )
        elif run.measured == "none":
            yield f"{name}: {NO_SLOTS}. Nothing tells how it would compare two responses shown together."
        elif run.orders == "single":
            yield f"{name}: each pair was shown in one order, so nothing tells its position bias."
        if run.manifest.generated_fraction is not None:
            yield (
                f"{name}: text was asked for of a random sample of the pairs; its generated readout is not compared "
                "(see its own report)."
            )
