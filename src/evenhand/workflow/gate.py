"""A gate on one run: do its figures keep the limits that were set, and are they sure enough to tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evenhand.analysis.unit import ClusterBy
from evenhand.audits.drift.gates import Figure, GateDecision, decide_requirements, figures_of
from evenhand.audits.drift.levels import measure_levels
from evenhand.audits.drift.requirements import Requirement, parse_requirement, readout_named
from evenhand.errors import ConfigError
from evenhand.records import Readout, RunManifest
from evenhand.report.studies.gate import GateFacts, gate_study
from evenhand.store import PlanCounts
from evenhand.workflow.analyse import open_run
from evenhand.workflow.gate_file import read_gates
from evenhand.workflow.result import AuditRun
from evenhand.workflow.run_verdicts import measured_orders_of

if TYPE_CHECKING:
    from evenhand.analysis.study import Study

__all__ = ["MAX_FAILURES", "GateCheck", "check_gates"]

MAX_FAILURES = 0.05
"""Share of planned presentations without an answer above which a gate fails whatever else it finds. Above that share
no finding stands in a report's title (:data:`evenhand.report.incomplete.MANY_FAILED`): long prompts and odd answers
fail first, so the rest is no sample of the whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """What a gate found.

    Attributes
    ----------
    directory, manifest, counts
        Of the run.
    decisions
        One a requirement and figure.
    max_failures
        Largest share of planned presentations that may lack an answer. This is counted, not estimated: it says whether
        the figures can be trusted, not what the judge is like.
    allow_undecided
        Whether a requirement that the data don't decide lets the run through.
    level, resampled_by
        Of the intervals.
    """

    directory: Path
    manifest: RunManifest
    counts: PlanCounts
    decisions: tuple[GateDecision, ...]
    max_failures: float
    allow_undecided: bool
    level: float
    resampled_by: str

    @property
    def unanswered(self) -> float:
        """Share of planned presentations that failed or were not asked; 1 where none was planned."""
        planned = self.counts.planned
        return 1.0 if planned == 0 else 1 - self.counts.finished / planned

    @property
    def answered(self) -> bool:
        """Whether enough presentations have an answer."""
        return self.counts.finished > 0 and self.unanswered <= self.max_failures

    @property
    def outcome(self) -> Literal["pass", "fail", "undecided"]:
        """The whole gate: what isn't measured is a fail."""
        found = {decision.standing for decision in self.decisions}
        if not self.answered or not found or found & {"broken", "not measured"}:
            return "fail"
        return "undecided" if "undecided" in found else "pass"

    @property
    def passed(self) -> bool:
        """Whether the run is let through."""
        return self.outcome == "pass" or (self.outcome == "undecided" and self.allow_undecided)

    @property
    def facts(self) -> GateFacts:
        """What the reports know of the run."""
        return GateFacts(
            manifest=self.manifest,
            place=str(self.directory),
            counts=self.counts,
            answered=self.answered,
            unanswered=self.unanswered,
            max_failures=self.max_failures,
            outcome=self.outcome,
            allow_undecided=self.allow_undecided,
            level=self.level,
            resampled_by=self.resampled_by,
        )

    def study(self) -> Study:
        """The gate as a report has it."""
        return gate_study(self.decisions, self.facts)


def check_gates(
    run: str | Path | AuditRun,
    requirements: Iterable[str | Requirement] = (),
    *,
    file: str | Path | None = None,
    condition: str | None = None,
    readout: str | Readout | None = None,
    max_failures: float | None = None,
    allow_undecided: bool | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> GateCheck:
    """Check a run against requirements, each decided on its interval's bound.

    Parameters
    ----------
    run
        A run directory, or a run that is open (its figures are taken as they are; its directory is read again where
        several figures are decided and one seems broken, for the surer interval that this takes).
    requirements
        Such as ``"flip_rate<=.15"`` or ``"compliance@first-token>=.95"``.
    file
        A gate file (:func:`evenhand.workflow.gate_file.read_gates`), whose requirements come first.
    condition, readout
        To which requirements are limited that name none.
    max_failures
        Largest share of planned presentations without an answer; None: the file's, or .05.
    allow_undecided
        None: the file's, or no.
    resamples, level, cluster
        As in :func:`evenhand.open_run`.

    Raises
    ------
    ConfigError
        No requirement at all, or one that can't be read.
    DataError
        A gate file that can't be read.
    StoreError
        The directory is no run.

    Examples
    --------
    >>> check_gates("runs/smollm2", ["flip_rate<=.15", "compliance>=.95"]).passed  # doctest: +SKIP
    False
    """
    read = None if file is None else read_gates(Path(file))
    wanted = None if readout is None else readout_named(str(readout))
    given = [each if isinstance(each, Requirement) else parse_requirement(each) for each in requirements]
    asked = [_narrowed(each, condition, wanted) for each in [*(read.requirements if read else ()), *given]]
    if not asked:
        raise ConfigError("a gate needs a requirement, such as --max-flip-rate .15 or --require 'flip_rate<=.15'")
    opened = run if isinstance(run, AuditRun) else open_run(run, resamples=resamples, level=level, cluster=cluster)
    manifest, audit = opened.manifest, opened.audit
    failures = max_failures if max_failures is not None else (read.max_failures if read else None)
    allow = allow_undecided if allow_undecided is not None else (read.allow_undecided if read else None)
    return GateCheck(
        directory=opened.directory,
        manifest=manifest,
        counts=opened.counts,
        decisions=decide_requirements(
            asked,
            _figures(opened),
            changed=frozenset(each.id for each in manifest.conditions if each.changes),
            sampled=manifest.generated_fraction is not None,
            selective=manifest.swap is not None,
            wider=lambda count: _figures(_at_level(opened, 1 - (1 - audit.level) / count)),
        ),
        max_failures=_share(MAX_FAILURES if failures is None else failures),
        allow_undecided=bool(allow),
        level=audit.level,
        resampled_by=audit.resampled_by,
    )


def _figures(run: AuditRun) -> tuple[Figure, ...]:
    audit = run.audit
    levels = measure_levels(
        run.to_polars(),
        orders=measured_orders_of(run.manifest),
        seed=audit.seed,
        resamples=audit.resamples,
        level=audit.level,
        cluster=_unit(run),
    )
    return figures_of((*audit.findings, *(run.biases.findings if run.biases else ())), levels.levels)


def _at_level(run: AuditRun, level: float) -> AuditRun:
    """The same run, audited again with wider intervals."""
    return open_run(run.directory, resamples=run.audit.resamples, level=level, cluster=_unit(run))


def _unit(run: AuditRun) -> ClusterBy:
    return "source" if run.audit.resampled_by == "source" else "group"


def _narrowed(requirement: Requirement, condition: str | None, readout: Readout | None) -> Requirement:
    return replace(requirement, condition=requirement.condition or condition, readout=requirement.readout or readout)


def _share(value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ConfigError(f"max failures {value:g}: expected a share between 0 and 1")
    return value
