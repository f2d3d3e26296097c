"""Biases in two runs: the net shift of each change that both runs made, on the same presentations of the same pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans
from evenhand.analysis.unit import ClusterBy, resampling_unit
from evenhand.analysis.wide import widen
from evenhand.audits.bias.base import BiasData
from evenhand.audits.bias.control import Comparison, asked_levels, cells_of, comparisons
from evenhand.audits.drift.measures import NET_SHIFT
from evenhand.records import Condition, Readout
from evenhand.stats import Estimate, Refusal, TestResult, sign_flip_test

if TYPE_CHECKING:
    import polars as pl

__all__ = ["BiasChange", "compare_biases"]

_OLD, _NEW = "old ", "new "


@dataclass(frozen=True, slots=True, kw_only=True)
class BiasChange:
    """What a change such as ``endorsement=user`` does to verdicts in the old and in the new run.

    Attributes
    ----------
    control
        Id of the condition without any change.
    subset
        The change.
    old, new
        Net shift in each run, over presentations with a verdict without and with the change, for both targets, in
        **both** runs.
    difference, surer, test, adjusted
        As of :class:`evenhand.audits.drift.comparison.MeasureChange`.
    pairs
        That enter.
    """

    control: str
    readout: Readout
    subset: str
    old: Estimate | Refusal
    new: Estimate | Refusal
    difference: Estimate | Refusal
    surer: Estimate | Refusal
    test: TestResult | None = None
    adjusted: TestResult | None = None
    pairs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Turns:
    """Turns of one run: values and where they are known, shape (pairs, targets times orders)."""

    pairs: NDArray[np.int64]
    values: NDArray[np.float64]
    known: Booleans


def compare_biases(
    old: pl.DataFrame,
    new: pl.DataFrame,
    *,
    pairs: Sequence[str],
    conditions: tuple[Sequence[Condition], Sequence[Condition]],
    readouts: Sequence[Readout],
    decisions: int = 1,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    cluster: ClusterBy = "auto",
) -> tuple[BiasChange, ...]:
    """Compare every change that both runs made to the same control.

    Parameters
    ----------
    conditions
        Of the old and of the new run, controls and changed ones.
    old, new, pairs, readouts, decisions, seed, resamples, level, cluster
        As in :func:`evenhand.audits.drift.comparison.compare_tables`.
    """
    import polars as pl

    ids = [pair.encode("utf-8", "backslashreplace").decode("utf-8") for pair in pairs]
    both = pl.concat(
        table.filter(pl.col("pair_id").is_in(ids)).with_columns(
            (pl.lit(which) + pl.col("condition")).alias("condition")
        )
        for table, which in ((old, _OLD), (new, _NEW))
    )
    wide = widen(both)
    named = tuple(_named(each, which) for own, which in zip(conditions, (_OLD, _NEW), strict=True) for each in own)
    data = BiasData(table=both, wide=wide, conditions=named, pairs={})
    unit = resampling_unit(wide.facts, cluster)
    sampler = Sampler(clusters=unit.clusters, seed=seed, resamples=resamples, level=level)
    wider = replace(sampler, level=1 - (1 - level) / max(1, decisions))
    found = []
    for factor, how in asked_levels(data):
        made = {each.control: each for each in comparisons(data, factor, how)}
        for control, first in made.items():
            second = made.get(_NEW + control.removeprefix(_OLD)) if control.startswith(_OLD) else None
            if second is None or {s.target for s in first.sides} != {s.target for s in second.sides}:
                continue
            for readout in readouts:
                turns = (_turns(data, first, readout), _turns(data, second, readout))
                scope = ("bias drift", control, first.subset, readout)
                found.append(
                    _compared(
                        *turns,
                        control=control.removeprefix(_OLD),
                        readout=readout,
                        subset=first.subset,
                        sampler=sampler.within(*scope),
                        wider=wider.within(*scope),
                    )
                )
    return tuple(found)


def _named(condition: Condition, which: str) -> Condition:
    control = None if condition.control is None else f"{which}{condition.control}"
    return replace(condition, id=f"{which}{condition.id}", control=control)


def _turns(data: BiasData, comparison: Comparison, readout: Readout) -> _Turns:
    cells = cells_of(data, comparison, readout)
    turned = cells.toward.astype(np.float64) - cells.away.astype(np.float64)
    rows = (cells.pairs.size, -1) if cells.pairs.size else (0, 4)
    return _Turns(pairs=cells.pairs, values=((1 + turned) / 2).reshape(rows), known=cells.for_both.reshape(rows))


def _compared(
    old: _Turns,
    new: _Turns,
    *,
    control: str,
    readout: Readout,
    subset: str,
    sampler: Sampler,
    wider: Sampler,
) -> BiasChange:
    pairs, i, j = np.intersect1d(old.pairs, new.pairs, assume_unique=True, return_indices=True)
    known = old.known[i] & new.known[j]
    count = known.sum(axis=1)
    before, after = (np.where(known, values, 0.0).sum(axis=1) for values in (old.values[i], new.values[j]))

    def shift(values: NDArray[np.float64]) -> Estimate | Refusal:
        toward, away = ((known & (values == side)).sum(axis=1) for side in (1.0, 0.0))
        return sampler.net(NET_SHIFT.name, toward, away, count, pairs=pairs, nothing=NET_SHIFT.needs).estimate

    def difference(made: Sampler) -> Estimate | Refusal:
        found = made.difference(
            NET_SHIFT.name, (after, count), (before, count), pairs=pairs, nothing=f"{NET_SHIFT.needs} in both runs"
        )
        return NET_SHIFT.change(found.estimate)

    apart = np.rint(2 * (after - before)).astype(np.int64)
    differs = apart != 0
    test = (
        sign_flip_test(apart[differs], sampler.clusters[pairs[differs]], rng=sampler.stream("signs"))
        if differs.any()
        else None
    )
    return BiasChange(
        control=control,
        readout=readout,
        subset=subset,
        old=shift(old.values[i]),
        new=shift(new.values[j]),
        difference=difference(sampler),
        surer=difference(wider),
        test=test,
        pairs=int(np.count_nonzero(count)),
    )
