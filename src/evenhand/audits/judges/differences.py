"""Two judges on the pairs that both have a figure for: the paired difference, and whether it is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evenhand.analysis.family import holm_adjusted
from evenhand.analysis.measure_info import MeasureInfo
from evenhand.analysis.paired_tests import mcnemar_test
from evenhand.analysis.sampler import Sampler
from evenhand.analysis.scope import Booleans, Scope
from evenhand.analysis.sentences import NO_SLOTS
from evenhand.audits.drift.measures import DriftMeasure, Observed
from evenhand.audits.judges.lined_up import LinedUp
from evenhand.audits.judges.measures import JUDGE_MEASURES
from evenhand.stats import Estimate, Refusal, TestResult, holm, sign_flip_test

__all__ = ["ALPHA", "FEWEST_SHARED", "Difference", "MeasureDifferences", "differences_of", "shown_among_all"]

FEWEST_SHARED: Final = 10
"""Pairs that both judges have a figure for below which they aren't compared: one pair moves it by ten points."""
ALPHA: Final = 0.05
"""The convention, of Holm-adjusted p-values."""
_ONE_ORDER = "needs both orders of a pair from both judges; {who} has one order alone"
_NOTHING = "{who} has no verdict to compare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One measure of two judges, over exactly what both know.

    Attributes
    ----------
    first, second
        Places of the judges in the list of all; ``first`` is the smaller.
    estimate
        The first judge's figure minus the second's, with its paired cluster interval.
    pairs
        Pairs that enter.
    test
        Sign-flip test over clusters; None where nothing differs or there is no figure.
    adjusted
        The same, Holm-adjusted over every two judges under this measure.
    mcnemar
        Exact McNemar, which takes pairs for independent; for yes-or-no figures of pairs alone.
    """

    first: int
    second: int
    estimate: Estimate | Refusal
    pairs: int
    test: TestResult | None = None
    adjusted: TestResult | None = None
    mcnemar: TestResult | None = None

    @property
    def shown(self) -> bool:
        """Whether the two are shown to differ."""
        return self.adjusted is not None and self.adjusted.p_value < ALPHA and isinstance(self.estimate, Estimate)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureDifferences:
    """Every two judges under one measure: the family that its p-values are adjusted over."""

    info: MeasureInfo
    differences: tuple[Difference, ...]

    @property
    def known(self) -> tuple[Difference, ...]:
        """Those with a figure."""
        return tuple(each for each in self.differences if isinstance(each.estimate, Estimate))

    @property
    def shown(self) -> tuple[Difference, ...]:
        """Those that are more than chance."""
        return tuple(each for each in self.differences if each.shown)


def differences_of(
    lined: LinedUp, sampler: Sampler, *, measures: Sequence[str] = tuple(JUDGE_MEASURES)
) -> tuple[MeasureDifferences, ...]:
    """Compare every two judges.

    Parameters
    ----------
    sampler
        Its clusters are those of the pairs of ``lined``.

    Returns
    -------
    tuple of MeasureDifferences
        One a measure, in the order asked; within each, judges by their places.

    References
    ----------
    Holm (1979), Scand. J. Stat. 6, 65-70, over the pairs of judges of each measure; Bonett and Price (2012),
    doi:10.3102/1076998611411915, for the interval; Fisher (1935), The Design of Experiments, for the test.
    """
    return tuple(_family(JUDGE_MEASURES[name], lined, sampler) for name in measures)


def _family(measure: DriftMeasure, lined: LinedUp, sampler: Sampler) -> MeasureDifferences:
    count = len(lined.names)
    seen = [None if scope is None else measure.observe(scope, lined.facts) for scope in lined.scopes]
    raw = [
        _Two(measure=measure, lined=lined, seen=seen, first=first, second=second, sampler=sampler).difference()
        for first in range(count)
        for second in range(first + 1, count)
    ]
    tests = [each.test for each in raw if each.test is not None]
    family = iter(holm_adjusted(tests, family="pairs of judges"))
    return MeasureDifferences(
        info=measure.info,
        differences=tuple(each if each.test is None else replace(each, adjusted=next(family)) for each in raw),
    )


def shown_among_all(families: Sequence[MeasureDifferences]) -> tuple[MeasureDifferences, ...]:
    """The measures in which some two judges differ, for a reader who looks through several of them for something.

    Of judges that are alike in everything, one of ten measures shows a difference in about three comparisons of ten.
    So each measure's least p-value, adjusted over its judges already, is adjusted by Holm over the measures that have a
    figure: the chance of naming any, where all judges are alike, is at most 5 %.

    Examples
    --------
    >>> shown_among_all([])
    ()
    """
    known = [family for family in families if family.known]
    least = [
        min((each.adjusted.p_value for each in family.known if each.adjusted is not None), default=1.0)
        for family in known
    ]
    if not known:
        return ()
    return tuple(family for family, p in zip(known, holm(least).p_values, strict=True) if p < ALPHA)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Two:
    """Two judges while they are compared."""

    measure: DriftMeasure
    lined: LinedUp
    seen: Sequence[Observed | None]
    first: int
    second: int
    sampler: Sampler

    def difference(self) -> Difference:
        """The figure with its tests; not adjusted yet."""
        refusal = self._why_not()
        one, two = self.lined.scopes[self.first], self.lined.scopes[self.second]
        seen = (self.seen[self.first], self.seen[self.second])
        if refusal is not None or one is None or two is None or seen[0] is None or seen[1] is None:
            return self._made(refusal or Refusal(reason="no verdict to compare", n=0))
        pairs, i, j = np.intersect1d(one.pairs, two.pairs, assume_unique=True, return_indices=True)
        known = seen[0].known[i] & seen[1].known[j]
        count = known.sum(axis=1)
        enters = int(np.count_nonzero(count))
        if enters < FEWEST_SHARED:
            what = f"pairs that both judges have a figure for, has {enters}"
            return self._made(Refusal(reason=f"needs at least {FEWEST_SHARED} {what}", n=enters), pairs=enters)
        sums = [
            np.where(known, seen[0].values[i], 0.0).sum(axis=1),
            np.where(known, seen[1].values[j], 0.0).sum(axis=1),
        ]
        names = self.lined.names
        here = self.sampler.within("judges", names[self.first], names[self.second])
        estimate = self.measure.change(
            here.difference(
                self.measure.name, (sums[0], count), (sums[1], count), pairs=pairs, nothing=self.measure.needs
            ).estimate
        )
        if isinstance(estimate, Refusal):
            return self._made(estimate, pairs=enters)
        apart = self.measure.scale * (sums[0] - sums[1]) * _whole(one, two, self.measure)
        return self._made(
            estimate,
            pairs=enters,
            test=_signs(apart, pairs, here, name=self.measure.name),
            mcnemar=_mcnemar(apart, seen, count) if not self.measure.directed else None,
        )

    def _why_not(self) -> Refusal | None:
        for place in (self.first, self.second):
            scope, who = self.lined.scopes[place], self.lined.names[place]
            if scope is None:
                return Refusal(reason=_NOTHING.format(who=who), n=0)
            if (self.measure.slots or self.measure.orders) and self.lined.orders[place] == "none":
                return Refusal(reason=f"{who}: {NO_SLOTS}", n=0)
            if self.measure.orders and (self.lined.orders[place] != "both" or scope.single_order):
                return Refusal(reason=_ONE_ORDER.format(who=who), n=0)
        return None

    def _made(
        self,
        estimate: Estimate | Refusal,
        *,
        pairs: int = 0,
        test: TestResult | None = None,
        mcnemar: TestResult | None = None,
    ) -> Difference:
        return Difference(
            first=self.first, second=self.second, estimate=estimate, pairs=pairs, test=test, mcnemar=mcnemar
        )


def _whole(one: Scope, two: Scope, measure: DriftMeasure) -> int:
    """What makes differences whole numbers, so that the test is exact: pairs may be repeated several times."""
    if measure.name not in ("repeat_flip_rate", "swap_minus_repeat"):
        return 1
    counts = np.unique(np.concatenate([one.repeat_compared, two.repeat_compared]))
    times = int(np.lcm.reduce(counts[(counts > 0) & (counts <= _MOST_REPEATS)], initial=1))
    return times if times <= _MOST_WHOLE else 1


_MOST_REPEATS, _MOST_WHOLE = 64, 1 << 12  # beyond, the test draws signs


def _signs(apart: NDArray[np.float64], pairs: NDArray[np.int64], sampler: Sampler, *, name: str) -> TestResult | None:
    near = np.rint(apart)
    exact = np.where(np.abs(apart - near) < 1e-9, near, apart)
    differs = exact != 0
    if not differs.any():
        return None
    return sign_flip_test(exact[differs], sampler.clusters[pairs[differs]], rng=sampler.stream(f"{name} signs"))


def _mcnemar(
    apart: NDArray[np.float64], seen: tuple[Observed | None, Observed | None], count: NDArray[np.int64]
) -> TestResult | None:
    """Where each pair is one yes or no of each judge."""
    plain = all(each is not None and _yes_or_no(each.values, each.known) for each in seen)
    if not plain or bool((count > 1).any()):
        return None
    more, fewer = int(np.count_nonzero(apart > 0)), int(np.count_nonzero(apart < 0))
    return next(iter(mcnemar_test(more, fewer, what="only the first judge against only the second")), None)


def _yes_or_no(values: NDArray[np.float64], known: Booleans) -> bool:
    kept = values[known]
    return bool(((kept == 0) | (kept == 1)).all())
