"""Bias audits of runs that are there, live or imported: what each shows, and what several judges show together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

from evenhand.analysis import AuditResult, Finding
from evenhand.audits.bias.audit import audit_biases
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.registry import ALL, OBSERVED, SELF_PREFERENCE, bias_names
from evenhand.errors import ConfigError, DataError
from evenhand.records import Readout, RunManifest
from evenhand.report.studies.biases import TOLERANCE, BiasedRun, bias_study
from evenhand.store import Journal, PlanCounts
from evenhand.workflow.bias_across import JudgedRun, across_judges, read_families, why_not_across
from evenhand.workflow.bias_data import BiasWatch, bias_data, known_biases
from evenhand.workflow.read import read_verdicts
from evenhand.workflow.result import AuditRun

if TYPE_CHECKING:
    import polars as pl

    from evenhand.analysis.study import Study
    from evenhand.report.study.write import WrittenStudy

__all__ = ["BiasRun", "biases"]

FOLDER = "biases"
"""Below the first run's directory: where the study goes unless another place is named."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BiasRun:
    """What bias audits found in one run or several.

    Attributes
    ----------
    directories
        Of the runs.
    runs
        Each with its findings; the tests of each are a family of their own.
    across
        What the runs of several judges show together (self-preference); None where that was not looked at.
    refused
        (audit, reason) of audits that these runs can't be asked.
    """

    directories: tuple[Path, ...]
    runs: tuple[BiasedRun, ...]
    across: AuditResult | None
    refused: tuple[tuple[str, str], ...]
    tolerance: float = TOLERANCE

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Of all runs, in their order, and then those across them."""
        own = tuple(finding for run in self.runs for finding in run.audit.findings)
        return own if self.across is None else (*own, *self.across.findings)

    def study(self) -> Study:
        """The findings as the reports print them."""
        return bias_study(self.runs, across=self.across, refused=self.refused, tolerance=self.tolerance)

    def write_report(self, directory: str | Path | None = None, *, command: str | None = None) -> WrittenStudy:
        """Write the study's HTML, JSON, Markdown, tables and figures (None: ``biases/`` below the first run)."""
        from evenhand.report.study.write import write_study
        from evenhand.workflow.versions import now

        target = self.directories[0] / FOLDER if directory is None else Path(directory)
        return write_study(target, self.study(), command=command, created=now())


def biases(
    runs: str | Path | AuditRun | Sequence[str | Path | AuditRun],
    names: Sequence[str] = (),
    *,
    readout: str | None = None,
    families: str | Path | Mapping[str, str] | None = None,
    tolerance: float = TOLERANCE,
    seed: int | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: str = "auto",
) -> BiasRun:
    """Say of finished runs which biases they show; nothing is asked or written.

    Parameters
    ----------
    runs
        Directories or opened runs, live or imported, finished or not.
    names
        Of the audits, ``all`` for every one; empty takes those that have something to look at: verbosity and rationale
        in any run, what a live run asked changed conditions for, and self-preference in several runs.
    readout
        Look at this readout alone; None takes every one of each run.
    families
        Which family a judge or an author is of, for self-preference: a JSON or CSV file, or names to families.
    tolerance
        An effect whose whole interval lies within it, in shares of the verdicts, is next to nothing.
    seed
        Of the resampling; None takes each run's own.
    resamples, level, cluster
        As in :class:`~evenhand.workflow.settings.AuditSettings`.

    Raises
    ------
    ConfigError
        A name, readout or setting is unknown, or there is no run.
    DataError
        The file of families can't be read, whether or not anything here asks for families.
    StoreError
        A directory is no run, is damaged, or was written by a newer version.

    Examples
    --------
    >>> import tempfile, evenhand
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = evenhand.audit("simulated:position=1.0", "starter", limit=6, out=folder)
    ...     found = evenhand.biases(run, ["sycophancy"])
    >>> [finding.audit for finding in found.findings]
    ['sycophancy']
    """
    given = [runs] if isinstance(runs, str | Path | AuditRun) else list(runs)
    if not given:
        raise ConfigError("no run: expected the directory of at least one")
    if not 0 < tolerance < 1:
        raise ConfigError(f"tolerance is {tolerance}: expected a share above 0 and below 1, such as .05")
    directories = tuple(run.directory if isinstance(run, AuditRun) else Path(run) for run in given)
    places = [directory.resolve() for directory in directories]  # however it is spelt
    twice = [directory for directory, place in zip(directories, places, strict=True) if places.count(place) > 1]
    if twice:
        raise ConfigError(f"run {twice[0]} is named twice")
    wanted, together = _wanted(names)
    known = read_families(families) if isinstance(families, str | Path) else families
    by = cast("Literal['auto', 'group', 'source']", cluster)
    read = tuple(_named([_read(directory, wanted, readout=readout) for directory in directories]))
    found = tuple(
        BiasedRun(
            manifest=each.manifest,
            audit=audit_biases(
                each.data,
                each.names,
                seed=each.manifest.seed if seed is None else seed,
                resamples=resamples,
                level=level,
                cluster=by,
            ),
            counts=each.counts,
            left_out=each.data.left_out,
            name=each.name,
        )
        for each in read
    )
    judged = [JudgedRun(name=each.name, data=each.data) for each in read]
    across, refused = None, why_not_across(judged) if together != "no" else None
    if together != "no" and refused is None:
        try:
            across = across_judges(
                judged,
                families=known,
                readout=None if readout is None else Readout(readout),
                seed=seed or 0,
                resamples=resamples,
                level=level,
                cluster=by,
            )
        except (ConfigError, DataError) as error:
            if together == "asked":
                raise
            refused = str(error)
    return BiasRun(
        directories=directories,
        runs=found,
        across=across,
        refused=() if refused is None else ((SELF_PREFERENCE, refused),),
        tolerance=tolerance,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Read:
    """A run as read from its directory, and the audits that it is asked."""

    directory: Path
    manifest: RunManifest
    data: BiasData
    counts: PlanCounts
    names: tuple[str, ...]
    name: str = ""


_Together = Literal["no", "asked", "offered"]
"""Whether judges are looked at together: not, because it was asked for, or because nothing in particular was."""


def _wanted(names: Sequence[str]) -> tuple[tuple[str, ...] | None, _Together]:
    """The audits of each run (None: those that it has something for), and whether judges are looked at together."""
    given: object = names
    if isinstance(given, str):
        raise ConfigError(f"names are {given!r}: expected a sequence of names such as ['sycophancy', 'tone']")
    if not names:
        return None, "offered"
    own = bias_names(name for name in names if name != SELF_PREFERENCE)
    if SELF_PREFERENCE in names:
        return own, "asked"
    return own, "offered" if ALL in names else "no"


def _read(directory: Path, wanted: tuple[str, ...] | None, *, readout: str | None) -> _Read:
    with Journal.open(directory, read_only=True) as journal:
        manifest, pairs = journal.manifest, journal.pairs()
        names = bias_names((*OBSERVED, *known_biases(manifest))) if wanted is None else wanted
        watch = BiasWatch(manifest, rationales="rationale" in names)
        table = read_verdicts(manifest, pairs, watch.watch(journal.completions()))
        data = bias_data(journal, _of_readout(table, readout, manifest, directory), watch, pairs=pairs)
        counts = journal.counts()
    return _Read(directory=directory, manifest=manifest, data=data, counts=counts, names=names)


def _of_readout(table: pl.DataFrame, readout: str | None, manifest: RunManifest, directory: Path) -> pl.DataFrame:
    import polars as pl

    if readout is None:
        return table
    if readout not in list(Readout):
        raise ConfigError(f"readout {readout!r}: expected {', '.join(Readout)}")
    if readout not in manifest.readouts:
        raise ConfigError(f"{directory}: has no readout {readout} (it has {', '.join(manifest.readouts)})")
    return table.filter(pl.col("readout") == readout)


def _named(read: Sequence[_Read]) -> Iterator[_Read]:
    """The runs under their judges' names; where two share one, with their folders' too, or else their paths."""
    models = [each.manifest.judge.model or each.manifest.judge.spec for each in read]
    folders = [f"{model} ({each.directory.name})" for each, model in zip(read, models, strict=True)]
    for index, each in enumerate(read):
        choices = ((models, models[index]), (folders, folders[index]))
        path = f"{models[index]} ({each.directory})"
        yield replace(each, name=next((name for names, name in choices if names.count(name) == 1), path))
