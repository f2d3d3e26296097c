"""One run's own figures, condition by condition and readout by readout: those of its report, by the same code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from evenhand.analysis.finding import Measure, OutcomeCount
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import PairFacts, Scope
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.analysis.wide import widen
from evenhand.audits.drift.measures import MeasuredOrders
from evenhand.audits.judges.measures import JUDGE_MEASURES, REPEAT_MEASURES
from evenhand.audits.order_ab import AB_ONLY, order_ab
from evenhand.audits.readout import readout_finding
from evenhand.audits.repeats import repeat_finding
from evenhand.records import Outcome, Readout
from evenhand.stats import Estimate, Refusal

if TYPE_CHECKING:
    import polars as pl

__all__ = ["JudgeFigures", "RunFigures", "figures_of"]

_NO_REPEATS: Final = "no presentation was asked again in the same order (evenhand audit --repeat)"
_ONE_ORDER: Final = "each pair was shown in one order: no figure that needs both"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFigures:
    """One condition under one readout.

    Attributes
    ----------
    pairs, presentations
        How many were asked.
    outcomes
        All states, per order.
    measures
        Those of :data:`evenhand.audits.judges.measures.JUDGE_MEASURES`, each with an estimate or why there is none.
    """

    condition: str
    readout: Readout
    pairs: int
    presentations: int
    outcomes: tuple[OutcomeCount, ...]
    measures: tuple[Measure, ...]

    def measure(self, name: str) -> Estimate | Refusal:
        """A figure by the measure's name."""
        return next(each.estimate for each in self.measures if each.name == name)

    def count(self, outcome: Outcome) -> int:
        """Presentations that ended so, both orders together."""
        return sum(each.count for each in self.outcomes if each.outcome is outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """All of a run's conditions and readouts; ``resampled_by`` is what one cluster is, in words."""

    scopes: tuple[JudgeFigures, ...]
    resampled_by: str

    def find(self, condition: str, readout: Readout) -> JudgeFigures | None:
        """One of them; None where nothing was read that way."""
        return next((each for each in self.scopes if (each.condition, each.readout) == (condition, readout)), None)


def figures_of(
    table: pl.DataFrame,
    *,
    conditions: Sequence[str],
    readouts: Sequence[Readout],
    orders: MeasuredOrders = "both",
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> RunFigures:
    """A run's figures, equal to those that its own report shows.

    Parameters
    ----------
    table
        The columns of :func:`evenhand.records.verdict_table`.
    conditions, readouts
        Those to look at, in the order in which they are to stand.
    orders
        See :data:`evenhand.audits.drift.measures.MeasuredOrders`.
    seed, resamples, level, cluster
        As in :func:`evenhand.audits.audit_position`.
    """
    wide = widen(table)
    if orders == "AB":
        wide = order_ab(wide)
    unit = resampling_unit(wide.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level)
    found = (wide.find(condition, readout) for condition in conditions for readout in readouts)
    return RunFigures(
        scopes=tuple(_figures(scope, wide.facts, sampler, orders=orders) for scope in found if scope is not None),
        resampled_by=unit.name,
    )


def _figures(scope: Scope, facts: PairFacts, sampler: Sampler, *, orders: MeasuredOrders) -> JudgeFigures:
    single = orders != "both" or scope.single_order
    finding = readout_finding(scope, facts=facts, sampler=sampler, single=single, slots_seen=orders != "none")
    repeated = repeat_finding(scope, sampler=sampler, single=single)
    there = {measure.name: measure for measure in finding.measures}
    if repeated is not None:
        there |= {measure.name: measure for measure in repeated.measures if measure.name in REPEAT_MEASURES}
    one_order = Refusal(reason={"AB": AB_ONLY, "none": NO_SLOTS}.get(orders, _ONE_ORDER), n=0)
    no_repeats = Refusal(reason=_NO_REPEATS, n=0)

    def of(name: str) -> Measure:
        lacking = no_repeats if name in REPEAT_MEASURES and repeated is None else one_order
        return there.get(name) or Measure(name=name, estimate=lacking)

    return JudgeFigures(
        condition=scope.condition,
        readout=scope.readout,
        pairs=finding.pairs,
        presentations=finding.presentations,
        outcomes=finding.outcomes,
        measures=tuple(of(name) for name in JUDGE_MEASURES),
    )
