"""Two runs on the same pairs: every measure of drift as a paired difference, and which verdicts changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.paired_tests import mcnemar_test
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, PairFacts, Scope
from evenhand.analysis.sentences import NO_SLOTS, of
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.analysis.wide import widen
from evenhand.audits.drift.agreement import Agreement, ChangedVerdict, agreement, changed_verdicts
from evenhand.audits.drift.bias_drift import BiasChange
from evenhand.audits.drift.by_source import SourceAccuracy, accuracy_by_source
from evenhand.audits.drift.levels import level_estimate
from evenhand.audits.drift.measures import DRIFT_MEASURES, DriftMeasure, MeasuredOrders, Observed
from evenhand.records import Order, Readout
from evenhand.stats import Estimate, Refusal, TestResult, sign_flip_test

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Comparison", "ConditionPair", "MeasureChange", "ScopeComparison", "compare_tables"]

_OLD, _NEW = "old", "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPair:
    """A condition of the old run and the one of the new run that it is compared with."""

    old: str
    new: str

    @property
    def name(self) -> str:
        """One name where both are called the same."""
        return self.old if self.old == self.new else f"{self.old} | {self.new}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureChange:
    """One measure in both runs, over exactly what both know.

    Attributes
    ----------
    name
        Key of :data:`evenhand.audits.drift.measures.DRIFT_MEASURES`.
    old, new
        The figure in each run.
    difference
        New minus old, with its paired cluster interval.
    surer
        The difference with the interval that must clear a tolerance before it is called broken.
    tests
        The sign-flip test over clusters and, for measures of pairs, exact McNemar. Empty where nothing changed.
    adjusted
        The sign-flip test adjusted by Holm over all measures, conditions and readouts compared; None without one.
    pairs
        Pairs that enter.
    left_out
        Presentations (or pairs) that only one of the runs knows it for.
    """

    name: str
    old: Estimate | Refusal
    new: Estimate | Refusal
    difference: Estimate | Refusal
    surer: Estimate | Refusal
    tests: tuple[TestResult, ...] = ()
    adjusted: TestResult | None = None
    pairs: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeComparison:
    """One condition under one readout, old against new.

    Attributes
    ----------
    conditions, readout
        What is compared.
    pairs
        Shared pairs with a presentation in both runs.
    measures
        Those asked for, in their order.
    agreement
        How far the two runs' verdicts agree in the same order, beside what repetition alone changes.
    changed
        The first changed verdicts, at most as many as asked for; ``changes`` says how many there are.
    by_source
        Right verdicts by source, where there are several and gold preferences.
    notes
        What was left out, and what can't be said.
    """

    conditions: ConditionPair
    readout: Readout
    pairs: int
    measures: tuple[MeasureChange, ...]
    agreement: Agreement
    changed: tuple[ChangedVerdict, ...]
    changes: int
    by_source: tuple[SourceAccuracy, ...] = ()
    notes: tuple[str, ...] = ()

    def measure(self, name: str) -> MeasureChange | None:
        """The change of a measure; None where it wasn't looked at."""
        return next((each for each in self.measures if each.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All scopes of two runs, the biases that both were audited for, and how the intervals were made."""

    scopes: tuple[ScopeComparison, ...]
    biases: tuple[BiasChange, ...] = ()
    resampled_by: str
    level: float
    seed: int
    resamples: int


def compare_tables(
    old: pl.DataFrame,
    new: pl.DataFrame,
    *,
    pairs: Sequence[str],
    conditions: Sequence[ConditionPair],
    readouts: Sequence[Readout] = tuple(Readout),
    measures: Sequence[str] = tuple(DRIFT_MEASURES),
    orders: MeasuredOrders = "both",
    decisions: int = 1,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
    most_changed: int = 20,
    biases: Sequence[BiasChange] = (),
) -> Comparison:
    """Compare two verdict tables pair by pair.

    Parameters
    ----------
    old, new
        The columns of :func:`evenhand.records.verdict_table`.
    pairs
        Ids of the pairs that are the same in both (:func:`evenhand.audits.drift.matching.match_pairs`).
    conditions, readouts, measures
        What to compare; a readout that one of the runs lacks is left out.
    orders
        See :data:`evenhand.audits.drift.measures.MeasuredOrders`.
    decisions
        How many tolerances will be decided on these figures; ``surer`` intervals are Bonferroni's over so many.
    seed, resamples, level, cluster
        As in :func:`evenhand.audits.audit_position`.
    most_changed
        How many changed verdicts to list in each scope.
    biases
        Of :func:`evenhand.audits.drift.bias_drift.compare_biases`; their tests join the family.

    Raises
    ------
    DataError
        A table lacks a column, or the two disagree on a pair's group, source or gold preference.
    """
    import polars as pl

    found: list[ScopeComparison] = []
    name = "question group"
    kept = [_shared(table, pairs, orders=orders) for table in (old, new)]
    for pair in conditions:
        both = pl.concat(
            [
                table.filter(pl.col("condition") == own).with_columns(pl.lit(label).alias("condition"))
                for table, own, label in ((kept[0], pair.old, _OLD), (kept[1], pair.new, _NEW))
            ]
        )
        wide = widen(both)
        unit = resampling_unit(wide.facts, cluster)
        name = unit.name
        sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level)
        for readout in readouts:
            first, second = wide.find(_OLD, readout), wide.find(_NEW, readout)
            if first is not None and second is not None:
                found.append(
                    _Compared(
                        conditions=pair,
                        old=first,
                        new=second,
                        facts=wide.facts,
                        sampler=sampler.within("drift", pair.old, pair.new, readout),
                        decisions=max(1, decisions),
                        single=orders != "both",
                        slots_seen=orders != "none",
                        chosen=tuple(DRIFT_MEASURES[name] for name in measures),
                        sources=tuple(sorted(both["source"].unique().to_list())),
                    ).scope(most_changed)
                )
    made = Comparison(
        scopes=tuple(found), biases=tuple(biases), resampled_by=name, level=level, seed=seed, resamples=resamples
    )
    return _adjusted(made)


def _shared(table: pl.DataFrame, pairs: Sequence[str], *, orders: MeasuredOrders) -> pl.DataFrame:
    import polars as pl

    # Ids stand in a table as UTF-8 can hold them (see verdict_table).
    ids = [pair.encode("utf-8", "backslashreplace").decode("utf-8") for pair in pairs]
    kept = table.filter(pl.col("pair_id").is_in(ids))
    return kept.filter(pl.col("order") == str(Order.AB)) if orders == "AB" else kept


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Compared:
    """One scope while it is compared."""

    conditions: ConditionPair
    old: Scope
    new: Scope
    facts: PairFacts
    sampler: Sampler
    decisions: int
    single: bool
    slots_seen: bool
    chosen: tuple[DriftMeasure, ...]
    sources: tuple[str, ...]

    def scope(self, most_changed: int) -> ScopeComparison:
        """Everything about it; tests aren't adjusted yet."""
        pairs, i, j = np.intersect1d(self.old.pairs, self.new.pairs, assume_unique=True, return_indices=True)
        rows = _Rows(pairs=pairs, old=i, new=j)
        changed = changed_verdicts(self.old, self.new, i, j, ids=[str(self.facts.ids[int(k)]) for k in pairs])
        return ScopeComparison(
            conditions=self.conditions,
            readout=self.old.readout,
            pairs=len(pairs),
            measures=tuple(self._change(measure, rows) for measure in self.chosen),
            agreement=agreement(self.old, self.new, i, j, pairs=pairs, sampler=self.sampler),
            changed=changed[:most_changed],
            changes=len(changed),
            by_source=accuracy_by_source(self.old, self.new, i, j, pairs=pairs, facts=self.facts, sources=self.sources),
            notes=tuple(self._notes(len(pairs))),
        )

    def _change(self, measure: DriftMeasure, rows: _Rows) -> MeasureChange:
        if (measure.slots or measure.orders) and not self.slots_seen:
            refusal = Refusal(reason=NO_SLOTS, n=0)
            return MeasureChange(name=measure.name, old=refusal, new=refusal, difference=refusal, surer=refusal)
        single = self.single or self.old.single_order or self.new.single_order
        if measure.orders and single:
            refusal = Refusal(reason="needs both orders of a pair in both runs; one has one order alone", n=0)
            return MeasureChange(name=measure.name, old=refusal, new=refusal, difference=refusal, surer=refusal)
        before, after = measure.observe(self.old, self.facts), measure.observe(self.new, self.facts)
        known = before.known[rows.old] & after.known[rows.new]
        count = known.sum(axis=1)
        first, second = (_sums(each, row, known) for each, row in ((before, rows.old), (after, rows.new)))
        return MeasureChange(
            name=measure.name,
            old=self._level(measure, before.values[rows.old], known, rows, "old"),
            new=self._level(measure, after.values[rows.new], known, rows, "new"),
            difference=self._difference(measure, first, second, count, rows, self.sampler),
            surer=self._difference(measure, first, second, count, rows, self._surer),
            tests=self._tests(measure, first, second, count, rows),
            pairs=int(np.count_nonzero(count)),
            left_out=int(np.count_nonzero(before.known[rows.old] ^ after.known[rows.new])),
        )

    @property
    def _surer(self) -> Sampler:
        return replace(self.sampler, level=1 - (1 - self.sampler.level) / self.decisions)

    def _level(
        self, measure: DriftMeasure, values: NDArray[np.float64], known: Booleans, rows: _Rows, which: str
    ) -> Estimate | Refusal:
        stream = f"{measure.name}, {which}"
        return level_estimate(measure, values, known, pairs=rows.pairs, sampler=self.sampler, stream=stream)

    def _difference(
        self,
        measure: DriftMeasure,
        old: NDArray[Any],
        new: NDArray[Any],
        count: NDArray[Any],
        rows: _Rows,
        sampler: Sampler,
    ) -> Estimate | Refusal:
        nothing = f"{measure.needs} that both runs know"
        made = sampler.difference(measure.name, (new, count), (old, count), pairs=rows.pairs, nothing=nothing)
        return measure.change(made.estimate)

    def _tests(
        self, measure: DriftMeasure, old: NDArray[Any], new: NDArray[Any], count: NDArray[Any], rows: _Rows
    ) -> tuple[TestResult, ...]:
        # Whole numbers, so that the test is exact: a directed share's halves count as one.
        apart = np.rint(measure.scale * (new - old)).astype(np.int64)
        differs = apart != 0
        if not differs.any():
            return ()
        clusters = self.sampler.clusters[rows.pairs[differs]]
        test = sign_flip_test(apart[differs], clusters, rng=self.sampler.stream(f"{measure.name} signs"))
        tests: tuple[TestResult, ...] = (test,)
        if bool((count <= 1).all()) and not measure.directed:
            more, fewer = int(np.count_nonzero(apart > 0)), int(np.count_nonzero(apart < 0))
            tests += mcnemar_test(more, fewer, what="only new against only old")
        return tests

    def _notes(self, shared: int) -> Iterator[str]:
        for which, scope, other in (("old", self.old, self.new), ("new", self.new, self.old)):
            alone = int(np.setdiff1d(scope.pairs, other.pairs, assume_unique=True).size)
            if alone:
                yield f"{alone:,} shared pairs have presentations in the {which} run only: not compared."
        for which, scope in (("old", self.old), ("new", self.new)):
            asked, verdicts = int(np.count_nonzero(scope.asked)), int(np.count_nonzero(scope.verdict))
            if verdicts < asked:
                yield (
                    f"The {which} run has no verdict for {of(asked - verdicts, asked, 'presentations')}: they enter "
                    "the verdict rate alone. If they went missing for a reason, the pairs left are easier or harder "
                    "than all."
                )
        if not shared:
            yield "No pair has a presentation in both runs."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Rows:
    """Shared pairs: their index in the table of all, and their rows in either scope."""

    pairs: NDArray[np.int64]
    old: NDArray[np.intp]
    new: NDArray[np.intp]


def _sums(observed: Observed, rows: NDArray[np.intp], known: NDArray[np.bool_]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.where(known, observed.values[rows], 0.0).sum(axis=1)
    return total


def _adjusted(made: Comparison) -> Comparison:
    """One family: every measure of every scope, for a reader looks through all of them for one that changed."""
    raw = [change.tests[0] for scope in made.scopes for change in scope.measures if change.tests]
    raw += [bias.test for bias in made.biases if bias.test is not None]
    family = iter(holm_adjusted(raw, family="changes between the runs"))
    return replace(
        made,
        scopes=tuple(
            replace(scope, measures=tuple(replace(c, adjusted=next(family)) if c.tests else c for c in scope.measures))
            for scope in made.scopes
        ),
        biases=tuple(replace(b, adjusted=next(family)) if b.test is not None else b for b in made.biases),
    )
