"""Everything that several judges show beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.audits.judges.agreement import JudgesAgree, agreements_of
from evenhand.audits.judges.differences import Difference, MeasureDifferences, differences_of
from evenhand.audits.judges.figures import JudgeFigures, RunFigures
from evenhand.audits.judges.lined_up import JudgeTable, line_up
from evenhand.audits.judges.measures import FLIPS
from evenhand.records import Condition, Readout, RunManifest
from evenhand.stats import Estimate
from evenhand.store import PlanCounts

__all__ = ["ComparedRun", "JudgesComparison", "Standing", "compare_judge_tables", "standings_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRun:
    """One run among those that are compared.

    Attributes
    ----------
    name
        Of its judge; its own among all.
    place
        The run's directory.
    condition, readout
        Those that stand for the judge.
    figures
        Of every unchanged condition under every readout.
    """

    name: str
    place: str
    manifest: RunManifest
    counts: PlanCounts
    condition: Condition
    readout: Readout
    figures: RunFigures

    @property
    def main(self) -> JudgeFigures | None:
        """The figures that stand for the judge; None where nothing was answered so."""
        return self.figures.find(self.condition.id, self.readout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How often a judge is shown to flip less, or more, than another; ``compared`` counts those with a figure."""

    judge: int
    less: int
    more: int
    compared: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesComparison:
    """Every two judges under every measure.

    Attributes
    ----------
    names
        Of the judges, as given; everything else names them by their place here.
    measures
        A family each.
    agreements
        Of every two judges.
    in_all
        Pairs that are the same in all runs.
    changed
        Pair ids that mean different content in two of the runs.
    """

    names: tuple[str, ...]
    measures: tuple[MeasureDifferences, ...]
    agreements: tuple[JudgesAgree, ...]
    in_all: int
    changed: tuple[str, ...]
    resampled_by: str
    resamples: int
    level: float
    seed: int

    def measure(self, name: str) -> MeasureDifferences:
        """The family of a measure."""
        return next(each for each in self.measures if each.info.name == name)

    def difference(self, name: str, first: int, second: int) -> Difference:
        """Two judges under a measure, the first in the list of all named first."""
        return next(each for each in self.measure(name).differences if (each.first, each.second) == (first, second))


def compare_judge_tables(
    judges: Sequence[JudgeTable],
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> JudgesComparison:
    """Compare every two of several judges on the pairs that both have a figure for.

    Parameters
    ----------
    seed, resamples, level, cluster
        As in :func:`evenhand.audits.audit_position`.

    Raises
    ------
    ConfigError
        Two judges have one name.
    """
    lined = line_up(judges)
    unit = resampling_unit(lined.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level)
    contents = [{(pair.id, pair.content_hash) for pair in judge.pairs} for judge in judges]
    return JudgesComparison(
        names=lined.names,
        measures=differences_of(lined, sampler),
        agreements=agreements_of(lined, sampler),
        in_all=len(set.intersection(*contents)) if contents else 0,
        changed=lined.changed,
        resampled_by=unit.name,
        resamples=resamples,
        level=level,
        seed=seed,
    )


def standings_of(comparison: JudgesComparison, *, measure: str = FLIPS) -> tuple[Standing, ...]:
    """How each judge stands to the others by what is shown, never by the order of figures.

    Examples
    --------
    >>> from evenhand.analysis.measures import measure_info
    >>> made = JudgesComparison(
    ...     names=("x", "y"), measures=(MeasureDifferences(info=measure_info("flip_rate"), differences=()),),
    ...     agreements=(), in_all=0, changed=(), resampled_by="source", resamples=1, level=0.95, seed=0)
    >>> [each.less for each in standings_of(made)]
    [0, 0]
    """
    less, more, compared = ([0] * len(comparison.names) for _ in range(3))
    family = comparison.measure(measure)
    for each in family.known:
        compared[each.first] += 1
        compared[each.second] += 1
    for each in family.shown:
        below = _first_is_below(each)
        less[each.first if below else each.second] += 1
        more[each.second if below else each.first] += 1
    return tuple(
        Standing(judge=judge, less=less[judge], more=more[judge], compared=compared[judge])
        for judge in range(len(comparison.names))
    )


def _first_is_below(difference: Difference) -> bool:
    return isinstance(difference.estimate, Estimate) and difference.estimate.value < 0
